import { basename } from 'node:path';
import { defineTool, type McpTool } from '@tandem/mcp';
import { toFileUri } from '../paths.js';
import { jsonResult, type ToolContext } from '../toolContext.js';
import { noArguments } from '../wire.js';

/** `getOpenEditors`: the open tabs, as Claude Code's own companions describe them. */
export function getOpenEditors({ openFiles: findOpenFiles, editor, platform }: ToolContext): McpTool {
  return defineTool({
    name: 'getOpenEditors',
    description: 'Lists the tabs that are open in the editor.',
    input: noArguments,
    async run() {
      const { openFiles, activePath } = await findOpenFiles();
      const tabs = openFiles.map(({ path }) => {
        const state = editor.documents.state(path);
        return {
          uri: toFileUri(path, platform),
          isActive: path === activePath,
          label: basename(path),
          ...(state?.languageId !== undefined && { languageId: state.languageId }),
          isDirty: state?.isDirty ?? false,
        };
      });
      return jsonResult({ tabs });
    },
  });
}
