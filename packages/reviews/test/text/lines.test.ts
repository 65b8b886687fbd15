import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../test/anyText.js';
import { describeLineEnds, dominantLineEnd, linesIn, splitBom, splitLines } from '../../src/text/lines.js';

describe('splitLines', () => {
  it('distinguishes the three kinds of line end', () => {
    expect(splitLines('a\nb\r\nc\rd')).toEqual([
      { text: 'a', end: '\n' },
      { text: 'b', end: '\r\n' },
      { text: 'c', end: '\r' },
      { text: 'd', end: '' },
    ]);
  });

  it('finds no line after a final line end, and none in an empty text', () => {
    expect(splitLines('a\n')).toEqual([{ text: 'a', end: '\n' }]);
    expect(splitLines('\n')).toEqual([{ text: '', end: '\n' }]);
    expect(splitLines('')).toEqual([]);
  });

  it('reads LF CR as two ends and CR CR LF as two', () => {
    expect(splitLines('\n\r')).toEqual([
      { text: '', end: '\n' },
      { text: '', end: '\r' },
    ]);
    expect(splitLines('\r\r\n')).toEqual([
      { text: '', end: '\r' },
      { text: '', end: '\r\n' },
    ]);
  });

  it.each(['\u2028', '\u2029', '\u0085', '\f', '\v', '\0'])('does not end a line at %j', (character) => {
    expect(splitLines(`a${character}b`)).toEqual([{ text: `a${character}b`, end: '' }]);
  });

  it('splits any text into lines without line ends that join to the same text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const lines = splitLines(text);
        expect(lines.map((line) => line.text + line.end).join('')).toBe(text);
        expect(lines.some((line) => /[\r\n]/.test(line.text))).toBe(false);
        expect(lines.slice(0, -1).every((line) => line.end !== '')).toBe(true);
      }),
    );
  });
});

describe('linesIn', () => {
  it('takes the lines of a span', () => {
    expect(linesIn(splitLines('a\nb\nc\nd\n'), { start: 1, count: 2 })).toEqual(splitLines('b\nc\n'));
  });
});

describe('splitBom', () => {
  it('removes one byte order mark, only at the start', () => {
    expect(splitBom('\uFEFFa\uFEFF')).toEqual({ bom: '\uFEFF', body: 'a\uFEFF' });
    expect(splitBom('\uFEFF\uFEFF')).toEqual({ bom: '\uFEFF', body: '\uFEFF' });
    expect(splitBom('a')).toEqual({ bom: '', body: 'a' });
    expect(splitBom('')).toEqual({ bom: '', body: '' });
  });
});

describe('dominantLineEnd', () => {
  it('is the most frequent kind', () => {
    expect(dominantLineEnd('a\nb\r\nc\r\n')).toBe('\r\n');
    expect(dominantLineEnd('a\r\nb\rc\r')).toBe('\r');
    expect(dominantLineEnd('a\nb')).toBe('\n');
  });

  it('is the first to occur of equally frequent kinds', () => {
    expect(dominantLineEnd('a\rb\nc\nd\r')).toBe('\r');
    expect(dominantLineEnd('a\nb\rc\rd\n')).toBe('\n');
  });

  it('is undefined without a line end', () => {
    expect(dominantLineEnd('a\u2028b')).toBeUndefined();
  });
});

describe('describeLineEnds', () => {
  it.each([
    ['', 'none'],
    ['a\u2028b', 'none'],
    ['a\nb\n', 'lf'],
    ['a\r\nb', 'crlf'],
    ['a\rb\r', 'cr'],
    ['a\nb\r\n', 'mixed'],
    ['a\n\rb', 'mixed'],
  ])('calls %j %s', (text, kind) => {
    expect(describeLineEnds(text)).toBe(kind);
  });
});
