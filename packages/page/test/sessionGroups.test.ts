import type { ReviewSummary } from '@tandem/rpc';
import { describe, expect, it } from 'vitest';
import { groupBySession, inQueueOrder, nextPending, placeInSession } from '../src/review/sessionGroups.js';
import type { PageSessionSummary } from '../src/wire/index.js';
import { pageReview } from './support/pageReview.js';

const review = (id: string, more: Partial<ReviewSummary> = {}) =>
  pageReview({ id, path: `/w/${id}.ts`, label: `${id}.ts`, ...more });
const session = (id: string, label: string, title?: string): PageSessionSummary => ({
  id,
  label,
  title,
  agent: 'gemini',
  agentName: 'Gemini CLI',
  firstPath: `/w/${label}`,
  firstOpenedAt: 0,
  lastActiveAt: 0,
  isConnected: true,
  pending: [],
  decided: 0,
  files: 0,
});

describe('the queue', () => {
  const reviews = [
    review('a', { session: 'later' }),
    review('b', { session: 'first' }),
    review('c', { session: 'new' }),
    review('d', { session: 'first' }),
    review('e', { session: 'first', state: 'accepted' }),
  ];
  const sessions = [
    session('first', 'earlier.ts', 'Fix the build'),
    session('over', 'x.ts'),
    session('later', 'a.ts'),
  ];

  it('groups pending reviews by session, in the order of the sessions', () => {
    const groups = groupBySession(reviews, sessions);
    expect(groups.map(({ id, title, pending }) => [id, title, pending.map((each) => each.id)])).toEqual([
      ['first', 'Fix the build', ['b', 'd']],
      ['later', '', ['a']],
      ['new', '', ['c']],
    ]);
    expect(inQueueOrder(reviews, sessions).map(({ id }) => id)).toEqual(['b', 'd', 'a', 'c', 'e']);
  });

  it('knows the place of a review among the pending ones of its session', () => {
    expect(placeInSession(reviews, { id: 'd', session: 'first' })).toEqual({ place: 2, count: 2 });
    expect(placeInSession(reviews, { id: 'e', session: 'first' })).toEqual({ place: 0, count: 2 });
  });
});

describe('nextPending', () => {
  const queue = [review('a'), review('b'), review('c')];
  const after = (decided: string) => [
    ...queue.filter(({ id }) => id !== decided),
    review(decided, { state: 'accepted' }),
  ];

  it('is the next review in the queue, and not the oldest', () => {
    expect(nextPending('b', queue, after('b'))?.id).toBe('c');
  });

  it('is the first one left after the last one in the queue', () => {
    expect(nextPending('c', queue, after('c'))?.id).toBe('a');
  });

  it('is of the same session, if that has one', () => {
    const two = [review('a'), review('b', { session: 't' }), review('c'), review('d', { session: 't' })];
    const left = (decided: string) => two.filter(({ id }) => id !== decided);
    expect(nextPending('a', two, left('a'))?.id).toBe('c');
    expect(nextPending('c', two, left('c'))?.id).toBe('a');
    expect(nextPending('d', two, left('d'))?.id).toBe('b');
    const fresh = review('e');
    expect(nextPending('a', two.slice(0, 2), [...two.slice(1, 2), fresh])?.id).toBe('e');
    expect(nextPending('b', two.slice(0, 2), [fresh])?.id).toBe('e');
  });

  it('passes over a review that ended at the same time', () => {
    const reviews = [review('c'), review('a', { state: 'accepted' }), review('b', { state: 'withdrawn' })];
    expect(nextPending('a', queue, reviews)?.id).toBe('c');
    expect(nextPending('a', queue, [])).toBeUndefined();
  });
});
