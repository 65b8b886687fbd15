import { describe, expect, test } from 'vitest';
import { cutChange, cutUnchanged } from '../src/longLines.js';

const before = 'a'.repeat(17_000);
const after = 'z'.repeat(18_000);

describe('a line of 35,000 characters', () => {
  test('is shortened around its change, with the number of omitted characters', () => {
    const { out, into } = cutChange([`${before}OLD${after}`], [`${before}NEWER${after}`]);
    const [start, end] = [`…16920 characters…${'a'.repeat(80)}`, `${'z'.repeat(80)}…17920 characters…`];
    expect(out).toEqual([`${start}OLD${end}`]);
    expect(into).toEqual([`${start}NEWER${end}`]);
  });

  test('shows both ends of a change that is long itself', () => {
    const { into } = cutChange(['short'], [`${'b'.repeat(20_000)}END`]);
    expect(into).toEqual([`${'b'.repeat(120)}…19763 characters…${'b'.repeat(117)}END`]);
  });

  test('shows only its start if it did not change', () => {
    expect(cutUnchanged(before)).toBe(`${'a'.repeat(80)}…16920 characters…`);
  });

  test('is cut between characters, not within one', () => {
    const { into } = cutChange([`${'😀'.repeat(9_000)}old`], [`${'😀'.repeat(9_000)}x`]);
    expect(into[0]?.isWellFormed()).toBe(true);
    const odd = cutChange([`_${'😀'.repeat(9_000)}old`], [`_${'😀'.repeat(9_000)}x`]);
    expect(odd.into[0]?.isWellFormed()).toBe(true);
  });
});

test('shows a line of normal length whole', () => {
  const line = 'a'.repeat(400);
  expect(cutChange([line], [`${line.slice(1)}b`])).toEqual({ out: [line], into: [`${line.slice(1)}b`] });
  expect(cutUnchanged(line)).toBe(line);
});
