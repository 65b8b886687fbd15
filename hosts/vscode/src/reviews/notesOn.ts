import type { InterruptedReview } from '@tandem/companion';
import { writingOf } from '@tandem/companion/agents';
import { encodingNote, textLosses } from '@tandem/companion/files';
import {
  type Concern,
  concernSince,
  concernsOf,
  concernTitle,
  describeWritten,
  type FileContent,
  hasConflictMarkers,
  type LineEndKind,
  type Review,
  visibleName,
} from '@tandem/core';
import * as vscode from 'vscode';
import type { ReviewView } from './reviewView.js';
import { editedLineCount } from './userHunks.js';

/** What the user has to know before accepting. */
export interface Warning {
  /** A few words, for a list. */
  readonly title: string;
  /** One or two sentences. They can name paths and quote other programs: show them as text. */
  readonly text: string;
}

/** The warnings about a review. */
export function warningsOn({ review, file, fileInWindow, notKept }: ReviewView): Warning[] {
  const { t } = vscode.l10n;
  const { relation } = file;
  const concerns = [
    ...concernsOf(review),
    ...(fileInWindow.isDirty ? [concernSince('unsaved')] : []),
    ...(relation === 'deleted' || relation === 'conflict' ? [concernSince(relation)] : []),
    ...(hasConflictMarkers(review) ? [concernSince('markers')] : []),
  ];
  const warnings = concerns.map(warningOf);
  if (review.content === '' && review.original.kind === 'text')
    warnings.push({ title: t('Empties the file'), text: t('Nothing of the text remains if you accept.') });
  for (const text of textLosses(review, writingOf(review.proposal.agent)))
    warnings.push({ title: t('Encoding'), text: visibleName(text) });
  if (notKept !== undefined) {
    const text = review.isEdited
      ? t('A crash would lose your edits: {0}', visibleName(notKept))
      : t('A crash would lose this review: {0}', visibleName(notKept));
    warnings.push({ title: t('Not saved'), text });
  }
  return warnings;
}

/** The warnings about an interrupted review. */
export function warningsOnInterrupted(review: InterruptedReview): Warning[] {
  const concerns = concernsOf({ proposal: review, marks: review, original: review.original });
  return concerns.map(warningOf);
}

function warningOf({ kind, text }: Concern): Warning {
  return { title: concernTitle(kind), text: visibleName(text) };
}

/** The notes for the text of the diff. Its threads show the warnings, unless the user has switched comments off. */
export function notesInDiff(view: ReviewView): string[] {
  const isThreaded = vscode.workspace.getConfiguration('comments').get('visible') !== false;
  return [...(isThreaded ? [] : warningsOn(view).map(({ title }) => title)), ...notesOn(view)];
}

/** The other notes on what the diff does not show, in a few words each. */
export function notesOn({ review, file }: ReviewView): string[] {
  const { t } = vscode.l10n;
  const notes: string[] = [];
  const hunks = review.hasDroppedHunks ? review.keptHunks : [];
  const kept = hunks.filter((isKept) => isKept).length;
  const all = hunks.length;
  if (review.proposal.writesOwnText)
    notes.push(t('The agent writes its own text; your edits are kept, and can be applied afterwards'));
  const edited = editedLineCount(review);
  if (edited > 0)
    notes.push(
      edited === 1 ? t('1 line differs from the proposal') : t('{0} lines differ from the proposal', edited),
    );
  const { commentCount } = review;
  if (commentCount > 0) notes.push(commentCount === 1 ? t('1 comment') : t('{0} comments', commentCount));
  if (kept < all) notes.push(t('{0} of {1} changes kept', kept, all));
  if (file.relation === 'merged') notes.push(t('The file changed; its changes were merged'));
  const writing = writingOf(review.proposal.agent);
  return [...notes, ...encodingNote(review, writing), ...exactNotesOf(review)];
}

/** Cached, because comparing large texts takes time. Merging changes of the file replaces the original of a review. */
const exactNotes = new WeakMap<FileContent, readonly string[]>();

function exactNotesOf(review: Review): readonly string[] {
  const notes = exactNotes.get(review.original) ?? exactNotesOn(review);
  exactNotes.set(review.original, notes);
  return notes;
}

function exactNotesOn({ original, proposed, proposal }: Review): string[] {
  if (original.kind !== 'text') return [];
  const { t } = vscode.l10n;
  const notes: string[] = [];
  const written = describeWritten(proposed, original, writingOf(proposal.agent));
  const { bom, lineEnds, overwritten, finalNewline } = written;
  if (bom === 'added') notes.push(t('Adds a byte order mark'));
  if (bom === 'removed') notes.push(t('Removes the byte order mark'));
  if (lineEnds !== undefined) {
    notes.push(t('Line endings: {0} to {1}', nameOf(lineEnds.from), nameOf(lineEnds.to)));
  }
  if (overwritten !== undefined) {
    notes.push(t('Line endings: {0} if the agent overwrites the whole file', nameOf(overwritten)));
  }
  if (finalNewline === 'added') notes.push(t('Adds the newline at the end'));
  if (finalNewline === 'removed') notes.push(t('Removes the newline at the end'));
  return notes;
}

function nameOf(ends: LineEndKind): string {
  return ends === 'mixed' ? vscode.l10n.t('mixed') : ends.toUpperCase();
}
