import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import { notesOn } from './notesOn.js';
import type { ReviewViews } from './reviewViews.js';

/**
 * Shows behind the first line of a proposal what no line of the diff shows, for a person who has switched off the lenses
 * that say it otherwise: VS Code's setting for them is one for all diffs.
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
      const notes = settings.get('codeLens') === true ? [] : notesOn(view);
      const end = editor.document.lineAt(0).range.end;
      // Icons are for lenses alone.
      const contentText = notes.map((note) => note.replace(/^\$\([a-z-]+\)\s/, '')).join(' · ');
      const line = { range: new vscode.Range(end, end), renderOptions: { after: { contentText } } };
      editor.setDecorations(this.#decoration, notes.length === 0 ? [] : [line]);
    }
  }
}
