import { stat } from 'node:fs/promises';
import {
  DocumentError,
  type DocumentState,
  type Documents,
  messageOf,
  type Path,
  type Range,
} from '@tandem/core';
import * as vscode from 'vscode';
import type { SavedFiles } from './savedFiles.js';
import { loadedDocument, loadedNotebook, tabsOfFile } from './tabs.js';
import type { UserFocus } from './userFocus.js';
import type { WorkspacePaths } from './workspacePaths.js';

/** Opens, saves and closes documents of the window. A document is open if it has a tab; the sides of a diff are not. */
export function createDocuments(paths: WorkspacePaths, focus: UserFocus, saved: SavedFiles): Documents {
  return {
    open: (path, how) => {
      const openFile = (): Promise<void> => open(path, paths.toUri(path), how ?? {});
      return how?.takeFocus === true ? openFile() : focus.unasked(openFile);
    },
    state: (path) => stateOf(paths.toUri(path)),
    save: (path) => save(paths.toUri(path)),
    close: (path) => focus.unasked(() => close(paths.toUri(path))),
    format: (path) => format(path, paths.toUri(path), saved),
    onDidSave: saved.onDidSave,
  };
}

async function open(
  path: Path,
  uri: vscode.Uri,
  how: { readonly range?: Range; readonly takeFocus?: boolean },
): Promise<void> {
  await requireFile(path);
  const takesFocus = how.takeFocus === true;
  // VS Code's own command opens notebooks and images in their own editors, and clamps the selection to the text.
  // Without the focus, the tab opens in the background, so that it covers no editor of the user.
  const options = {
    preview: false,
    preserveFocus: !takesFocus,
    background: !takesFocus,
    ...(how.range && { selection: toRange(how.range) }),
  };
  try {
    await vscode.commands.executeCommand('vscode.open', uri, options);
  } catch (cause) {
    throw new DocumentError('failed', `${path} could not be opened: ${messageOf(cause)}`, { cause });
  }
}

async function requireFile(path: Path): Promise<void> {
  let isFile: boolean;
  try {
    isFile = (await stat(path)).isFile();
  } catch (cause) {
    throw new DocumentError('not-found', `${path} does not exist or cannot be read.`, { cause });
  }
  if (!isFile) throw new DocumentError('not-a-file', `${path} is not a file.`);
}

function stateOf(uri: vscode.Uri): DocumentState | undefined {
  const tabs = tabsOfFile(uri);
  if (tabs.length === 0) return undefined;
  const document = loadedDocument(uri);
  // A notebook can also have a text document, which does not include unsaved cells.
  const loaded = [document, loadedNotebook(uri)].filter((each) => each !== undefined);
  const isDirty = (loaded.length > 0 ? loaded : tabs).some((each) => each.isDirty);
  return { isDirty, ...(document && { languageId: document.languageId }) };
}

async function save(uri: vscode.Uri): Promise<boolean> {
  const tabs = tabsOfFile(uri);
  if (tabs.length === 0) return false;
  // A tab that was never shown has no document yet, and nothing to save.
  for (const document of [loadedNotebook(uri), loadedDocument(uri)]) {
    if (document?.isDirty && !(await document.save())) return false;
  }
  return true;
}

/** Leaves a tab with unsaved changes open: VS Code would ask the user, and the agent would wait. */
async function close(uri: vscode.Uri): Promise<boolean> {
  const tabs = tabsOfFile(uri);
  if (tabs.length === 0 || stateOf(uri)?.isDirty) return false;
  return vscode.window.tabGroups.close(tabs, true);
}

async function format(path: Path, uri: vscode.Uri, saved: SavedFiles): Promise<void> {
  if (tabsOfFile(uri).length === 0) throw new DocumentError('not-open', `${path} is not open in the editor.`);
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const wasDirty = document.isDirty;
    const edits = await vscode.commands.executeCommand<vscode.TextEdit[] | undefined>(
      'vscode.executeFormatDocumentProvider',
      uri,
      formattingOptions(document),
    );
    if (edits === undefined) throw new Error(`there is no formatter for ${document.languageId} files`);
    if (edits.length === 0) return;
    const change = new vscode.WorkspaceEdit();
    change.set(uri, edits);
    if (!(await vscode.workspace.applyEdit(change))) throw new Error('the document changed meanwhile');
    // Agents read the file, not the editor. The user decides when to save their own changes.
    if (!wasDirty) await saved.saveUnreported(document);
  } catch (cause) {
    throw new DocumentError('failed', `${path} could not be formatted: ${messageOf(cause)}.`, { cause });
  }
}

function formattingOptions(document: vscode.TextDocument): vscode.FormattingOptions {
  const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  const settings = vscode.workspace.getConfiguration('editor', document);
  const { tabSize, insertSpaces } = shown?.options ?? {};
  return {
    tabSize: typeof tabSize === 'number' ? tabSize : settings.get('tabSize', 4),
    insertSpaces: typeof insertSpaces === 'boolean' ? insertSpaces : settings.get('insertSpaces', true),
  };
}

function toRange({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
