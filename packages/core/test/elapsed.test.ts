import { expect, test } from 'vitest';
import { elapsed } from '../src/index.js';

test('returns a span in the largest unit that fits', () => {
  const minute = 60_000;
  const spans = [-5_000, 0, 59_999, minute, 2.9 * minute, 60 * minute, 47 * 60 * minute, 48 * 60 * minute];
  expect(spans.map((span) => Object.values(elapsed(span)).join(' '))).toEqual([
    '0 second',
    '0 second',
    '59 second',
    '1 minute',
    '2 minute',
    '1 hour',
    '1 day',
    '2 day',
  ]);
});
