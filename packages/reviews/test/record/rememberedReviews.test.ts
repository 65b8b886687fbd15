import { silentLogger } from '@tandem/core';
import { type FileContent, Review } from '@tandem/reviews';
import { FakeClock } from '@tandem/testing';
import { describe, expect, it } from 'vitest';
import { findRemembered } from '../../src/record/rememberedReviews.js';

const mebi = 1024 * 1024;
let lastId = 0;

function review(size: number, original: FileContent = { kind: 'missing' }): Review {
  const proposal = { path: '/ws/a', content: 'x'.repeat(size), agent: 'gemini', session: 's' };
  return new Review(
    { id: String(++lastId), proposal, original, isOutsideWorkspace: false },
    { clock: new FakeClock(), logger: silentLogger },
  );
}

function withdrawn(size: number): Review {
  const made = review(size);
  made.withdraw('agent');
  return made;
}

function rejected(size: number): Review {
  const made = review(size);
  made.reject();
  return made;
}

const limits = { reviews: 10, text: 8 * mebi };
const count = (newestFirst: readonly Review[]): number => findRemembered(newestFirst, limits).size;

describe('findRemembered', () => {
  it('keeps the newest review regardless of its size', () => {
    expect(count([withdrawn(20 * mebi), rejected(mebi)])).toBe(1);
  });

  it('drops the oldest reviews when there are too many or they have too much text', () => {
    expect(count(Array.from({ length: 12 }, () => rejected(1)))).toBe(10);
    expect(count(Array.from({ length: 12 }, () => rejected(2 * mebi)))).toBe(4);
  });

  it('counts the text of the file', () => {
    const large = review(1, { kind: 'text', text: 'y'.repeat(5 * mebi) });
    large.reject();
    expect(count([large, large, rejected(4 * mebi)])).toBe(1);
  });

  it('keeps only small reviews of those that the agent withdrew and the user did not edit', () => {
    const [newest, large, small, decided] = [
      withdrawn(mebi),
      withdrawn(2 * mebi),
      withdrawn(9),
      rejected(mebi),
    ];
    expect([...findRemembered([newest, large, small, decided], limits)]).toEqual([newest, small, decided]);
  });

  it('keeps large withdrawn reviews that the user edited', () => {
    const edited = review(2 * mebi);
    edited.edit('typed');
    edited.withdraw('agent');
    expect(count([withdrawn(1), edited])).toBe(2);
  });
});
