import { writingOf } from '@tandem/companion/agents';
import { encodingNotes } from '@tandem/companion/files';
import { visibleName } from '@tandem/core';
import { concernTitle, notesOn as notesOfDesk, type ReviewNote } from '@tandem/reviews';
import type { ReviewFacts } from '@tandem/rpc';
import * as vscode from 'vscode';
import type { ReviewView } from './reviewView.js';
import { editedLineCount } from './userHunks.js';

/** In a few words, and in sentences. */
export type Warning = Pick<ReviewNote, 'title' | 'text'>;

/** The warnings about a review. */
export function warningsOn(view: ReviewView): ReviewNote[] {
  return allNotes(view).filter(({ isWarning }) => isWarning);
}

/** The warnings about a review apart from the pending ones. */
export function warningsApart({ concerns }: ReviewFacts): Warning[] {
  return concerns.map(({ kind, text }) => ({ title: concernTitle(kind), text: visibleName(text) }));
}

/** The notes for the text of the diff. Its threads show the warnings, unless the user has switched comments off. */
export function notesInDiff(view: ReviewView): string[] {
  const isThreaded = vscode.workspace.getConfiguration('comments').get('visible') !== false;
  return [...(isThreaded ? [] : warningsOn(view).map(({ title }) => title)), ...notesOn(view)];
}

/** The other notes, and what the user changed, in a few words each. */
export function notesOn(view: ReviewView): string[] {
  const { review } = view;
  const { t } = vscode.l10n;
  const own: string[] = [];
  const edited = editedLineCount(review);
  if (edited > 0)
    own.push(
      edited === 1 ? t('1 line differs from the proposal') : t('{0} lines differ from the proposal', edited),
    );
  const { commentCount } = review;
  if (commentCount > 0) own.push(commentCount === 1 ? t('1 comment') : t('{0} comments', commentCount));
  const hunks = review.hasDroppedHunks ? review.keptHunks : [];
  const kept = hunks.filter((isKept) => isKept).length;
  if (kept < hunks.length) own.push(t('{0} of {1} changes kept', kept, hunks.length));
  const others = allNotes(view).filter(({ kind, isWarning }) => !isWarning && kind !== 'new-file');
  return [...own, ...others.map(({ title }) => title)];
}

function allNotes({ review, file, fileInWindow, notKept }: ReviewView): ReviewNote[] {
  return notesOfDesk(review, {
    writing: writingOf(review.proposal.agent),
    encoding: encodingNotes,
    notKept,
    relation: file.relation,
    isUnsaved: fileInWindow.isDirty,
  }).map(visible);
}

/** Notes can name paths and quote other programs. */
function visible(note: ReviewNote): ReviewNote {
  return { ...note, text: visibleName(note.text) };
}
