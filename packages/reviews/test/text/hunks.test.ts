import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../test/anyText.js';
import { composeHunks, computeHunks, describeExactDifferences } from '../../src/text/hunks.js';
import { splitBom, splitLines } from '../../src/text/lines.js';
import { linedText, lineTexts, normaliseTo, numberedLines } from './textArbitraries.js';

/** Composes with the hunks of the two texts, of which those with these numbers are dropped. */
function dropping(original: string, proposed: string, ...dropped: number[]): string {
  const hunks = computeHunks(original, proposed);
  return composeHunks(
    original,
    proposed,
    hunks,
    hunks.map((hunk) => !dropped.includes(hunk.index)),
  );
}

function droppingAll(original: string, proposed: string): string {
  const hunks = computeHunks(original, proposed);
  return composeHunks(original, proposed, hunks, Array<boolean>(hunks.length).fill(false));
}

describe('computeHunks', () => {
  it('numbers insertions, deletions and replacements from the top', () => {
    expect(computeHunks('a\nb\nc\nd\n', 'new\na\nB\nB2\nc\n')).toEqual([
      { index: 0, original: { start: 0, count: 0 }, proposed: { start: 0, count: 1 } },
      { index: 1, original: { start: 1, count: 1 }, proposed: { start: 2, count: 2 } },
      { index: 2, original: { start: 3, count: 1 }, proposed: { start: 5, count: 0 } },
    ]);
  });

  it('makes a new file one hunk', () => {
    expect(computeHunks('', 'a\nb')).toEqual([
      { index: 0, original: { start: 0, count: 0 }, proposed: { start: 0, count: 2 } },
    ]);
  });

  it('finds no hunk when only line ends, byte order mark or final line end differ', () => {
    expect(computeHunks('a\r\nb\r\n', '\uFEFFa\nb')).toEqual([]);
  });

  it('counts lines from after the byte order mark', () => {
    expect(computeHunks('\uFEFFa\nb\n', 'a\nB\n')).toEqual([
      { index: 0, original: { start: 1, count: 1 }, proposed: { start: 1, count: 1 } },
    ]);
  });

  it('turns the lines of one text into those of the other, with an unchanged line between two hunks', () => {
    fc.assert(
      fc.property(linedText, linedText, (original, proposed) => {
        const [before, after] = [lineTexts(original), lineTexts(proposed)];
        let [left, right] = [0, 0];
        computeHunks(original, proposed).forEach((hunk, at) => {
          expect(hunk.index).toBe(at);
          if (at > 0) expect(hunk.original.start).toBeGreaterThan(left);
          expect(hunk.original.count + hunk.proposed.count).toBeGreaterThan(0);
          expect(before.slice(left, hunk.original.start)).toEqual(after.slice(right, hunk.proposed.start));
          left = hunk.original.start + hunk.original.count;
          right = hunk.proposed.start + hunk.proposed.count;
        });
        expect(before.slice(left)).toEqual(after.slice(right));
      }),
    );
  });

  it('finds few changes in 10 MB of 137,000 lines', () => {
    const lines = Array.from({ length: 137_000 }, (_, at) => `${at} `.padEnd(72, 'x'));
    const changed = lines.with(0, 'first').with(70_000, '').toSpliced(136_000, 3);
    expect(computeHunks(lines.join('\n'), changed.join('\r\n'))).toEqual([
      { index: 0, original: { start: 0, count: 1 }, proposed: { start: 0, count: 1 } },
      { index: 1, original: { start: 70_000, count: 1 }, proposed: { start: 70_000, count: 1 } },
      { index: 2, original: { start: 136_000, count: 3 }, proposed: { start: 136_000, count: 0 } },
    ]);
  });
});

