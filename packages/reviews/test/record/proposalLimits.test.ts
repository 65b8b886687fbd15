import { describe, expect, it } from 'vitest';
import { proposal, setUpReviews } from '../support/reviewsFixture.js';

const pathOf = (number: number): string => `/workspace/${number}.txt`;

describe('proposals', () => {
  it('beyond the limit of one session are refused, and do not affect other sessions', async () => {
    const { reviews } = setUpReviews({ limits: { perSession: 2 } });
    for (const number of [1, 2]) await reviews.propose({ ...proposal, path: pathOf(number) });
    await expect(reviews.propose({ ...proposal, path: pathOf(3) })).rejects.toThrow(
      'The change to /workspace/3.txt is refused: 2 changes of this agent are pending already.',
    );
    await reviews.propose({ ...proposal, path: pathOf(3), session: 's2' });
    expect(reviews.pending).toHaveLength(3);
    reviews.pending[0]?.reject();
    await reviews.propose({ ...proposal, path: pathOf(3) });
  });

  it('beyond the total limit are refused, except one that replaces its own', async () => {
    const { reviews } = setUpReviews({ limits: { inAll: 2 } });
    for (const session of ['s1', 's2']) await reviews.propose({ ...proposal, session });
    await expect(reviews.propose({ ...proposal, session: 's3' })).rejects.toThrow('2 changes are pending');
    const replacing = await reviews.propose({ ...proposal, content: 'other\n' });
    expect(reviews.pending).toContain(replacing);
    expect(reviews.pending).toHaveLength(2);
  });

  it('are refused if they have too much text in total, but a single one is not', async () => {
    const { reviews } = setUpReviews({ limits: { text: 100 } });
    await reviews.propose({ ...proposal, content: 'x'.repeat(200) });
    await expect(reviews.propose({ ...proposal, path: pathOf(1) })).rejects.toThrow('too much text');
    reviews.pending[0]?.reject();
    await reviews.propose({ ...proposal, path: pathOf(1), content: 'x'.repeat(100) });
  });

  it('beyond the rate are refused until the second is over, even when the clock is set back', async () => {
    const { reviews, clock } = setUpReviews({ limits: { perSecond: 3 } });
    const propose = (): Promise<unknown> => reviews.propose(proposal);
    for (let times = 0; times < 3; times += 1) await propose();
    await expect(propose()).rejects.toThrow('More than 3 changes were proposed within a second');
    await reviews.propose({ ...proposal, session: 's2' });
    clock.advance(1000);
    await propose();
    clock.setTimeOfDay(0);
    for (let times = 0; times < 3; times += 1) await propose();
    await expect(propose()).rejects.toThrow('within a second');
  });

  it('count while they are being opened', async () => {
    const { reviews } = setUpReviews({ limits: { perSession: 2 } });
    const proposing = [1, 2, 3].map((number) => reviews.propose({ ...proposal, path: pathOf(number) }));
    const results = await Promise.allSettled(proposing);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  });
});
