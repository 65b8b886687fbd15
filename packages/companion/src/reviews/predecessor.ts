import type { AgentSession } from '@tandem/agents';
import { describeError } from '@tandem/core';
import { createListener, ListenError, type ListenerOptions, type LoopbackListener } from '@tandem/mcp';
import {
  hasUsersText,
  isInvalidated,
  isUsersWork,
  type Proposal,
  type ReviewStates,
  type SavedReview,
} from '@tandem/reviews';
import type { JournalContents } from '../journal/journalContents.js';

/**
 * Listens on the port of the previous companion, or on another port if that one is taken. Then nothing can be taken
 * over, and the result has no `before`. The caller closes the listener.
 */
export async function listenAfter(
  left: JournalContents | undefined,
  options: ListenerOptions,
): Promise<{ readonly listener: LoopbackListener; readonly before?: JournalContents }> {
  if (left === undefined) return { listener: await createListener(options) };
  try {
    return { listener: await createListener({ ...options, port: left.port }), before: left };
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    options.logger?.info('the port of the previous companion is in use', { error: describeError(error) });
    return { listener: await createListener(options) };
  }
}

/** Offers pending reviews as interrupted: no agent expects an answer until it makes the same proposal again. */
export function offerReviewsOf(left: JournalContents, interrupted: ReviewStates): void {
  const { reviews, rejected = [] } = left;
  // The companion may have ended after it stored a decision and before it removed what the decision superseded.
  const isOver = (review: SavedReview): boolean =>
    review.isAccepted === true &&
    rejected.some((later) => since(later) > since(review) && isInvalidated(review, proposalOf(later)));
  interrupted.add(left.interrupted.filter((review) => !isOver(review)));
  interrupted.add(reviews, true);
  interrupted.addRejected(rejected);
}

/**
 * After a normal end, agents were notified and have continued without us, except those whose sessions continue here, and
 * hooks that wait for us (`areHeld`). Removes their untouched reviews: the agents can propose them again.
 */
export function forgetUntouchedOf(
  { reviews }: JournalContents,
  interrupted: ReviewStates,
  goingOn: readonly AgentSession[],
  { areHeld }: { readonly areHeld: boolean },
): void {
  const sessions = new Set(goingOn.map(({ id }) => id));
  const isOver = reviews.filter(
    (review) =>
      !hasUsersText(review) && !sessions.has(review.session) && (review.isHeld === true) === areHeld,
  );
  for (const { session, path } of isOver) {
    const found = interrupted.all.find((each) => each.session === session && each.path === path);
    if (found !== undefined && !isUsersWork(found)) interrupted.remove(found.id);
  }
}

function since({ interruptedAt = 0 }: SavedReview): number {
  return interruptedAt;
}

function proposalOf({ agent, session, path, proposed: content }: SavedReview): Proposal {
  return { agent, session, path, content };
}
