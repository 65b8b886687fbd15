import { type Disposable, type Outcome, onceDecided, ProposalError } from '@tandem/core';
import { describe, expect, it } from 'vitest';
import { showLimitMs } from '../src/reviews.js';
import { makeHeldReads, proposal, setUpReviews } from './reviewsFixture.js';
import { settle } from './settle.js';

describe('a session that goes away', () => {
  it('withdraws what it proposed and nothing of others, and keeps the edits', async () => {
    const { reviews, person, events } = setUpReviews();
    const mine = await reviews.propose(proposal);
    const other = await reviews.propose({ ...proposal, session: 's2' });
    person.edit(mine, 'typed\n');
    reviews.withdrawSession('s1', 'disconnected');
    expect(mine.outcome).toEqual({ kind: 'withdrawn', reason: 'disconnected' });
    expect(reviews.ended.map(({ content }) => content)).toEqual(['typed\n']);
    expect(reviews.pending).toEqual([other]);
    expect(person.reviewsInView()).toEqual([other]);
    expect(events.at(-1)).toBe('withdrawn 1');
  });

  it('withdraws what is still being read', async () => {
    const { readFile, finish } = makeHeldReads();
    const { reviews, events } = setUpReviews({ readFile });
    const opening = reviews.propose(proposal);
    reviews.withdrawSession('s1', 'disconnected');
    finish(0);
    await expect(opening).rejects.toMatchObject({ withdrawn: 'disconnected' });
    expect([reviews.pending, events]).toEqual([[], []]);
  });

  it('withdraws what is still being shown, whose view then closes', async () => {
    const { reviews, editor, person } = setUpReviews();
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
    expect(person.reviewsInView()).toEqual([]);
  });

  it.each(['disconnected', 'stopped'] as const)('(%s) can propose nothing any more', async (reason) => {
    const { reviews } = setUpReviews();
    reviews.withdrawSession('s1', reason);
    await expect(reviews.propose(proposal)).rejects.toMatchObject({ withdrawn: reason });
    expect((await reviews.propose({ ...proposal, session: 's2' })).state).toBe('pending');
  });

  it('is not meant when an agent takes all its proposals back', async () => {
    const { reviews } = setUpReviews();
    const first = await reviews.propose(proposal);
    reviews.withdrawSession('s1', 'agent');
    expect(first.outcome).toEqual({ kind: 'withdrawn', reason: 'agent' });
    expect((await reviews.propose(proposal)).state).toBe('pending');
  });
});

describe('an agent that takes one proposal back', () => {
  it('ends it, once', async () => {
    const { reviews } = setUpReviews();
    const review = await reviews.propose(proposal);
    expect(reviews.withdraw('s2', proposal.path, 'agent')).toBeUndefined();
    expect(reviews.withdraw('s1', '/workspace/other.txt', 'agent')).toBeUndefined();
    expect(reviews.withdraw('s1', proposal.path, 'agent')).toBe(review);
    expect(reviews.withdraw('s1', proposal.path, 'agent')).toBeUndefined();
    expect(review.outcome).toEqual({ kind: 'withdrawn', reason: 'agent' });
  });

  it('ends it before its file was read', async () => {
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
  it('that decide when a review opens are heard, and no view is opened', async () => {
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

  it('all hear that a review opened before they hear that it was decided', async () => {
    const { reviews } = setUpReviews();
    const heard: string[] = [];
    reviews.onDidOpen((review) => {
      review.edit('mine\n');
      review.accept();
    });
    reviews.onDidOpen(() => heard.push('opened'));
    reviews.onDidDecide(() => heard.push('decided'));
    reviews.onDidChange(() => heard.push('changed'));
    await reviews.propose(proposal);
    expect(heard).toEqual(['opened', 'changed', 'decided']);
  });

  it('that throw keep neither the others nor the review from going on', async () => {
    const { reviews, person, events } = setUpReviews();
    reviews.onDidOpen(() => {
      throw new Error('broken listener');
    });
    const review = await reviews.propose(proposal);
    review.onDidDecide(() => {
      throw new Error('broken listener');
    });
    const answers: Outcome[] = [];
    onceDecided(review, (outcome) => answers.push(outcome));
    person.reject(review);
    expect(answers).toEqual([{ kind: 'rejected' }]);
    expect(events).toEqual(['opened 1', 'rejected 1']);
  });
});

describe('an editor that fails to show a review', () => {
  it('makes the proposal fail, and the review ends withdrawn', async () => {
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

  it('also when it throws at once', async () => {
    const { reviews } = setUpReviews({
      show: () => {
        throw new Error('no window');
      },
    });
    await expect(reviews.propose(proposal)).rejects.toThrow('no window');
    expect(reviews.pending).toEqual([]);
  });

  it('does not undo a decision that was made elsewhere meanwhile', async () => {
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

  it('does not hold up a decision that is made elsewhere', async () => {
    const { clock, reviews, editor } = setUpReviews();
    editor.beforeShow = () => new Promise(() => {});
    const opening = reviews.propose(proposal);
    await settle();
    reviews.pending[0]?.reject();
    expect((await opening).outcome).toEqual({ kind: 'rejected' });
    expect(clock.waitingTimers).toBe(0);
  });

  it('in time is given up, and the view that comes late is closed', async () => {
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
    expect(clock.waitingTimers).toBe(0);
  });

  it('leaves no timer behind when it shows', async () => {
    const { clock, reviews } = setUpReviews();
    await reviews.propose(proposal);
    expect(clock.waitingTimers).toBe(0);
  });
});

describe('disposing', () => {
  it('withdraws what is pending and what is on its way, and refuses what comes', async () => {
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
