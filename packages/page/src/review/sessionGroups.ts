import type { ReviewSummary } from '@tandem/rpc';
import { create } from 'zustand';
import type { PageSessionSummary } from '../wire/index.js';

/** The pending reviews of one session, the oldest first. */
export interface SessionGroup {
  readonly id: string;
  readonly agent: string;
  readonly agentName: string;
  /** The agent's title of its conversation, if it has one. */
  readonly title: string;
  readonly pending: readonly ReviewSummary[];
}

/** The sessions with pending reviews, in the order of their first one. */
export function groupBySession(
  reviews: readonly ReviewSummary[],
  sessions: readonly PageSessionSummary[],
): readonly SessionGroup[] {
  const pending = new Map<string, ReviewSummary[]>(sessions.map(({ id }) => [id, []]));
  for (const review of reviews) {
    if (review.state !== 'pending') continue;
    const own = pending.get(review.session);
    if (own === undefined) pending.set(review.session, [review]);
    else own.push(review);
  }
  const titles = new Map(sessions.map(({ id, title }) => [id, title]));
  return [...pending].flatMap(([id, own]) => {
    const [first] = own;
    if (first === undefined) return [];
    const { agent, agentName } = first;
    return { id, agent, agentName, title: titles.get(id) ?? '', pending: own };
  });
}

/** All reviews as the queue shows them: the pending ones by session, then the others. */
export function inQueueOrder(
  reviews: readonly ReviewSummary[],
  sessions: readonly PageSessionSummary[],
): readonly ReviewSummary[] {
  return [
    ...groupBySession(reviews, sessions).flatMap(({ pending }) => pending),
    ...reviews.filter(({ state }) => state !== 'pending'),
  ];
}

/** Where a pending review is among those of its session, from 1. */
export function placeInSession(
  reviews: readonly ReviewSummary[],
  { id, session }: Pick<ReviewSummary, 'id' | 'session'>,
): { readonly place: number; readonly count: number } {
  const own = reviews.filter((review) => review.state === 'pending' && review.session === session);
  return { place: own.findIndex((review) => review.id === id) + 1, count: own.length };
}

/**
 * The pending review to open after a decision: the next one of its session, otherwise the next one in the queue, around its
 * end. `queue` is the list before the decision, in the order of the queue; `reviews` is the list after it.
 */
export function nextPending(
  decidedId: string,
  queue: readonly ReviewSummary[],
  reviews: readonly ReviewSummary[],
): ReviewSummary | undefined {
  const at = queue.findIndex(({ id }) => id === decidedId);
  const around = [...queue.slice(at + 1), ...queue.slice(0, Math.max(0, at))];
  const order = new Map(around.map(({ id }, index) => [id, index]));
  const placeOf = ({ id }: ReviewSummary): number => order.get(id) ?? around.length;
  const left = reviews
    .filter(({ state }) => state === 'pending')
    .sort((one, other) => placeOf(one) - placeOf(other));
  return left.find(({ session }) => session === queue[at]?.session) ?? left[0];
}

interface SessionViews {
  /** Sessions whose reviews are hidden in the queue. */
  readonly collapsed: ReadonlySet<string>;
  /** Sessions whose new reviews open by themselves. */
  readonly followed: ReadonlySet<string>;
}

/** What the user chose for each session, until the page is closed. */
export const sessionViews = create<SessionViews>()(() => ({ collapsed: new Set(), followed: new Set() }));

/** Turns an option of a session over. */
export function toggleSession(option: keyof SessionViews, session: string): void {
  sessionViews.setState((views) => {
    const next = new Set(views[option]);
    if (!next.delete(session)) next.add(session);
    return { [option]: next };
  });
}
