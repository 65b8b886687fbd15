import {
  type Disposable,
  describeExactDifferences,
  Emitter,
  type Logger,
  logListenerError,
  type Review,
} from '@tandem/core';
import * as vscode from 'vscode';
import { reviewScheme } from './reviewUri.js';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

/** Above the proposal what there is to know and to decide, and above each of its hunks whether it stays. */
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
    const at = (line: number, title: string, command = '', ...values: unknown[]): vscode.CodeLens => {
      const place = Math.max(0, Math.min(line, lineCount - 1));
      return new vscode.CodeLens(new vscode.Range(place, 0, place, 0), {
        title,
        command,
        arguments: values,
      });
    };
    const { t } = vscode.l10n;
    const { review, key } = view;
    const lenses = [
      at(0, `$(check) ${t('Accept')}`, 'tandem.acceptReview', key),
      at(0, `$(close) ${t('Reject')}`, 'tandem.rejectReview', key),
      ...notesOn(view).map((note) => at(0, note)),
    ];
    // Dropping all there is would be a rejection by another name.
    if (review.hunks.length < 2 && review.keptHunks[0] !== false) return lenses;
    const lines = review.hunkLines;
    for (const [index, isKept] of review.keptHunks.entries()) {
      const line = lines[index] ?? 0;
      lenses.push(
        isKept
          ? at(line, `$(discard) ${t('Drop This Change')}`, 'tandem.dropHunk', key, index)
          : at(line, `$(add) ${t('Keep Dropped Change')}`, 'tandem.keepHunk', key, index),
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

/** What no line of the diff shows, in words. */
function notesOn({ review, file }: ReviewView): string[] {
  const { t } = vscode.l10n;
  const notes: string[] = [];
  const kept = review.keptHunks.filter((isKept) => isKept).length;
  const all = review.keptHunks.length;
  if (kept < all) notes.push(t('{0} of {1} changes kept', kept, all));
  if (file.relation === 'conflict') notes.push(`$(warning) ${t('The file changed in the same lines')}`);
  if (file.relation === 'followed') notes.push(`$(info) ${t('The file changed; its change was taken in')}`);
  if (file.isDirty) notes.push(`$(warning) ${t('The file has unsaved changes')}`);
  if (review.isOutsideWorkspace) notes.push(`$(warning) ${t('Outside the workspace')}`);
  if (review.original.kind === 'binary')
    notes.push(`$(warning) ${t('Replaces a file that is not UTF-8 text')}`);
  if (review.content === '' && review.original.kind === 'text')
    notes.push(`$(warning) ${t('Empties the file')}`);
  return [...notes, ...exactNotesOn(review)];
}

function exactNotesOn({ original, proposal }: Review): string[] {
  if (original.kind !== 'text') return [];
  const { t } = vscode.l10n;
  const notes: string[] = [];
  const { bom, lineEnds, finalNewline } = describeExactDifferences(original.text, proposal.content);
  if (bom === 'added') notes.push(t('Adds a byte order mark'));
  if (bom === 'removed') notes.push(t('Removes the byte order mark'));
  if (lineEnds !== undefined && !proposal.restoresLineEnds) {
    notes.push(t('Line ends: {0} to {1}', lineEnds.from.toUpperCase(), lineEnds.to.toUpperCase()));
  }
  if (finalNewline === 'added') notes.push(t('Adds the newline at the end'));
  if (finalNewline === 'removed') notes.push(t('Removes the newline at the end'));
  return notes;
}
