import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findLineChanges } from '../../src/text/lineChanges.js';
import { splitLines } from '../../src/text/lines.js';
import { linedText, lineTexts, numberedLines } from './textArbitraries.js';

const changesBetween = (from: string, to: string) => findLineChanges(splitLines(from), splitLines(to));

describe('findLineChanges', () => {
  it('puts an insertion after the lines that it repeats', () => {
    expect(changesBetween('{\n}\n', '{\n}\n{\n}\n')).toEqual([
      { from: { start: 2, count: 0 }, to: { start: 2, count: 2 } },
    ]);
  });

  it('leaves as many lines unchanged as any alignment could', () => {
    fc.assert(
      fc.property(linedText, linedText, (from, to) => {
        const [left, right] = [lineTexts(from), lineTexts(to)];
        const changes = findLineChanges(
          left.map((text) => ({ text, end: '\n' })),
          right.map((text) => ({ text, end: '\n' })),
        );
        const gone = changes.reduce((sum, change) => sum + change.from.count, 0);
        expect(left.length - gone).toBe(longestCommon(left, right));
      }),
    );
  });

  it('finds each of thousands of rewritten lines', () => {
    const from = numberedLines(20_000);
    const to = from.replaceAll(/^line (\d*[05])$/gm, 'row $1');
    const changes = changesBetween(from, to);
    expect(changes).toHaveLength(4000);
    expect(changes[1]).toEqual({ from: { start: 5, count: 1 }, to: { start: 5, count: 1 } });
  });

  it('reports one change for lines in a very different order', () => {
    const lines = splitLines(numberedLines(20_000));
    const same = { text: 'same', end: '\n' } as const;
    expect(findLineChanges([same, ...lines, same], [same, ...lines.toReversed(), same])).toEqual([
      { from: { start: 1, count: 20_000 }, to: { start: 1, count: 20_000 } },
    ]);
  });

  it('reports one change for two files of 20,000 lines that only share their kinds of line', () => {
    const from = Array.from({ length: 20_000 }, (_, at) => `kind ${(at * 7919) % 997}\n`).join('');
    const to = Array.from({ length: 20_000 }, (_, at) => `kind ${(at * 104_729 + 5) % 997}\n`).join('');
    expect(changesBetween(from, to)).toHaveLength(1);
  });

  it('still aligns a block of some hundred lines that moved', () => {
    const lines = numberedLines(2000).match(/.*\n/g) ?? [];
    const moved = [...lines.slice(300), ...lines.slice(0, 300)].join('');
    expect(changesBetween(lines.join(''), moved)).toEqual([
      { from: { start: 0, count: 300 }, to: { start: 0, count: 0 } },
      { from: { start: 2000, count: 0 }, to: { start: 1700, count: 300 } },
    ]);
  });
});

/** The number of elements in a longest common subsequence, by the textbook table. */
function longestCommon(left: readonly string[], right: readonly string[]): number {
  let previous = new Array<number>(right.length + 1).fill(0);
  for (const one of left) {
    const row = [0];
    right.forEach((other, at) => {
      row.push(one === other ? (previous[at] ?? 0) + 1 : Math.max(previous[at + 1] ?? 0, row[at] ?? 0));
    });
    previous = row;
  }
  return previous.at(-1) ?? 0;
}