describe('composeHunks', () => {
  it('takes the original lines of a dropped hunk and the proposed lines of a kept one', () => {
    const [original, proposed] = ['a\nb\nc\nd\ne\n', 'A\nb\nc\nD\ne\n'];
    expect(dropping(original, proposed, 0)).toBe('a\nb\nc\nD\ne\n');
    expect(dropping(original, proposed, 1)).toBe('A\nb\nc\nd\ne\n');
  });

  it('gives restored lines the line ends of the proposal', () => {
    expect(dropping('a\r\nb\r\nc\r\n', 'a\nB\nc\n', 0)).toBe('a\nb\nc\n');
    expect(dropping('a\r\nb\r\nx\r\nc\r\n', 'a\nc\n', 0)).toBe('a\nb\nx\nc\n');
    expect(droppingAll('a\r\nb\r\n', 'x\ny\n')).toBe('a\nb\n');
  });

  it('gives restored lines their own ends when the proposal kept the ends of the others', () => {
    const mixed = 'a\r\nb\nc\rd\r\n';
    expect(droppingAll(mixed, 'a\r\nd\r\n')).toBe(mixed);
    expect(droppingAll(mixed, 'a\r\nB\r\nC\r\nd\r\n')).toBe(mixed);
    expect(dropping(mixed, 'a\r\nB\nc\rD\r\n', 1)).toBe('a\r\nB\nc\rd\r\n');
    expect(droppingAll('a\nb\nc\n', 'a\nB\rc\n')).toBe('a\nb\nc\n');
    expect(droppingAll('a\r\nb\nc', 'a\r\nc\n')).toBe('a\r\nb\nc\n');
  });

  it('takes line ends from the original when the proposal has none', () => {
    expect(droppingAll('a\r\nb\r\nc', 'x')).toBe('a\r\nb\r\nc');
    expect(droppingAll('a\r\nb\r\n', 'x')).toBe('a\r\nb');
  });

  it('keeps the byte order mark and the final line end of the proposal', () => {
    expect(droppingAll('a\nb\n', '\uFEFFa\nB')).toBe('\uFEFFa\nb');
    expect(droppingAll('\uFEFFa\nb', 'a\nB\n')).toBe('a\nb\n');
    expect(droppingAll('a\nb\n', 'a\nb\nc')).toBe('a\nb');
  });

  it('leaves the original final line end when the proposal has no line', () => {
    expect(droppingAll('a\nb\n', '')).toBe('a\nb\n');
    expect(droppingAll('a\nb', '')).toBe('a\nb');
  });

  it('returns a proposal of nothing but a byte order mark', () => {
    expect(dropping('', '\uFEFF')).toBe('\uFEFF');
  });

  it('gives the empty text when a new file is dropped', () => {
    expect(droppingAll('', '\uFEFFa\r\n')).toBe('');
  });

  it('does not lose an empty line between CR and LF', () => {
    expect(lineTexts(droppingAll('a\n\nb\n', 'a\rx\nb\n'))).toEqual(['a', '', 'b']);
  });

  it('refuses decisions that do not match the hunks', () => {
    const hunks = computeHunks('a', 'b');
    expect(() => composeHunks('a', 'b', hunks, [])).toThrow(RangeError);
    expect(() => composeHunks('a', 'b', hunks, [true, true])).toThrow('1 hunks and 2 decisions');
  });

  it('returns any proposal byte for byte with all hunks kept', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, linedText), fc.oneof(anyText, linedText), (original, proposed) => {
        expect(dropping(original, proposed)).toBe(proposed);
      }),
    );
  });

  it('has the lines of the original with all hunks dropped', () => {
    fc.assert(
      fc.property(linedText, linedText, (original, proposed) => {
        expect(lineTexts(droppingAll(original, proposed))).toEqual(lineTexts(original));
      }),
    );
  });

  it('has for each hunk its original or its proposed lines, and the proposal around them', () => {
    fc.assert(
      fc.property(linedText, linedText, fc.infiniteStream(fc.boolean()), (original, proposed, choices) => {
        const hunks = computeHunks(original, proposed);
        const kept = hunks.map(() => choices.next().value);
        const [before, after] = [lineTexts(original), lineTexts(proposed)];
        const expected: string[] = [];
        let next = 0;
        for (const [at, hunk] of hunks.entries()) {
          const span = kept[at] ? hunk.proposed : hunk.original;
          expected.push(...after.slice(next, hunk.proposed.start));
          expected.push(...(kept[at] ? after : before).slice(span.start, span.start + span.count));
          next = hunk.proposed.start + hunk.proposed.count;
        }
        expected.push(...after.slice(next));
        const composed = composeHunks(original, proposed, hunks, kept);
        expect(lineTexts(composed)).toEqual(expected);
        if (composed !== '') expect(splitBom(composed).bom).toBe(splitBom(proposed).bom);
      }),
    );
  });

  it('uses only line ends of the proposal when that unifies them', () => {
    const end = fc.constantFrom('\n' as const, '\r\n' as const, '\r' as const);
    fc.assert(
      fc.property(linedText, linedText, end, end, (original, text, from, to) => {
        fc.pre(from !== to && /[\r\n]/.test(text));
        const proposed = normaliseTo(to, text);
        const hunks = computeHunks(original, proposed);
        const unchanged =
          splitLines(original).length - hunks.reduce((sum, hunk) => sum + hunk.original.count, 0);
        fc.pre(unchanged > 1);
        const composed = droppingAll(normaliseTo(from, original), proposed);
        expect(composed).toBe(normaliseTo(to, composed));
      }),
    );
  });

  it('restores an original byte for byte when the proposal changed only whole lines of it', () => {
    const kinds = fc.array(
      fc.tuple(fc.constantFrom('\n', '\r\n', '\r'), fc.constantFrom('keep', 'change', 'delete')),
    );
    fc.assert(
      fc.property(kinds, fc.constantFrom('', '\uFEFF'), (lines, bom) => {
        const original = lines.map(([end], at) => `line ${at}${end}`);
        const proposed = lines.map(([end, edit], at) =>
          edit === 'delete' ? '' : `${edit === 'keep' ? 'line' : 'row'} ${at}${end}`,
        );
        const [before, after] = [original, proposed].map((some) => `${bom}first\r${some.join('')}last\n`);
        expect(droppingAll(before ?? '', after ?? '')).toBe(before);
      }),
    );
  });

  it('undoes one hunk of 137,000 lines', () => {
    const original = numberedLines(137_000, '\r\n');
    const proposed = original.replace('line 9\r\n', 'row 9\r\n').replace('line 130000\r\n', '');
    expect(dropping(original, proposed, 1)).toBe(original.replace('line 9\r\n', 'row 9\r\n'));
  });
});

