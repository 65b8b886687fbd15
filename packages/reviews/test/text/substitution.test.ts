import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Substitution } from '../../src/text/substitution.js';

const delicate = /[\0\u2028\u2029]|\p{Cs}/u;

describe('Substitution', () => {
  it('does not change a text without delicate characters', () => {
    const substitution = new Substitution('plain, größe, 😀\r\n\uE000');
    expect(substitution.show('plain, größe, 😀\r\n\uE000')).toBe('plain, größe, 😀\r\n\uE000');
    expect(substitution.restore('\uE000')).toBe('\uE000');
  });

  it('replaces delicate characters and restores every text exactly', () => {
    const character = fc.oneof(
      fc.constantFrom('\0', '\u2028', '\u2029', '\uD800', '\uDC00', '\uE000', '\uE001', '\uE002', '😀'),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    );
    const text = fc.array(character).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (file, proposal) => {
        const substitution = new Substitution(file, proposal);
        for (const each of [file, proposal]) {
          expect(substitution.show(each)).not.toMatch(delicate);
          expect(substitution.restore(substitution.show(each))).toBe(each);
        }
      }),
    );
  });
});
