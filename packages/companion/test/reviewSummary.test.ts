import { silentLogger, systemClock } from '@tandem/core';
import { Review } from '@tandem/reviews';
import { afterEach, expect, test, vi } from 'vitest';
import { describeReview } from '../src/reviews/reviewSummary.js';

afterEach(() => void vi.restoreAllMocks());

test('a review of many hunks is described in one pass over the kept ones', () => {
  const lines = Array.from({ length: 2_000 }, (_, at) => `line ${at}\n`);
  const review = new Review(
    {
      id: '1',
      proposal: {
        agent: 'gemini',
        session: 's',
        path: '/a.txt',
        content: lines.map((line, at) => (at % 2 === 0 ? line : `changed ${at}\n`)).join(''),
      },
      original: { kind: 'text', text: lines.join('') },
      isOutsideWorkspace: false,
    },
    { clock: systemClock, logger: silentLogger },
  );
  const read = vi.spyOn(Review.prototype, 'keptHunks', 'get');
  expect(describeReview(review).hunkList).toHaveLength(1_000);
  expect(read).toHaveBeenCalledTimes(1);
});
