import * as vscode from 'vscode';

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
