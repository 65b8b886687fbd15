import { describe, expect, it } from 'vitest';
import { hunkAtLine } from '../src/reviews/hunkAtLine.js';

const hunk = (index: number, original: [number, number], proposed: [number, number]) => ({
  index,
  original: { start: original[0], count: original[1] },
  proposed: { start: proposed[0], count: proposed[1] },
});

/** Replaces line 1 by two lines, and removes line 5, which is the last. */
const hunks = [hunk(0, [1, 1], [1, 2]), hunk(1, [5, 1], [6, 0])];
const review = { hunks, keptHunks: [true, true], hunkLines: [1, 6] };
const at = (line: number, of: Parameters<typeof hunkAtLine>[0] = review) => {
  const found = hunkAtLine(of, line, 6);
  return found && { index: found.index, isKept: found.isKept };
};

describe('the change at a line', () => {
  it('is the one whose lines these are', () => {
    expect([0, 1, 2, 3].map((line) => at(line)?.index)).toEqual([undefined, 0, 0, undefined]);
  });

  it('is one without lines at the line that it precedes, or at the last line', () => {
    expect(at(5)).toEqual({ index: 1, isKept: true });
  });

  it('is a dropped change at the lines of the file that it would replace', () => {
    const dropped = { hunks, keptHunks: [false, true], hunkLines: [1, 5] };
    expect([1, 2].map((line) => at(line, dropped))).toEqual([{ index: 0, isKept: false }, undefined]);
  });

  it('is none if dropping it would drop everything', () => {
    const only = { hunks: hunks.slice(0, 1), keptHunks: [true], hunkLines: [1] };
    expect(at(1, only)).toBeUndefined();
    expect(at(1, { ...only, keptHunks: [false] })).toEqual({ index: 0, isKept: false });
  });
});
