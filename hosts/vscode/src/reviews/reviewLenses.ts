import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import { hunkChoices } from './hunkAtLine.js';
import { notesInDiff } from './notesOn.js';
import { reviewScheme } from './reviewTab.js';
import type { ReviewViews } from './reviewViews.js';

/**
 * Code lenses with notes and decisions above the proposal and above each hunk, for users who have enabled
 * `diffEditor.codeLens`.
 */
export function registerReviewLenses(views: ReviewViews): Disposable {
  const store = new DisposableStore();
  const didChange = store.add(new vscode.EventEmitter<void>());
  store.add(views.onDidChange(() => didChange.fire()));
  const onDidChangeCodeLenses = didChange.event;
  const provideCodeLenses = (document: vscode.TextDocument): vscode.CodeLens[] => lensesOf(views, document);
  store.add(
    vscode.languages.registerCodeLensProvider(
      { scheme: reviewScheme },
      { onDidChangeCodeLenses, provideCodeLenses },
    ),
  );
  return store;
}

function lensesOf(views: ReviewViews, { uri, lineCount }: vscode.TextDocument): vscode.CodeLens[] {
  const view = views.find(uri);
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
    ...notesInDiff(view).map((note) => lens(0, note)),
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
