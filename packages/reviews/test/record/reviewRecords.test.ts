import { silentLogger } from '@tandem/core';
import {
  newReviewKey,
  type ReviewRecord,
  ReviewRecords,
  ReviewStates,
  type SavedReview,
  savedOf,
} from '@tandem/reviews';
import { FakeClock } from '@tandem/testing';
import { describe, expect, test } from 'vitest';

const clock = new FakeClock();
const day = 24 * 60 * 60_000;
const proposal = (more: Partial<SavedReview> = {}): SavedReview => ({
  key: newReviewKey(),
  agent: 'gemini',
  session: 'one',
  path: '/w/a.txt',
  original: { kind: 'text', text: 'one\ntwo\n' },
  proposed: 'ONE\n',
  content: 'ONE\n',
  keptHunks: [],
  isOutsideWorkspace: false,
  openedAt: 1,
  interruptedAt: clock.now(),
  ...more,
});
const logger = silentLogger;
const numbers = { next: newReviewKey, isPending: () => false };
const keep = (...added: SavedReview[]): ReviewStates => {
  const records = new ReviewRecords({ logger });
  const interrupted = new ReviewStates({
    records,
    numbers,
    clock,
    logger,
  });
  for (const review of added) interrupted.add([review]);
  return interrupted;
};

describe('the records of reviews', () => {
  test('are one for each key, whose state the last call decides, and each call is reported', () => {
    const records = new ReviewRecords({ logger });
    const changed: string[] = [];
    records.onDidChange((key) => changed.push(key));
    const [one, other] = [proposal(), proposal()];
    records.put({ ...one, state: 'accepted' });
    records.put({ ...other, state: 'accepted' });
    records.put({ ...one, state: 'rejected', isLeft: false });
    expect(records.in('accepted')).toMatchObject([{ key: other.key }]);
    expect(records.in('rejected')).toMatchObject([{ key: one.key }]);
    expect([records.delete(one.key), records.delete(one.key)]).toEqual([true, false]);
    expect(records.get(one.key)).toBeUndefined();
    expect([...records.keys]).toEqual([other.key]);
    expect(changed).toEqual([one.key, other.key, one.key, one.key]);
  });

  test('are saved without what only this companion knows', () => {
    const saved = proposal({ number: '1' });
    const decided = { id: '1', at: 1, how: 'accepted' } as const;
    const records: ReviewRecord[] = [
      { ...saved, state: 'pending' },
      { ...saved, state: 'accepted' },
      { ...saved, state: 'rejected', isLeft: true },
      {
        ...saved,
        state: 'undelivered',
        id: '1',
        interruptedAt: clock.now(),
        isNew: true,
        interruption: undefined,
      },
    ];
    for (const record of records) expect(savedOf(record)).toEqual(saved);
    expect(savedOf({ ...saved, state: 'decided', decided })).toEqual({ ...saved, decided });
  });
});

describe('an accepted unedited proposal that its agent has not written', () => {
  test('is kept without a limit, while an undecided one is dropped after a day', () => {
    const old = { interruptedAt: clock.now() - day - 1 };
    expect(keep(proposal(old)).all).toEqual([]);
    expect(keep(proposal({ ...old, isAccepted: true })).all).toMatchObject([{ isAccepted: true }]);
  });

  test('is stored once beside the same undecided one, and stays decided whichever came first', () => {
    const accepted = proposal({ isAccepted: true });
    for (const both of [
      [proposal(), accepted],
      [accepted, proposal()],
      [accepted, proposal({ isAccepted: true })],
    ]) {
      const { all, undelivered } = keep(...both);
      expect([all, undelivered]).toMatchObject([[{ isAccepted: true }], [{ isAccepted: true }]]);
    }
  });
});
