import { writingOf } from '@tandem/companion/agents';
import { encodingNote, textLosses } from '@tandem/companion/files';
import {
  concernsOf,
  concernTitle,
  describeWritten,
  type FileContent,
  hasConflictMarkers,
  type LineEndKind,
  type Review,
} from '@tandem/core';
import * as vscode from 'vscode';
import type { ReviewView } from './reviewView.js';
import { editedLineCount } from './userEdits.js';

/** Notes on what the diff does not show. */
export function notesOn({ review, file, fileInWindow, notKept }: ReviewView): string[] {
  const { t } = vscode.l10n;
  const notes: string[] = [];
  // First: the editor cuts a long note at its edge.
  for (const { kind } of concernsOf(review)) notes.push(`$(warning)\u00a0${concernTitle(kind)}`);
  const hunks = review.hasDroppedHunks ? review.keptHunks : [];
  const kept = hunks.filter((isKept) => isKept).length;
  const all = hunks.length;
  if (notKept !== undefined) {
    const words = review.isEdited
      ? t('Not saved: a crash would lose your edits ({0})', notKept)
      : t('Not saved: a crash would lose this review ({0})', notKept);
    notes.push(`$(warning)\u00a0${words}`);
  }
  if (review.proposal.writesOwnText) {
    const words = t('The agent writes its own text; your edits are kept, and can be applied afterwards');
    notes.push(`$(info)\u00a0${words}`);
  }
  const edited = editedLineCount(review);
  if (edited > 0)
    notes.push(
      edited === 1 ? t('1 line differs from the proposal') : t('{0} lines differ from the proposal', edited),
    );
  const { commentCount } = review;
  if (commentCount > 0) notes.push(commentCount === 1 ? t('1 comment') : t('{0} comments', commentCount));
  if (kept < all) notes.push(t('{0} of {1} changes kept', kept, all));
  if (file.relation === 'deleted') notes.push(`$(warning)\u00a0${t('The file was deleted')}`);
  if (file.relation === 'conflict')
    notes.push(`$(warning)\u00a0${t('The file changed on lines that the proposal also changes')}`);
  if (hasConflictMarkers(review)) notes.push(`$(warning)\u00a0${t('Contains conflict markers')}`);
  if (file.relation === 'merged')
    notes.push(`$(info)\u00a0${t('The file changed; its changes were merged')}`);
  if (fileInWindow.isDirty) notes.push(`$(warning)\u00a0${t('The file has unsaved changes')}`);
  if (review.content === '' && review.original.kind === 'text')
    notes.push(`$(warning)\u00a0${t('Empties the file')}`);
  const writing = writingOf(review.proposal.agent);
  for (const loss of textLosses(review, writing)) notes.push(`$(warning)\u00a0${loss}`);
  return [...notes, ...encodingNote(review, writing), ...exactNotesOf(review)];
}

/** The same without icons. */
export function notesInWords(view: ReviewView): string[] {
  return notesOn(view).map((note) => note.replace(/^\$\([a-z-]+\)\s/, ''));
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
