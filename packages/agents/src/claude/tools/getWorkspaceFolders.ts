import { basename } from 'node:path';
import { defineTool, type McpTool } from '@tandem/mcp';
import { toFileUri, toWirePath } from '../paths.js';
import { jsonResult, type ToolContext } from '../toolContext.js';
import { noArguments } from '../wire.js';

/** `getWorkspaceFolders`: the folders that are open in the editor. */
export function getWorkspaceFolders({ editor, platform }: ToolContext): McpTool {
  return defineTool({
    name: 'getWorkspaceFolders',
    description: 'Lists the workspace folders that are open in the editor.',
    input: noArguments,
    run() {
      const folders = editor.workspace.folders().map((path) => ({
        name: basename(path),
        uri: toFileUri(path, platform),
        path: toWirePath(path, platform),
      }));
      return jsonResult({ success: true, folders, rootPath: folders[0]?.path ?? '' });
    },
  });
}
