import type { Disposable } from '@tandem/core';
import { type Outcome, onceDecided, ProposalError } from '@tandem/reviews';
import { describe, expect, it } from 'vitest';
import { settle } from '../../../../test/settle.js';
import { showLimitMs } from '../../src/record/reviews.js';
import { makeHeldReads, proposal, setUpReviews } from '../support/reviewsFixture.js';

describe('a session that ends', () => {
  it('withdraws only its own proposals, and keeps the edits', async () => {
    const { reviews, user, events } = setUpReviews();
    const mine = await reviews.propose(proposal);
    const other = await reviews.propose({ ...proposal, session: 's2' });
    user.edit(mine, 'typed\n');
    reviews.withdrawSession('s1', 'disconnected');
    expect(mine.outcome).toEqual({ kind: 'withdrawn', reason: 'disconnected' });
    expect(reviews.ended.map(({ content }) => content)).toEqual(['typed\n']);
    expect(reviews.pending).toEqual([other]);
    expect(user.reviewsInView()).toEqual([other]);
    expect(events.at(-1)).toBe('withdrawn 1');
  });

  it('withdraws all its reviews before the oldest ended ones are forgotten, all at once', async () => {
    const { reviews } = setUpReviews();
    for (let at = 0; at < 103; at += 1) await reviews.propose({ ...proposal, path: `/ws/${at}` });
    const pendingThen: number[] = [];
    reviews.onDidForget(() => pendingThen.push(reviews.pending.length));
    reviews.withdrawSession('s1', 'disconnected');
    expect(pendingThen).toEqual([0, 0, 0]);
    expect(reviews.ended.map(({ id }) => id).slice(0, 1)).toEqual(['4']);
  });

  it('withdraws a proposal whose file is still being read', async () => {
    const { readFile, finish } = makeHeldReads();
    const { reviews, events } = setUpReviews({ readFile });
    const opening = reviews.propose(proposal);
    reviews.withdrawSession('s1', 'disconnected');
    finish(0);
    await expect(opening).rejects.toMatchObject({ withdrawn: 'disconnected' });
    expect([reviews.pending, events]).toEqual([[], []]);
  });

  it('withdraws a review that is still being shown, and closes its view', async () => {
    const { reviews, editor, user } = setUpReviews();
    let release = (): void => {};
    editor.beforeShow = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const opening = reviews.propose(proposal);
    await settle();
    reviews.withdrawSession('s1', 'disconnected');
    expect((await opening).outcome).toEqual({ kind: 'withdrawn', reason: 'disconnected' });
    release();
    await settle();
    expect(user.reviewsInView()).toEqual([]);
  });

  it.each(['disconnected', 'stopped'] as const)('(%s) can no longer propose', async (reason) => {
    const { reviews } = setUpReviews();
    reviews.withdrawSession('s1', reason);
    await expect(reviews.propose(proposal)).rejects.toMatchObject({ withdrawn: reason });
    expect((await reviews.propose({ ...proposal, session: 's2' })).state).toBe('pending');
  });

  it('can propose again after its agent withdraws all its proposals', async () => {
    const { reviews } = setUpReviews();
    const first = await reviews.propose(proposal);
    reviews.withdrawSession('s1', 'agent');
    expect(first.outcome).toEqual({ kind: 'withdrawn', reason: 'agent' });
    expect((await reviews.propose(proposal)).state).toBe('pending');
  });
});

describe('an agent that withdraws one proposal', () => {
  it('ends the review only once', async () => {
    const { reviews } = setUpReviews();
    const review = await reviews.propose(proposal);
    expect(reviews.withdraw('s2', proposal.path, 'agent')).toBeUndefined();
    expect(reviews.withdraw('s1', '/workspace/other.txt', 'agent')).toBeUndefined();
    expect(reviews.withdraw('s1', proposal.path, 'agent')).toBe(review);
    expect(reviews.withdraw('s1', proposal.path, 'agent')).toBeUndefined();
    expect(review.outcome).toEqual({ kind: 'withdrawn', reason: 'agent' });
  });

  it('ends the proposal before its file is read', async () => {
    const { readFile, finish } = makeHeldReads();
    const { reviews } = setUpReviews({ readFile });
    const opening = reviews.propose(proposal);
    expect(reviews.withdraw('s1', proposal.path, 'agent')).toBeUndefined();
    finish(0);
    await expect(opening).rejects.toMatchObject({ withdrawn: 'agent' });
    expect(reviews.pending).toEqual([]);
  });
});

