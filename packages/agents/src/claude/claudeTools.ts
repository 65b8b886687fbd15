import type { McpTool } from '@tandem/mcp';
import { limitedTool } from './limitedTool.js';
import type { ToolContext } from './toolContext.js';
import { checkDocumentDirty } from './tools/checkDocumentDirty.js';
import { closeAllDiffTabs } from './tools/closeAllDiffTabs.js';
import { closeTab } from './tools/closeTab.js';
import { getAllOpenedFilePaths } from './tools/getAllOpenedFilePaths.js';
import { getDiagnostics } from './tools/getDiagnostics.js';
import { getOpenEditors } from './tools/getOpenEditors.js';
import { getCurrentSelection, getLatestSelection } from './tools/getSelection.js';
import { getWorkspaceFolders } from './tools/getWorkspaceFolders.js';
import { openDiff } from './tools/openDiff.js';
import { openFile } from './tools/openFile.js';
import { openFiles } from './tools/openFiles.js';
import { reformatFile } from './tools/reformatFile.js';
import { saveDocument } from './tools/saveDocument.js';

/** The tools of one session. What the present editor cannot do is not offered. */
export function claudeTools(context: ToolContext): McpTool[] {
  // `openDiff` waits for a person, who may take hours; the editor's part in it has a limit of its own.
  return [openDiff(context), ...toolsOfEditor(context).map((tool) => limitedTool(tool, context.clock))];
}

function toolsOfEditor(context: ToolContext): McpTool[] {
  const { documents, diagnostics } = context.editor;
  return [
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
}
