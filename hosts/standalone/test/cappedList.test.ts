import { describe, expect, test } from 'vitest';
import { cap } from '../src/reviewText.js';

describe('a long list', () => {
  const all = Array.from({ length: 215 }, (_, index) => index);

  test('ends in a terminal with how many more there are', () => {
    expect(cap(all, 20, true)).toEqual({ shown: all.slice(0, 20), more: ['and 195 more'] });
  });

  test('is whole for a program, and if only one is left', () => {
    expect(cap(all, 20, false)).toEqual({ shown: all, more: [] });
    expect(cap(all.slice(0, 21), 20, true)).toEqual({ shown: all.slice(0, 21), more: [] });
  });
});
