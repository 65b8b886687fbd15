import { visibleName } from '@tandem/core';
import type { PageReview } from '../wire/index.js';

/** What a person reads when a review arrives. */
export function describeArrival(fresh: readonly PageReview[]): string {
  const latest = fresh.at(-1);
  if (latest === undefined) return '';
  const label = visibleName(latest.label);
  const agent = visibleName(latest.agentName);
  if (fresh.length > 1) return `${fresh.length} new proposals, the latest from ${agent}: ${label}`;
  return latest.isNewFile
    ? `${agent} proposes a new file: ${label}`
    : `${agent} proposes a change to ${label}`;
}

/** What a person reads when the next review takes the place of one that they decided. */
export function describeAdvance(
  { label, state }: Pick<PageReview, 'label' | 'state'>,
  next: Pick<PageReview, 'label'>,
): string {
  const done = state === 'rejected' ? 'Rejected' : 'Accepted';
  return `${done} ${visibleName(label)}. Next: ${visibleName(next.label)}.`;
}

/**
 * The pending review to open after a decision: the next one below it in the queue as it was, or the first one left. `queue`
 * is the list of reviews before the decision, `reviews` the list after it.
 */
export function nextPending(
  decidedId: string,
  queue: readonly PageReview[],
  reviews: readonly PageReview[],
): PageReview | undefined {
  const pending = reviews.filter(({ state }) => state === 'pending');
  const at = queue.findIndex(({ id }) => id === decidedId);
  const below = queue.slice(at + 1).find(({ id }) => pending.some((review) => review.id === id));
  return pending.find(({ id }) => id === below?.id) ?? pending[0];
}

/** The next waiting review after one, around the ends; the oldest when that one is not among those that wait. */
export function neighbourReview(
  reviews: readonly PageReview[],
  id: string | undefined,
  step: 1 | -1,
): PageReview | undefined {
  const waiting = reviews.filter((review) => review.state === 'pending' || review.id === id);
  const pending = waiting.filter((review) => review.state === 'pending');
  const at = waiting.findIndex((review) => review.id === id);
  if (at < 0) return step === 1 ? pending[0] : pending.at(-1);
  for (let distance = 1; distance < waiting.length; distance += 1) {
    const candidate = waiting.at((at + step * distance + waiting.length * distance) % waiting.length);
    if (candidate?.state === 'pending') return candidate;
  }
  return undefined;
}
