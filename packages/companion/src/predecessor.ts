import { describeError } from '@tandem/core';
import type { AgentSession } from '@tandem/protocols';
import { createListener, ListenError, type ListenerOptions, type LoopbackListener } from '@tandem/transport';
import type { InterruptedReviews } from './interruptedReviews.js';
import type { SavedCompanion } from './savedCompanion.js';
import { isEdited } from './savedReview.js';

/**
 * Listens on the port of the companion before, or on another one when somebody has it. Then nobody can be taken over,
 * and `before` is missing from the answer. The caller closes the listener.
 */
export async function listenAfter(
  left: SavedCompanion | undefined,
  options: ListenerOptions,
): Promise<{ readonly listener: LoopbackListener; readonly before?: SavedCompanion }> {
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
export function offerReviewsOf(left: SavedCompanion, interrupted: InterruptedReviews): void {
  interrupted.add(left.interrupted);
  interrupted.add(left.reviews, true);
  interrupted.addRejected(left.rejected ?? []);
}

/**
 * After an end in order, agents were told of it and have gone on without us, but for those whose sessions go on here:
 * what nobody has edited is theirs to propose again.
 */
export function forgetUntouchedOf(
  { reviews }: SavedCompanion,
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
