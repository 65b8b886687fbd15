import { defineTool, type McpTool } from '@tandem/mcp';
import { toWirePath } from '../paths.js';
import { type ToolContext, textResult } from '../toolContext.js';
import { noArguments } from '../wire.js';

/** `get_all_opened_file_paths` (claude-code-ide.md, tool 5): absolute paths, a line each. */
export function getAllOpenedFilePaths({ openFiles: findOpenFiles, platform }: ToolContext): McpTool {
  return defineTool({
    name: 'get_all_opened_file_paths',
    description: 'Lists the absolute paths of the files that are open in the editor, one a line.',
    input: noArguments,
    async run() {
      const { openFiles } = await findOpenFiles();
      return textResult(openFiles.map((file) => toWirePath(file.path, platform)).join('\n'));
    },
  });
}
