import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import { hunkChoices } from './hunkAtLine.js';
import { notesInDiff } from './notesOn.js';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

/**
 * Shows the notes on a review behind the first line of its proposal, and where a change was dropped, unless code lenses
 * show it: the setting for code lenses applies to all diffs, and is off by default.
 */
export function showNoteLine(views: ReviewViews): Disposable {
  const store = new DisposableStore();
  const { window, workspace } = vscode;
  const decoration = store.add(
    window.createTextEditorDecorationType({
      after: { color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 3em' },
    }),
  );
  const show = (): void => {
    for (const editor of window.visibleTextEditors) {
      const view = views.find(editor.document.uri);
      if (view === undefined) continue;
      const settings = workspace.getConfiguration('diffEditor', editor.document);
      const lines = settings.get('codeLens') === true ? [] : notedLines(view, editor.document);
      editor.setDecorations(decoration, lines);
    }
  };
  store.add(views.onDidChange(show));
  store.add(window.onDidChangeVisibleTextEditors(show));
  store.add(
    workspace.onDidChangeConfiguration((change) => {
      const isConcerned = ['diffEditor.codeLens', 'comments.visible'].some((each) =>
        change.affectsConfiguration(each),
      );
      if (isConcerned) show();
    }),
  );
  return store;
}

function notedLines(view: ReviewView, document: vscode.TextDocument): vscode.DecorationOptions[] {
  const words = new Map<number, string[]>();
  const note = (line: number, text: string): void => {
    const at = Math.min(line, document.lineCount - 1);
    words.set(at, [...(words.get(at) ?? []), text]);
  };
  for (const each of notesInDiff(view)) note(0, each);
  const dropped = hunkChoices(view.review).filter(({ isKept }) => !isKept);
  for (const { line } of dropped) note(line, vscode.l10n.t('A change was dropped here'));
  return [...words].map(([line, texts]) => {
    const { end } = document.lineAt(line).range;
    const contentText = texts.join(' · ');
    return { range: new vscode.Range(end, end), renderOptions: { after: { contentText } } };
  });
}
