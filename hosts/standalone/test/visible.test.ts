import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { visible, visibleLines } from '../src/visible.js';

describe('text of others on a terminal', () => {
  test('shows what could steer the terminal or turn the text around', () => {
    expect(visible('a\u001b[2J\u009b\u007f\rb')).toBe('a\\u001b[2J\\u009b\\u007f\\u000db');
    expect(visible('a\u202eb\u2066c\u2028d')).toBe('a\\u202eb\\u2066c\\u2028d');
    expect(visible('a\nb\tc')).toBe('a\\u000ab\\u0009c');
  });

  test('keeps the ends of lines and tabs where lines are shown', () => {
    expect(visibleLines('a\n\tb\r\n')).toBe('a\n\tb\\u000d\n');
  });

  test('keeps letters of any script and emoji', () => {
    for (const text of ['größe', 'файл', '文件', '👩‍💻 e\u0301']) expect(visible(text)).toBe(text);
  });

  test('never lets a control character through, and leaves JSON the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visible(text)).not.toMatch(/\p{Cc}/u);
        expect(JSON.parse(visibleLines(JSON.stringify({ text }, undefined, 2)))).toEqual({ text });
      }),
    );
  });
});
