import { basename } from 'node:path';
import { type EditorContext, isEmptyRange } from '@tandem/core';
import { defineTool, jsonResult, type McpTool, type McpToolResult, textResult } from '@tandem/mcp';
import { encodeSelection } from '../claudeIde/messages.js';
import { toFileUri, toWirePath } from './paths.js';
import { isShared, type ToolContext } from './toolContext.js';
import { noArguments, notationOn } from './wire.js';

/** `get_all_opened_file_paths` (claude-code-ide.md, tool 5): absolute paths, one per line. */
export function getAllOpenedFilePaths(context: ToolContext): McpTool {
  return defineTool({
    name: 'get_all_opened_file_paths',
    description: 'Lists the absolute paths of the files that are open in the editor, one a line.',
    input: noArguments,
    async run() {
      const { openFiles } = await context.shared.all();
      return textResult(openFiles.map((file) => toWirePath(file.path, context.platform)).join('\n'));
    },
  });
}

/** `getOpenEditors`: the open tabs, as Claude Code's own companions describe them. */
export function getOpenEditors({ shared, editor, platform }: ToolContext): McpTool {
  return defineTool({
    name: 'getOpenEditors',
    description: 'Lists the tabs that are open in the editor.',
    input: noArguments,
    async run() {
      const { openFiles, activePath } = await shared.all();
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

/** `getCurrentSelection`: the selection in the active file. */
export function getCurrentSelection(context: ToolContext): McpTool {
  return defineTool({
    name: 'getCurrentSelection',
    description: 'Gets the current text selection in the active editor.',
    input: noArguments,
    async run() {
      const shared = await context.shared.latest();
      return shared.activePath === undefined ? failure('No active editor found') : success(context, shared);
    },
  });
}

/** `getLatestSelection`: the last selection, even if the editor has lost the focus since. */
export function getLatestSelection(context: ToolContext): McpTool {
  return defineTool({
    name: 'getLatestSelection',
    description: 'Gets the most recent text selection, even if it is not in the active editor.',
    input: noArguments,
    async run() {
      await context.shared.latest();
      const latest = context.latestSelection();
      const path = latest?.activePath;
      // The policy may have changed since it was selected.
      if (latest === undefined || path === undefined || !(await isShared(context, path))) {
        return failure('No selection available');
      }
      return success(context, latest);
    },
  });
}

function success(context: ToolContext, shared: EditorContext): McpToolResult {
  const encoded = encodeSelection(shared, notationOn(context.platform));
  const { selection } = encoded;
  return jsonResult({
    success: true,
    ...encoded,
    selection: { ...selection, isEmpty: isEmptyRange(selection) },
  });
}

function failure(message: string): McpToolResult {
  return jsonResult({ success: false, message });
}
