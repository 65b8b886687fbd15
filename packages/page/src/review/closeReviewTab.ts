import { visibleName } from '@tandem/core';
import { hasCode, type Question, RpcError } from '@tandem/rpc';
import { slipMs } from '../app/reviewArrivals.js';
import type { ShellParts } from '../app/shellState.js';
import { reviewTab } from '../app/tabList.js';
import { reviewTextId } from '../client/textSessions.js';
import { askAsNeeded } from './askAsNeeded.js';

/** What this needs of the frame of the page. */
type ClosingShell = Pick<
  ShellParts,
  'services' | 'tabs' | 'notices' | 'advancedAt' | 'choose' | 'closings' | 'openReview'
>;

/**
 * The user closes the tab of a review: does what the host says, which may ask first. Resolves to whether the tab may be
 * closed.
 */
export async function closeReviewTab(shell: ClosingShell, id: string): Promise<boolean> {
  const { host, store, texts } = shell.services;
  const review = store.getState().reviews.find((each) => each.id === id);
  if (review?.state !== 'pending') return true;
  // The page has just activated it: the key was meant for the last review.
  if (shell.tabs.active?.id === id && performance.now() - shell.advancedAt < slipMs) return false;
  try {
    // Includes the last input.
    await texts.get(reviewTextId(id))?.settle();
    const { note, undoMs } = await host.request('review.close', { id, canUndo: true });
    if (note === undefined) return true;
    const reopen = (): void => shell.openReview(id, { takesFocus: true });
    if (undoMs === undefined) shell.notices.info(note);
    else shell.closings.begin(id, { note, ms: undoMs, reopen });
    return true;
  } catch (error) {
    if (hasCode(error, 'already-decided')) return true;
    if (!(error instanceof RpcError) || error.question === undefined) return fail(error);
    return askBefore(error.question).catch(fail);
  }

  async function askBefore(question: Question): Promise<boolean> {
    // The user sees what the question is about.
    shell.tabs.activate(reviewTab(id).key);
    // What the user sees now is what they accept: the question covers what another page types into it.
    const version = await (await texts.open(reviewTextId(id))).settle();
    const choice = await shell.choose(question);
    if (choice?.kind === 'reject') await host.request('review.reject', { id });
    if (choice?.kind !== 'accept') return choice !== undefined;
    const accepted = await askAsNeeded(shell, (answer) =>
      host.request('review.accept', { id, version, ...answer }),
    );
    return accepted?.state === 'accepted';
  }

  function fail(error: unknown): boolean {
    if (hasCode(error, 'already-decided')) return true;
    shell.notices.failure(`The review of ${visibleName(review?.label ?? '')} stays open`, error);
    return false;
  }
}
