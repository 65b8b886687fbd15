import { describe, expect, it } from 'vitest';
import { textRows } from '../src/chat/permissionRows.js';

describe('the rows of a text', () => {
  it('are its lines, with invisible characters made visible', () => {
    expect(textRows('ls\n\trm \u202ex')).toEqual(['ls', '\trm ⟨202E⟩x']);
    expect(textRows('')).toEqual(['']);
  });

  it.each([
    ['narrow letters', 'x'],
    ['wide letters', 'W'],
    ['letters as wide as high', '文'],
    ['emoji', '😀'],
  ])('hold the whole text, and none is wider than what is shown of it: %s', (_name, letter) => {
    // The widest of them in the font of VS Code, in pixels at 13 px.
    const widest = { x: 7, W: 13, 文: 14, '😀': 18 }[letter] ?? Number.NaN;
    const rows = textRows(letter.repeat(500));
    expect(rows.join('')).toBe(letter.repeat(500));
    for (const row of rows) expect([...row].length * widest).toBeLessThanOrEqual(480);
  });
});
