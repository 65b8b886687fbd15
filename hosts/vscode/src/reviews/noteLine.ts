import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import { hunkChoices } from './hunkAtLine.js';
import { notesInWords } from './notesOn.js';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

/**
 * Shows the notes on a review behind the first line of its proposal, and where a change was dropped, unless code lenses
 * show it: the setting for code lenses applies to all diffs, and is off by default.
 */
export class NoteLine implements Disposable {
  readonly #views: ReviewViews;
  readonly #owned = new DisposableStore();
  readonly #decoration: vscode.TextEditorDecorationType;

  constructor(views: ReviewViews) {
    this.#views = views;
    this.#decoration = this.#owned.add(
      vscode.window.createTextEditorDecorationType({
        after: { color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 3em' },
      }),
    );
    const show = (): void => this.#show();
    this.#owned.add(views.onDidChange(show));
    this.#owned.add(vscode.window.onDidChangeVisibleTextEditors(show));
    this.#owned.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('diffEditor.codeLens')) show();
      }),
    );
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #show(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const view = this.#views.find(editor.document.uri);
      if (view === undefined) continue;
      const settings = vscode.workspace.getConfiguration('diffEditor', editor.document);
      const lines = settings.get('codeLens') === true ? [] : notedLines(view, editor.document);
      editor.setDecorations(this.#decoration, lines);
    }
  }
}

function notedLines(view: ReviewView, document: vscode.TextDocument): vscode.DecorationOptions[] {
  const words = new Map<number, string[]>();
  const note = (line: number, text: string): void => {
    const at = Math.min(line, document.lineCount - 1);
    words.set(at, [...(words.get(at) ?? []), text]);
  };
  for (const each of notesInWords(view)) note(0, each);
  const dropped = hunkChoices(view.review).filter(({ isKept }) => !isKept);
  for (const { line } of dropped) note(line, vscode.l10n.t('A change was dropped here'));
  return [...words].map(([line, texts]) => {
    const { end } = document.lineAt(line).range;
    const contentText = texts.join(' · ');
    return { range: new vscode.Range(end, end), renderOptions: { after: { contentText } } };
  });
}