describe('listeners', () => {
  it('can decide when a review opens, and no view opens', async () => {
    const shown: string[] = [];
    const { reviews } = setUpReviews({
      show: async ({ id }) => {
        shown.push(id);
        return { dispose() {} };
      },
    });
    reviews.onDidOpen((review) => review.accept());
    const review = await reviews.propose(proposal);
    expect(review.outcome).toEqual({ kind: 'accepted', content: 'b\n', isEdited: false });
    expect(shown).toEqual([]);
    expect(reviews.pending).toEqual([]);
  });

  it('all receive the opening of a review before its decision', async () => {
    const { reviews } = setUpReviews();
    const received: string[] = [];
    reviews.onDidOpen((review) => {
      review.edit('mine\n');
      review.accept();
    });
    reviews.onDidOpen(() => received.push('opened'));
    reviews.onDidDecide(() => received.push('decided'));
    reviews.onDidChange(() => received.push('changed'));
    await reviews.propose(proposal);
    expect(received).toEqual(['opened', 'changed', 'decided']);
  });

  it('can throw without effect on the others and on the review', async () => {
    const { reviews, user, events } = setUpReviews();
    reviews.onDidOpen(() => {
      throw new Error('broken listener');
    });
    const review = await reviews.propose(proposal);
    review.onDidDecide(() => {
      throw new Error('broken listener');
    });
    const answers: Outcome[] = [];
    onceDecided(review, (outcome) => answers.push(outcome));
    user.reject(review);
    expect(answers).toEqual([{ kind: 'rejected' }]);
    expect(events).toEqual(['opened 1', 'rejected 1']);
  });
});

describe('an editor that fails to show a review', () => {
  it('makes the proposal fail, and the review is withdrawn', async () => {
    const { reviews, editor, events } = setUpReviews();
    editor.beforeShow = async () => {
      throw new Error('the window is closing');
    };
    await expect(reviews.propose(proposal)).rejects.toThrow(
      new ProposalError('The editor could not show the change to /workspace/a.txt: the window is closing'),
    );
    expect(reviews.ended.map(({ outcome }) => outcome)).toEqual([{ kind: 'withdrawn', reason: 'not-shown' }]);
    expect(events).toEqual(['opened 1', 'withdrawn 1']);
  });

  it('makes the proposal fail even when it throws synchronously', async () => {
    const { reviews } = setUpReviews({
      show: () => {
        throw new Error('no window');
      },
    });
    await expect(reviews.propose(proposal)).rejects.toThrow('no window');
    expect(reviews.pending).toEqual([]);
  });

  it('does not undo a concurrent decision', async () => {
    const { reviews, editor } = setUpReviews();
    let fail = (_error: Error): void => {};
    editor.beforeShow = () =>
      new Promise((_resolve, reject) => {
        fail = reject;
      });
    const opening = reviews.propose(proposal);
    await settle();
    const [review] = reviews.pending;
    expect(review?.accept()).toBe(true);
    fail(new Error('the window is closing'));
    expect((await opening).outcome).toEqual({ kind: 'accepted', content: 'b\n', isEdited: false });
  });

  it('does not delay a concurrent decision', async () => {
    const { clock, reviews, editor } = setUpReviews();
    editor.beforeShow = () => new Promise(() => {});
    const opening = reviews.propose(proposal);
    await settle();
    reviews.pending[0]?.reject();
    expect((await opening).outcome).toEqual({ kind: 'rejected' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('times out, and a view that opens late is closed', async () => {
    const { clock, reviews, editor } = setUpReviews();
    let release = (): void => {};
    editor.beforeShow = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    let disposed = 0;
    const { show } = editor.reviews;
    editor.reviews.show = async (review): Promise<Disposable> => {
      const view = await show(review);
      return {
        dispose() {
          disposed++;
          view.dispose();
        },
      };
    };
    const opening = reviews.propose(proposal);
    await settle();
    clock.advance(showLimitMs - 1);
    expect(reviews.pending).toHaveLength(1);
    clock.advance(1);
    await expect(opening).rejects.toThrow('not shown within 20 seconds');
    expect(reviews.pending).toEqual([]);
    release();
    await settle();
    expect(disposed).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves no timer behind when it shows the review', async () => {
    const { clock, reviews } = setUpReviews();
    await reviews.propose(proposal);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('disposing', () => {
  it('withdraws pending and opening proposals, and refuses later ones', async () => {
    const { readFile, finish } = makeHeldReads();
    const { reviews, events } = setUpReviews({ readFile });
    const first = reviews.propose(proposal);
    finish(0);
    const pending = await first;
    const opening = reviews.propose({ ...proposal, session: 's2' });
    reviews.dispose();
    reviews.dispose();
    finish(1);
    await expect(opening).rejects.toMatchObject({ withdrawn: 'stopped' });
    expect(pending.outcome).toEqual({ kind: 'withdrawn', reason: 'stopped' });
    await expect(reviews.propose(proposal)).rejects.toMatchObject({ withdrawn: 'stopped' });
    expect(events).toEqual(['opened 1', 'withdrawn 1']);
  });
});

it('lists pending reviews by their numbers, in whatever order agents offer them after a restart', async () => {
  const { reviews } = setUpReviews({
    interruptedEdits: ({ path, content }) => ({ content, keptHunks: [], number: path.slice(-1) }),
  });
  for (const number of ['2', '3', '1']) await reviews.propose({ ...proposal, path: `/w/${number}` });
  expect(reviews.pending.map(({ id }) => id)).toEqual(['1', '2', '3']);
});
