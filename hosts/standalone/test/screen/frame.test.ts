import { expect, it } from 'vitest';
import { fit, type Line, span } from '../../src/screen/cells.js';
import { drawFrame } from '../../src/screen/frame.js';
import { createPalette, guessIsLight, isLightColour } from '../../src/screen/palette.js';

const palette = createPalette({ depth: 24, isLight: false });
const lines = (...texts: string[]): Line[] => texts.map((text) => fit([span(text)], 20));

it('writes only the rows that differ', () => {
  const first = drawFrame(lines('one', 'two', 'three'), [], palette);
  const second = drawFrame(lines('one', 'TWO', 'three'), first.rows, palette);
  expect(second.output).toContain('TWO');
  expect(second.output).not.toMatch(/one|three/);
  expect(drawFrame(lines('one', 'TWO', 'three'), second.rows, palette).output).toBe('');
});

it('sets the cursor after each wide character, so that what follows keeps its column in every terminal', () => {
  const line: Line = [...fit([span('🦋 日本 👩‍👩‍👧 x')], 15), span('|end')];
  const { output } = drawFrame([line], [], palette);
  const cursor = (column: number): string => `\u001b[${column}G`;
  expect(output).toContain(`🦋${cursor(3)} 日${cursor(6)}本${cursor(8)} 👩‍👩‍👧${cursor(11)} x   |end`);
});

it.each([
  '\u001b[2J',
  '\u001b]0;owned\u0007',
  '\u009b2J',
  '\u001bP+q544e\u001b\\',
  '\u001b_Gi=1;AAAA\u001b\\',
  'a\rb\bc\nd',
  '\u0000\u007f\u0085',
])('lets nothing of %j through, even if a span was made without the check', (text) => {
  const { output } = drawFrame([[{ text, style: {} }]], [], palette);
  // What is left after our own sequences.
  const parts = output.split('\u001b').filter((part) => !/^\[(\?2026[hl]|[0-9;]*[mHG])?$/.test(part));
  expect(parts.join('')).toMatch(/^\[0m\P{Cc}*$/u);
});

it('uses no colour without colours, and what the terminal can do with them', () => {
  const style = { ink: 'added', paper: 'addedWord' } as const;
  expect(createPalette({ depth: 1, isLight: false })(style)).toBe('\u001b[0;7m');
  expect(createPalette({ depth: 4, isLight: false })(style)).toBe('\u001b[0;32;7m');
  expect(createPalette({ depth: 8, isLight: false })(style)).toBe('\u001b[0;38;5;78;48;5;23m');
  const [dark, light] = [false, true].map((isLight) => createPalette({ depth: 24, isLight })(style));
  expect(dark).toBe('\u001b[0;38;2;107;217;138;48;2;31;107;58m');
  expect(light).not.toBe(dark);
});

it.each([
  ['rgb:ffff/ffff/ffff', true],
  ['rgb:1e1e/1e1e/1e1e', false],
  ['rgb:ff/fa/e0', true],
  ['rgba:0000/0000/0000/ffff', false],
  ['nonsense', undefined],
])('reads the background %s', (reported, isLight) => {
  expect(isLightColour(reported)).toBe(isLight);
});

it('guesses the background from the environment', () => {
  expect([guessIsLight('0;15'), guessIsLight('15;0'), guessIsLight(undefined)]).toEqual([true, false, false]);
});
