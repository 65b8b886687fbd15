import type { AgentSession } from '@tandem/agents';
import { describeError, type Proposal } from '@tandem/core';
import { createListener, ListenError, type ListenerOptions, type LoopbackListener } from '@tandem/mcp';
import { type InterruptedReviews, isSuperseded } from './interruptedReviews.js';
import type { JournalContents } from './journal/journalContents.js';
import { isEdited, type SavedReview } from './savedReview.js';

/**
 * Listens on the port of the companion before, or on another one when somebody has it. Then nobody can be taken over,
 * and `before` is missing from the answer. The caller closes the listener.
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
    options.logger?.info('the port of the companion before is taken', { error: describeError(error) });
    return { listener: await createListener(options) };
  }
}

/** Until an agent proposes the same again, nobody waits for what was pending. */
export function offerReviewsOf(left: JournalContents, interrupted: InterruptedReviews): void {
  const { reviews, rejected = [] } = left;
  // The end may have come between the note of a decision and the removal of what it superseded.
  const isOver = (review: SavedReview): boolean =>
    review.isAccepted === true &&
    rejected.some((later) => since(later) > since(review) && isSuperseded(review, proposalOf(later)));
  interrupted.add(left.interrupted.filter((review) => !isOver(review)));
  interrupted.add(reviews, true);
  interrupted.addRejected(rejected);
}

/**
 * After an end in order, agents were told of it and have gone on without us, but for those whose sessions go on here:
 * what nobody has edited is theirs to propose again.
 */
export function forgetUntouchedOf(
  { reviews }: JournalContents,
  interrupted: InterruptedReviews,
  goingOn: readonly AgentSession[],
): void {
  const sessions = new Set(goingOn.map(({ id }) => id));
  const isOver = reviews.filter((review) => !isEdited(review) && !sessions.has(review.session));
  for (const { session, path } of isOver) {
    const found = interrupted.all.find((each) => each.session === session && each.path === path);
    if (found !== undefined && !isEdited(found)) interrupted.remove(found.id);
  }
}

function since({ interruptedAt = 0 }: SavedReview): number {
  return interruptedAt;
}

function proposalOf({ agent, session, path, proposed: content }: SavedReview): Proposal {
  return { agent, session, path, content };
}
