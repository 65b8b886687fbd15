import * as vscode from 'vscode';

/** The file on disk that a tab edits, as text or as a notebook. Undefined for other tabs, such as diffs. */
export function fileOfTab({ input }: vscode.Tab): vscode.Uri | undefined {
  const isEditor = input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook;
  return isEditor && input.uri.scheme === 'file' ? input.uri : undefined;
}

/** All tabs of the window that match. */
export function findTabs(matches: (tab: vscode.Tab) => boolean): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(matches));
}

/** The tabs that edit a file. */
export function tabsOfFile(uri: vscode.Uri): vscode.Tab[] {
  const wanted = uri.toString();
  return findTabs((tab) => fileOfTab(tab)?.toString() === wanted);
}

/** Whether the number of tabs has reached VS Code's limit. After the user closes a tab, it is below the limit. */
export function isAtEditorLimit(): boolean {
  const settings = vscode.workspace.getConfiguration('workbench.editor.limit');
  if (settings.get('enabled') !== true) return false;
  const counts = vscode.window.tabGroups.all.map(({ tabs }) => tabs.length);
  const isPerGroup = settings.get('perEditorGroup') === true;
  const count = isPerGroup ? Math.max(...counts) : counts.reduce((sum, each) => sum + each, 0);
  return count >= settings.get('value', Number.POSITIVE_INFINITY);
}

/** The text document of a URI, while VS Code has one: an editor that was never shown has none. */
export function loadedDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  const wanted = uri.toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === wanted);
}

/** The notebook of a URI, while VS Code has one. */
export function loadedNotebook(uri: vscode.Uri): vscode.NotebookDocument | undefined {
  const wanted = uri.toString();
  return vscode.workspace.notebookDocuments.find((notebook) => notebook.uri.toString() === wanted);
}

/** Tabs or their groups changed. */
export function onDidChangeTabs(listener: () => void): vscode.Disposable {
  const { tabGroups } = vscode.window;
  return vscode.Disposable.from(
    tabGroups.onDidChangeTabs(listener),
    tabGroups.onDidChangeTabGroups(listener),
  );
}

/** The names of VS Code's groups of tabs in its commands, by their column. */
const groupNames = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth'];

/** Makes a tab active and gives it the focus; if it is gone, gives the focus to the active tab. */
export async function focusTab(tab: vscode.Tab | undefined): Promise<void> {
  const { all } = vscode.window.tabGroups;
  const group = tab && all.find(({ tabs }) => tabs.includes(tab));
  const name = group && groupNames[group.viewColumn - 1];
  const { executeCommand } = vscode.commands;
  await executeCommand(`workbench.action.focus${name ?? 'Active'}EditorGroup`);
  if (tab !== undefined && group?.isActive && !tab.isActive)
    await executeCommand('workbench.action.openEditorAtIndex', group.tabs.indexOf(tab));
}
