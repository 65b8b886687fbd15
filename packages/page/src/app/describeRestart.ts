import { visibleName } from '@tandem/core';
import type { PageState, RestartReport } from '../client/pageStore.js';

/** Whether something that a restart left is still there: a pending review, an unsaved file, an interrupted text. */
export function isRestartFelt(
  { pendingIds, restored }: RestartReport,
  now: Pick<PageState, 'reviews' | 'documents' | 'interrupted' | 'keptHere'>,
): boolean {
  return (
    now.reviews.some(({ id, state }) => state === 'pending' && pendingIds.includes(id)) ||
    now.documents.some(({ label, isDirty }) => isDirty && restored.includes(label)) ||
    now.interrupted.length + now.keptHere.length > 0
  );
}

/** What a restart of the companion did to what was open here. */
export function describeRestart({ reviews, waiting, restored, failed }: RestartReport): string {
  const sentences = ['The companion was restarted.'];
  if (waiting === 1) sentences.push('One pending review was restored as you left it.');
  if (waiting > 1) sentences.push(`${waiting} pending reviews were restored as you left them.`);
  if (reviews === 1) sentences.push('One pending review has ended. Its agent can propose it again.');
  if (reviews > 1)
    sentences.push(`${reviews} pending reviews have ended. Their agents can propose them again.`);
  if (restored.length > 0)
    sentences.push(`Your unsaved changes are still here: ${restored.map(visibleName).join(', ')}.`);
  for (const { label, message } of failed) {
    sentences.push(`${visibleName(label)} could not be reopened (${message}). Your text is under Reviews.`);
  }
  if (reviews + waiting === 0 && restored.length === 0 && failed.length === 0)
    sentences.push('Nothing was lost.');
  return sentences.join(' ');
}
