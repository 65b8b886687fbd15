import type { SavedReview } from '@tandem/reviews';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JournalContents } from '../src/index.js';
import { lastNumberIn, withOwnNumbers } from '../src/journal/journalNumbers.js';
import { review, saved } from './support/journalSamples.js';

const open = (number: string | undefined, proposed: string): SavedReview => ({
  ...review,
  ...(number !== undefined && { number }),
  proposed,
});
const decided = (id: string, proposed: string): SavedReview => ({
  ...review,
  proposed,
  decided: { id, at: 1, how: id.startsWith('r') ? 'restored' : 'accepted' },
});

/** The number and the proposal of each entry. */
const numbersIn = ({ reviews, interrupted, rejected = [], history = [] }: JournalContents) => ({
  open: [...reviews, ...interrupted, ...rejected].map(({ number, proposed }) => [number, proposed]),
  decided: history.map((entry) => [entry.decided?.id, entry.proposed]),
});

/** What a companion leaves that numbered its reviews itself: some are open, some decided, some both. */
const ownJournal = fc
  .array(fc.constantFrom('reviews', 'interrupted', 'history', 'unwritten', 'rejected', 'restored'), {
    maxLength: 6,
  })
  .chain((kinds) => fc.tuple(fc.constant(kinds), fc.nat(3), fc.constantFrom('a', 'b')))
  .map(([kinds, from, name]) => {
    const journal = { reviews: [], interrupted: [], rejected: [], history: [] } as Record<
      'reviews' | 'interrupted' | 'rejected' | 'history',
      SavedReview[]
    >;
    for (const [at, kind] of kinds.entries()) {
      const number = String(from + at);
      const proposed = `${name}${at}`;
      if (kind === 'restored') journal.history.push(decided(`r${number}`, proposed));
      if (kind === 'history' || kind === 'unwritten' || kind === 'rejected')
        journal.history.push(decided(number, proposed));
      if (kind === 'unwritten') journal.interrupted.push(open(number, proposed));
      if (kind === 'reviews' || kind === 'interrupted' || kind === 'rejected')
        journal[kind].push(open(number, proposed));
    }
    return saved(1, journal);
  });

describe('the numbers of several journals', () => {
  it('mean one review each, and those of the first journal stay', () => {
    fc.assert(
      fc.property(fc.array(ownJournal, { minLength: 1, maxLength: 4 }), (journals) => {
        const after = withOwnNumbers(journals);
        expect(after[0]).toEqual(journals[0]);
        const all = after.map(numbersIn);
        for (const kind of ['open', 'decided'] as const) {
          const numbers = all.flatMap((each) => each[kind]).map(([number]) => number);
          expect(new Set(numbers).size).toBe(numbers.length);
        }
        const byNumber = new Map(all.flatMap((each) => each.decided).map(([id, text]) => [id, text]));
        for (const [number, proposed] of all.flatMap((each) => each.open))
          expect(byNumber.get(number) ?? proposed).toBe(proposed);
        expect(withOwnNumbers(after)).toEqual(after);
      }),
    );
  });

  it('stay together for a review that is open and decided', () => {
    const first = saved(1, { history: [decided('1', 'a')] });
    const older = saved(1, { interrupted: [open('1', 'b')], history: [decided('1', 'b')] });
    const [, after] = withOwnNumbers([first, older]).map(numbersIn);
    expect(after).toEqual({ open: [['2', 'b']], decided: [['2', 'b']] });
  });

  it('are different also where an earlier version gave one number to two reviews, or none', () => {
    const mixed = saved(1, {
      reviews: [open('3', 'a'), open(undefined, 'b')],
      interrupted: [open('3', 'c')],
      history: [decided('3', 'd')],
    });
    const [after] = withOwnNumbers([mixed]).map(numbersIn);
    expect(after).toEqual({
      open: [
        ['4', 'a'],
        [undefined, 'b'],
        ['5', 'c'],
      ],
      decided: [['3', 'd']],
    });
  });

  it('have a greatest one, also among the decided reviews, and restorations have their own', () => {
    expect(lastNumberIn([])).toBe(0);
    expect(lastNumberIn([saved(1, { history: [decided('r5', 'a')] })])).toBe(0);
    expect(lastNumberIn([saved(1, { reviews: [open(undefined, 'a'), open('2', 'b')] })])).toBe(2);
    expect(lastNumberIn([saved(1, { rejected: [open('4', 'a')], history: [decided('3', 'b')] })])).toBe(4);
    expect(lastNumberIn([saved(1, { history: [decided('r5', 'a')] })], 'r')).toBe(5);
  });
});
