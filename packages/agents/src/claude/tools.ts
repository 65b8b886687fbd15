import { type Clock, TimeoutError, withTimeout } from '@tandem/core';
import { type McpTool, ToolError } from '@tandem/mcp';
import {
  getAllOpenedFilePaths,
  getCurrentSelection,
  getLatestSelection,
  getOpenEditors,
  getWorkspaceFolders,
} from './contextTools.js';
import { closeAllDiffTabs, closeTab, openDiff } from './diffTools.js';
import { checkDocumentDirty, openFile, openFiles, reformatFile, saveDocument } from './documentTools.js';
import { getDiagnostics } from './getDiagnostics.js';
import type { ToolContext } from './toolContext.js';

/** The tools of one session, without those that the editor cannot support. */
export function claudeTools(context: ToolContext): McpTool[] {
  const { documents, diagnostics } = context.editor;
  const limited = [
    openFile(context),
    openFiles(context),
    closeTab(context),
    closeAllDiffTabs(context),
    getAllOpenedFilePaths(context),
    ...(documents.format === undefined ? [] : [reformatFile(context, documents.format.bind(documents))]),
    ...(diagnostics === undefined ? [] : [getDiagnostics(context, diagnostics)]),
    getOpenEditors(context),
    getCurrentSelection(context),
    getLatestSelection(context),
    getWorkspaceFolders(context),
    checkDocumentDirty(context),
    saveDocument(context),
  ];
  // `openDiff` has no limit, because the user may take hours. Showing the review has its own limit.
  return [openDiff(context), ...limited.map((tool) => limitedTool(tool, context.clock))];
}

/** How long the editor and its files may take for one call. Long enough for an editor that formats before it saves. */
const toolLimitMs = 20_000;

/** The same tool, which returns an error if the editor does not answer in time. The editor may still do it later. */
function limitedTool(tool: McpTool, clock: Clock): McpTool {
  return {
    ...tool,
    async run(input, context) {
      try {
        return await withTimeout(clock, toolLimitMs, Promise.resolve(tool.run(input, context)));
      } catch (error) {
        if (!(error instanceof TimeoutError)) throw error;
        throw new ToolError(
          `${tool.name}: ${error.message} It may still do so later: ask the user to check the editor before you try again.`,
          { cause: error },
        );
      }
    },
  };
}
