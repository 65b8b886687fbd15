import { visibleName } from '@tandem/core';
import { askBeforeWriting } from '@tandem/reviews';
import type { ReviewSummary } from '@tandem/rpc';
import type { Notice } from '../app/notices.js';
import type { ShellParts } from '../app/shellState.js';
import { askAsNeeded } from './askAsNeeded.js';

/** The key of the notice about the last decision. */
export const decidedKey = 'decided-review';

/** The button that undoes an acceptance, or writes the text of a rejected review; absent if neither is possible. */
export function undoAction(shell: ShellParts, review: ReviewSummary): Notice['action'] {
  if (review.state === 'accepted') return undoAccepted(shell, [review.id]);
  // To write its empty text would not delete the file.
  const canWrite = !review.isBinary && !review.notes.some(({ kind }) => kind === 'removed');
  return review.state === 'rejected' && canWrite
    ? { label: 'Undo', run: () => void writeRejected(shell, review) }
    : undefined;
}

/** The button that restores the files of accepted reviews. */
export function undoAccepted(shell: ShellParts, ids: readonly string[]): NonNullable<Notice['action']> {
  return { label: 'Undo', run: () => void restore(shell, ids) };
}

async function restore(shell: ShellParts, ids: readonly string[]): Promise<void> {
  const { undo } = await import('../changes/undoChanges.js');
  await undo(shell, { selection: { ids: [...ids] }, verb: 'Undo' });
}

async function writeRejected(shell: ShellParts, review: ReviewSummary): Promise<void> {
  const { id, label } = review;
  const { host } = shell.services;
  try {
    if ((await shell.choose(askBeforeWriting(review))) === undefined) return;
    const { text } = await host.request('review.open', { id });
    const saved = await askAsNeeded(shell, (answer) =>
      host.request('review.save', { id, content: text.content, ...answer }),
    );
    if (saved !== undefined) shell.notices.good(`${visibleName(label)} has the text of the proposal.`);
  } catch (error) {
    shell.notices.failure(`${visibleName(label)} is not written`, error);
  }
}
