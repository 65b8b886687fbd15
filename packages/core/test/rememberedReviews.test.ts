import { describe, expect, it } from 'vitest';
import { type FileContent, Review, silentLogger } from '../src/index.js';
import { findRemembered } from '../src/rememberedReviews.js';
import { FakeClock } from '../src/testing/index.js';

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

describe('of reviews that have ended', () => {
  it('the newest stays, however large it is', () => {
    expect(count([withdrawn(20 * mebi), rejected(mebi)])).toBe(1);
  });

  it('the oldest go when there are too many or they hold too much text', () => {
    expect(count(Array.from({ length: 12 }, () => rejected(1)))).toBe(10);
    expect(count(Array.from({ length: 12 }, () => rejected(2 * mebi)))).toBe(4);
  });

  it('the text of the file counts as well', () => {
    const large = review(1, { kind: 'text', text: 'y'.repeat(5 * mebi) });
    large.reject();
    expect(count([large, large, rejected(4 * mebi)])).toBe(1);
  });

  it('those that an agent withdrew and nobody edited stay only while they are small', () => {
    const [newest, large, small, decided] = [
      withdrawn(mebi),
      withdrawn(2 * mebi),
      withdrawn(9),
      rejected(mebi),
    ];
    expect([...findRemembered([newest, large, small, decided], limits)]).toEqual([newest, small, decided]);
  });

  it('those that somebody edited are not among them', () => {
    const edited = review(2 * mebi);
    edited.edit('typed');
    edited.withdraw('agent');
    expect(count([withdrawn(1), edited])).toBe(2);
  });
});
