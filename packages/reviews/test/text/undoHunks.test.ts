import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeHunks, type FileContent, isHunkInLines, undoHunks } from '../../src/index.js';

const text = (content: string): { readonly kind: 'text'; readonly text: string } => ({
  kind: 'text',
  text: content,
});
const missing = { kind: 'missing' } as const;

/** The content once the hunks with these indexes are undone. */
function without(before: FileContent, now: FileContent, ...indexes: number[]): FileContent | undefined {
  if (before.kind === 'binary' || now.kind === 'binary') throw new Error('Hunks are of texts.');
  return undoHunks(before, now, ({ index }) => indexes.includes(index))?.content;
}

describe('undoing hunks', () => {
  test.each([
    ['LF', '\n', ''],
    ['CRLF with a byte order mark', '\r\n', '\ufeff'],
  ])('returns exactly their lines: %s', (_, end, bom) => {
    const of = (...lines: string[]) => text(bom + lines.map((line) => line + end).join(''));
    const before = of('one', 'two', 'three', 'four', 'five');
    const now = of('ONE', 'two', 'three', 'added', 'four');
    expect(without(before, now, 0)).toEqual(of('one', 'two', 'three', 'added', 'four'));
    expect(without(before, now, 1)).toEqual(of('ONE', 'two', 'three', 'four'));
    expect(without(before, now, 2)).toEqual(of('ONE', 'two', 'three', 'added', 'four', 'five'));
    expect(without(before, now, 0, 1, 2)).toEqual(before);
    expect(without(before, now, 7)).toBeUndefined();
  });

  test('returns the end of the last line with that line, and only with it', () => {
    const [before, now] = [text('a\nb\nc'), text('A\nb\nC\n')];
    expect(without(before, now, 1)).toEqual(text('A\nb\nc'));
    expect(without(before, now, 0)).toEqual(text('a\nb\nC\n'));
    expect(without(now, before, 1)).toEqual(text('a\nb\nC\n'));
  });

  test('removes a file that was created, and brings one back that was deleted', () => {
    expect(without(missing, text('new\r\n'), 0)).toEqual(missing);
    expect(without(text('old'), missing, 0)).toEqual(text('old'));
  });

  test('keeps the encoding of the present file, unless all are undone', () => {
    const before = { ...text('a\nb\nc\n'), encoding: 'latin1' };
    const now = { ...text('A\nb\nC\n'), encoding: 'utf16le' };
    expect(without(before, now, 0)).toEqual({ ...text('a\nb\nC\n'), encoding: 'utf16le' });
    expect(without(before, now, 0, 1)).toEqual(before);
  });

  test('one by one, in any order, leads to the earlier text', () => {
    const line = fc.constantFrom('a', 'b', 'c', 'd');
    const lines = fc.tuple(fc.array(line, { maxLength: 8 }), fc.boolean());
    fc.assert(
      fc.property(lines, lines, fc.constantFrom('\n', '\r\n'), fc.nat(), (one, other, end, seed) => {
        const of = ([all, isEnded]: typeof one) =>
          text(all.join(end) + (isEnded && all.length > 0 ? end : ''));
        const before = of(one);
        let now: FileContent = of(other);
        for (let left = computeHunks(before.text, now.text); left.length > 0; ) {
          const { index } = left[seed % left.length] ?? { index: 0 };
          const next = without(before, now, index);
          if (next?.kind !== 'text') throw new Error('A text is left.');
          now = next;
          const after = computeHunks(before.text, now.text);
          expect(after.length).toBeLessThan(left.length);
          left = after;
        }
        expect(now.text.replace(/\r?\n$/, '')).toBe(before.text.replace(/\r?\n$/, ''));
      }),
    );
  });
});

test('a hunk is in the lines that it has, or that its removed lines were between', () => {
  const [changed, removed] = computeHunks('1\n2\n3\n4\n5\n', '1\nTWO\n3\n5\n');
  if (changed === undefined || removed === undefined) throw new Error('There are two hunks.');
  const linesOf = (hunk: typeof changed) =>
    [0, 1, 2, 3].filter((line) => isHunkInLines(hunk, { first: line, last: line }));
  expect(linesOf(changed)).toEqual([1]);
  expect(linesOf(removed)).toEqual([2, 3]);
});
