import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../test/anyText.js';
import { shorten, truncateToBytes, utf8Length } from '../src/truncate.js';

const family = '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}';

/** Characters that join with their neighbours in every way the segmenter knows, among some that do not. */
const joiningText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      'a',
      'b',
      ' ',
      '\r',
      '\n',
      '\r\n',
      '\0',
      '\u00E9',
      '\u3042',
      '\u4E2D',
      '\u0416',
      '\uD83D',
      '\uDE00',
    ),
    fc.constantFrom(
      '\u0301',
      '\u20DD',
      '\uFE0F',
      '\u200D',
      '\u200B',
      '\u{1F469}',
      '\u{1F3FD}',
      '\u00A9',
      family,
    ),
    fc.constantFrom(
      '\u{1F1EB}',
      '\u{1F1F7}',
      '\u1100',
      '\u1161',
      '\u11A8',
      '\uAC00',
      '\uAC01',
      '\u0E33',
      '\u0E01',
    ),
    fc.constantFrom('\u0915', '\u094D', '\u0937', '\u093F', '\u0600', '\u0D4E', '\u{110BD}', '\u{E0061}'),
  ),
  maxLength: 24,
});

describe('truncateToBytes', () => {
  it('cuts by bytes, not by code units', () => {
    expect(truncateToBytes('abc', 2)).toBe('ab');
    expect(truncateToBytes('\u00E9\u00E9', 3)).toBe('\u00E9');
    expect(truncateToBytes('\u4E2D\u6587', 5)).toBe('\u4E2D');
    expect(truncateToBytes('\uD83Da', 3)).toBe('\uD83D');
  });

  it('returns what fits as it is', () => {
    expect(truncateToBytes('a\u4E2D', 4)).toBe('a\u4E2D');
    expect(truncateToBytes('', 0)).toBe('');
  });

  it.each([
    ['a surrogate pair', '\u{1F600}'],
    ['a letter and its marks', 'e\u0301\u0323'],
    ['a joined emoji', family],
    ['an emoji and its skin tone', '\u{1F44D}\u{1F3FD}'],
    ['a flag', '\u{1F1EB}\u{1F1F7}'],
    ['the jamo of a syllable', '\u1112\u1161\u11AB'],
    ['CRLF', '\r\n'],
  ])('does not cut %s', (_, character) => {
    const bytes = utf8Length(character);
    for (let room = 0; room < bytes; room++) expect(truncateToBytes(`ab${character}`, 2 + room)).toBe('ab');
    expect(truncateToBytes(`ab${character}c`, 2 + bytes)).toBe(`ab${character}`);
    expect(truncateToBytes(character, bytes - 1)).toBe('');
  });

  it('counts flags from the first of a row', () => {
    const flag = '\u{1F1EB}\u{1F1F7}';
    expect(truncateToBytes(flag.repeat(50), 8 * 20 + 5)).toBe(flag.repeat(20));
  });

  it('returns an empty text when there is no room', () => {
    expect(truncateToBytes('a', 0)).toBe('');
    expect(truncateToBytes('a', -1)).toBe('');
  });

  it('gives the longest prefix of whole characters that fits', () => {
    const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
    fc.assert(
      fc.property(joiningText, fc.nat(100), (text, maxBytes) => {
        let expected = '';
        for (const { segment } of segmenter.segment(text)) {
          if (utf8Length(expected + segment) > maxBytes) break;
          expected += segment;
        }
        expect(truncateToBytes(text, maxBytes)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('gives a prefix within the bound for any text', () => {
    fc.assert(
      fc.property(anyText, fc.nat(80), (text, maxBytes) => {
        const cut = truncateToBytes(text, maxBytes);
        expect(text.startsWith(cut)).toBe(true);
        expect(utf8Length(cut)).toBeLessThanOrEqual(maxBytes);
        if (utf8Length(text) <= maxBytes) expect(cut).toBe(text);
      }),
    );
  });
});

describe('utf8Length', () => {
  it('is the number of bytes that an encoder writes, three for a lone surrogate', () => {
    const encoder = new TextEncoder();
    fc.assert(
      fc.property(anyText, (text) => {
        expect(utf8Length(text)).toBe(encoder.encode(text).length);
      }),
    );
    expect(utf8Length('\uDE00\uD83D')).toBe(6);
  });
});

describe('a label that is shortened', () => {
  it.each([
    ['', 3, ''],
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab\u2026'],
    ['\u{1F600}\u{1F600}\u{1F600}', 3, '\u{1F600}\u{1F600}\u{1F600}'],
    ['\u{1F600}\u{1F600}\u{1F600}\u{1F600}', 3, '\u{1F600}\u{1F600}\u2026'],
    ['a\u{1F600}\u{1F600}\u{1F600}', 3, 'a\u{1F600}\u2026'],
  ])('%j to %i characters is %j', (text, maxLength, shown) => {
    expect(shorten(text, maxLength)).toBe(shown);
  });

  it('takes no longer when the text is huge', () => {
    expect(shorten('x'.repeat(400_000_000), 3)).toBe('xx\u2026');
  });
});
