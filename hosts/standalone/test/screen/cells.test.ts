import { expect, it } from 'vitest';
import { cut, fit, shorten, span, widthOf, wrap } from '../../src/screen/cells.js';

const textOf = (line: readonly { text: string }[]): string => line.map(({ text }) => text).join('');

it.each([
  ['', 0],
  ['plain', 5],
  ['─│…·', 4],
  ['日本語', 6],
  ['한국', 4],
  ['ｆｕｌｌ', 8],
  ['é', 1],
  ['e\u0301', 1],
  ['🦋', 2],
  ['👩‍👩‍👧', 2],
  ['🇩🇪', 2],
  ['☎️', 2],
  ['☎', 1],
])('%j has %i columns', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

it('makes visible what would control the terminal, and keeps one row', () => {
  const hostile = '\u001b[2J\u001b]0;title\u0007 a\tb\nc\rd \u009b31m \u202e\u200b';
  const { text } = span(hostile);
  expect(text).not.toMatch(/[\p{Cc}\u202e\u200b]/u);
  expect(text).toContain('␛[2J␛]0;title␇ a b c␍d ⟨009B⟩31m ⟨202E⟩⟨200B⟩');
});

it('cuts a letter with very many marks, which would be drawn over other lines', () => {
  const { text } = span(`a${'\u0301'.repeat(500)}b`);
  expect(textOf(cut([{ text, style: {} }], 0, 10)).length).toBeLessThan(30);
});

it('cuts by columns, and shows half of a wide character as a space', () => {
  const line = [span('a日b'), span('cd')];
  expect(textOf(cut(line, 0, 2))).toBe('a ');
  expect(textOf(cut(line, 2, 3))).toBe(' bc');
  expect(textOf(cut(line, 1, 3))).toBe('日b');
});

it('fills or cuts a line to its width', () => {
  expect(textOf(fit([span('ab')], 4))).toBe('ab  ');
  expect(textOf(fit([span('日本')], 3))).toBe('日 ');
  expect(textOf(shorten([span('abcdef')], 4))).toBe('abc…');
  expect(textOf(shorten([span('abcd')], 4))).toBe('abcd');
});

it('wraps at words, and inside of a word that is too long', () => {
  expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrap('abcdefghij kl', 4)).toEqual(['abcd', 'efgh', 'ij', 'kl']);
  expect(wrap('日本語', 4)).toEqual(['日本', '語']);
  expect(wrap('a\n\nb', 4)).toEqual(['a', '', 'b']);
});
