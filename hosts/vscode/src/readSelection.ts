import { maxSharedSelectionBytes, type Selection } from '@tandem/core';
import * as vscode from 'vscode';

/**
 * What is selected in a document. Of its text no more is read than agents are told: this runs at every key, and a
 * selection may span megabytes. A code unit is at least one byte, so that the cut never takes too little.
 */
export function readSelection(document: vscode.TextDocument, selection: vscode.Selection): Selection {
  const { start, end, active } = selection;
  return {
    range: { start: plain(start), end: plain(end) },
    cursor: plain(active),
    text: selection.isEmpty ? '' : document.getText(new vscode.Range(start, cut(document, start, end))),
  };
}

/** The end of the selection, or a place before it that is far enough behind the start. */
function cut(document: vscode.TextDocument, start: vscode.Position, end: vscode.Position): vscode.Position {
  let left = maxSharedSelectionBytes;
  for (let line = start.line; line <= end.line; line++) {
    const from = line === start.line ? start.character : 0;
    const to = line === end.line ? end.character : document.lineAt(line).text.length;
    if (to - from >= left) return new vscode.Position(line, from + left);
    left -= to - from + 1;
    if (left <= 0) return new vscode.Position(line, to);
  }
  return end;
}

function plain({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}
