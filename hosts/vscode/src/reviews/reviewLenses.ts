import { type Disposable, Emitter, type Logger, logListenerError } from '@tandem/core';
import * as vscode from 'vscode';
import { hunkChoices } from './hunkAtLine.js';
import { notesOn } from './notesOn.js';
import { reviewScheme } from './reviewTab.js';
import type { ReviewViews } from './reviewViews.js';

/**
 * Code lenses with notes and decisions above the proposal and above each hunk, for users who have enabled
 * `diffEditor.codeLens`.
 */
export class ReviewLenses implements vscode.CodeLensProvider, Disposable {
  readonly #views: ReviewViews;
  readonly #didChange: Emitter<void>;
  readonly #registration: vscode.Disposable;
  readonly #listener: Disposable;
  readonly onDidChangeCodeLenses: vscode.Event<void>;

  constructor(options: { readonly views: ReviewViews; readonly logger: Logger }) {
    this.#views = options.views;
    this.#didChange = new Emitter<void>(logListenerError(options.logger, 'the code lenses'));
    this.onDidChangeCodeLenses = (listener, thisArgument) =>
      vscode.Disposable.from(this.#didChange.event(() => listener.call(thisArgument)));
    this.#listener = this.#views.onDidChange(() => this.#didChange.fire());
    this.#registration = vscode.languages.registerCodeLensProvider({ scheme: reviewScheme }, this);
  }

  provideCodeLenses({ uri, lineCount }: vscode.TextDocument): vscode.CodeLens[] {
    const view = this.#views.find(uri);
    if (view === undefined) return [];
    const lens = (line: number, title: string, command = '', ...values: unknown[]): vscode.CodeLens => {
      const at = Math.max(0, Math.min(line, lineCount - 1));
      return new vscode.CodeLens(new vscode.Range(at, 0, at, 0), {
        title,
        command,
        arguments: values,
      });
    };
    const { t } = vscode.l10n;
    const { review, key } = view;
    // A lens does not draw an ordinary space after an icon.
    const lenses = [
      lens(0, `$(check)\u00a0${t('Accept')}`, 'tandem.acceptReview', key),
      lens(0, `$(close)\u00a0${t('Reject')}`, 'tandem.rejectReview', key),
      ...notesOn(view).map((note) => lens(0, note)),
    ];
    for (const { index, isKept, line } of hunkChoices(review)) {
      lenses.push(
        isKept
          ? lens(line, `$(discard)\u00a0${t('Drop This Change')}`, 'tandem.dropHunk', key, index)
          : lens(line, `$(add)\u00a0${t('Keep Dropped Change')}`, 'tandem.keepHunk', key, index),
      );
    }
    return lenses;
  }

  dispose(): void {
    this.#registration.dispose();
    this.#listener.dispose();
    this.#didChange.dispose();
  }
}
