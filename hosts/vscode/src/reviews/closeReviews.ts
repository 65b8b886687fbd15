import * as vscode from 'vscode';
import { choose, type Desk, type OpenDesk } from '../desk.js';
import { inform } from '../messages.js';
import type { ReviewView } from './reviewView.js';
import type { ClosedDiffs, ReviewViews } from './reviewViews.js';

type ShowAgain = () => Promise<void>;

/** The user closed diffs: does what the desk says, and reports what stays pending. */
export async function closeReviews(
  { views: closed, isSeveral }: ClosedDiffs,
  views: ReviewViews,
  openDesk: OpenDesk,
): Promise<void> {
  const desk = await openDesk();
  if (desk === undefined) return;
  const showAgain = (): Promise<void> => views.showAgain(closed);
  const notes: string[] = [];
  for (const view of closed) {
    if (!isSeveral) return closeReview(view, desk, showAgain);
    const { done } = await desk.attempt('review.close', { id: view.review.id, isSeveral });
    if (done?.note !== undefined) notes.push(done.note);
  }
  const { length } = notes;
  const several = vscode.l10n.t(
    '{0} proposals are still pending. Closing several tabs at once does not reject them.',
    length,
  );
  if (length > 0) await offer(length === 1 ? notes.join() : several, showAgain);
}

async function closeReview(view: ReviewView, desk: Desk, showAgain: ShowAgain): Promise<void> {
  const { fileName, agentName, review, text } = view;
  const { id } = review;
  const { question } = await desk.attempt('review.close', { id });
  if (question === undefined) return;
  // One question is enough.
  if (text.wasAskedAbout)
    return offer(
      vscode.l10n.t('The proposal by {1} for {0} is still pending.', fileName, agentName),
      showAgain,
    );
  const kind = (await choose(question))?.kind;
  if (kind === 'accept' || kind === 'reject') await desk.ask('review.run', { id, action: kind }, showAgain);
  const isWanted = kind === 'accept' || kind === 'show';
  if (isWanted && review.state === 'pending') await showAgain();
}

async function offer(message: string, showAgain: ShowAgain): Promise<void> {
  const show = vscode.l10n.t('Show Again');
  if ((await inform(message, show)) === show) await showAgain();
}
