import { visibleName } from '@tandem/core';
import { hasCode } from '@tandem/rpc';
import { slipMs } from '../app/reviewArrivals.js';
import type { ShellParts } from '../app/shellState.js';
import { reviewTab } from '../app/tabList.js';
import { reviewTextId } from '../client/textSessions.js';
import type { PageReview } from '../wire/index.js';
import { type Ask, acceptReview } from './acceptReview.js';

/** What this needs of the frame of the page. */
type ClosingShell = Pick<
  ShellParts,
  'services' | 'tabs' | 'notices' | 'advancedAt' | 'askAboutReview' | 'askFirst'
>;

/**
 * Decides what happens to a review whose tab the user closes. For the agents' specifications that is a rejection, but an
 * edited text is not rejected by a wrong click. Resolves to whether the tab may be closed.
 */
export async function closeReviewTab(shell: ClosingShell, id: string): Promise<boolean> {
  const { host, store, texts } = shell.services;
  const { reviews, host: known } = store.getState();
  const review = reviews.find((each) => each.id === id);
  if (review?.state !== 'pending' || known?.whenClosed === 'keep') return true;
  // The page has just activated it: the key was meant for the last review.
  if (shell.tabs.active?.id === id && performance.now() - shell.advancedAt < slipMs) return false;
  const label = visibleName(review.label);
  try {
    // Includes the last input.
    await texts.get(reviewTextId(id))?.settle();
    const isRejecting = known?.whenClosed === 'reject';
    if (isRejecting && (await rejectUnlessEdited(shell, review))) return true;
    // The user sees what the question is about.
    shell.tabs.activate(reviewTab(id).key);
    // What the user sees now is what they accept: the question covers what another page types into it.
    const version = await (await texts.open(reviewTextId(id))).settle();
    const shown = store.getState().reviews.find((each) => each.id === id) ?? review;
    // The host knows of typed text earlier than the page.
    const choice = await shell.askAboutReview({ ...shown, isEdited: isRejecting || shown.isEdited });
    if (choice === 'reject') await host.request('review.reject', { id });
    if (choice === 'accept') {
      const ask: Ask = (question) => shell.askFirst(question);
      return (await acceptReview(host, ask, { id, version })) === 'accepted';
    }
    return choice !== 'cancel';
  } catch (error) {
    if (hasCode(error, 'already-decided')) return true;
    shell.notices.failure(`The review of ${label} stays open`, error);
    return false;
  }
}

/** Rejects the review. Resolves to false if it was edited. */
async function rejectUnlessEdited({ services, notices }: ClosingShell, review: PageReview): Promise<boolean> {
  try {
    await services.host.request('review.reject', { id: review.id, unlessEdited: true });
  } catch (error) {
    if (hasCode(error, 'unsaved')) return false;
    throw error;
  }
  notices.info(
    `Closing the tab rejected the proposal by ${visibleName(review.agentName)} for ${visibleName(review.label)}.`,
  );
  return true;
}