describe('describeExactDifferences', () => {
  it.each([
    ['a\n', 'a\n', {}],
    ['a\n', 'b\n', {}],
    ['a\n', '\uFEFFa\n', { bom: 'added' }],
    ['\uFEFFa\n', 'a\n', { bom: 'removed' }],
    ['a\r\nb\r\n', 'a\nb\n', { lineEnds: { from: 'crlf', to: 'lf' } }],
    ['a\nb\n', 'a\rb\r\n', { lineEnds: { from: 'lf', to: 'mixed' } }],
    ['a\nb\r\n', 'a\r\nb\n', { lineEnds: { from: 'mixed', to: 'mixed' } }],
    ['a\nb\r\n', 'a\nx\r\nb\r\n', {}],
    ['a\nb\r\n', 'a\nb\r\nx\n', {}],
    ['a\nb', 'a\nb\n', { finalNewline: 'added' }],
    ['a\nb\n', 'a\nb', { finalNewline: 'removed' }],
    ['a', 'a\n', { finalNewline: 'added' }],
    ['a', 'a\nb', {}],
    ['', 'a\n', {}],
    ['a', '', {}],
    [
      '\uFEFFa\r\nb',
      'a\nB\n',
      { bom: 'removed', lineEnds: { from: 'crlf', to: 'lf' }, finalNewline: 'added' },
    ],
  ])('from %j to %j is %j', (original, proposed, differences) => {
    expect(describeExactDifferences(original, proposed)).toEqual(differences);
  });

  it('reports a difference for any two different texts without a hunk', () => {
    const other = fc.tuple(linedText, fc.constantFrom('\n' as const, '\r\n' as const, '\r' as const));
    const pair = fc.oneof(
      fc.tuple(linedText, linedText),
      other.map(([text, end]) => [text, normaliseTo(end, text)] as [string, string]),
      linedText.map((text) => [text, splitBom(text).body] as [string, string]),
      linedText.map((text) => [text, text.replace(/(\r\n|\r|\n)$/, '')] as [string, string]),
    );
    fc.assert(
      fc.property(pair, ([original, proposed]) => {
        fc.pre(computeHunks(original, proposed).length === 0);
        const hasDifferences = Object.keys(describeExactDifferences(original, proposed)).length > 0;
        expect(hasDifferences).toBe(original !== proposed);
      }),
    );
  });
});
