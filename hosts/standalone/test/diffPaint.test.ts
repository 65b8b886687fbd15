import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { functionBefore, paintChange, paintPatch } from '../src/diffPaint.js';

const { hasColors } = process.stdout;
beforeEach(() => {
  process.stdout.hasColors = () => true;
  process.env.FORCE_COLOR = '1';
});
afterEach(() => {
  if (hasColors === undefined) Reflect.deleteProperty(process.stdout, 'hasColors');
  else process.stdout.hasColors = hasColors;
  delete process.env.FORCE_COLOR;
});

/** With `[` and `]` for inverted text, and without colours. */
const shown = (line: string) =>
  stripVTControlCharacters(line.replaceAll('\u001b[7m', '[').replaceAll('\u001b[27m', ']'));

describe('a change in a terminal', () => {
  test('marks the words that differ', () => {
    const { out, into } = paintChange(["  return 'Hello ' + name;"], ["  return 'Bye ' + name;"]);
    expect([...out, ...into].map(shown)).toEqual([
      "-  return '[Hello] ' + name;",
      "+  return '[Bye] ' + name;",
    ]);
  });

  test('marks no words of lines that have little in common, or do not correspond', () => {
    const { out, into } = paintChange(['alpha beta'], ['gamma delta epsilon zeta']);
    expect([...out, ...into].map(shown)).toEqual(['-alpha beta', '+gamma delta epsilon zeta']);
    expect(paintChange(['one two'], ['one 2', 'three']).into.map(shown)).toEqual(['+one 2', '+three']);
  });

  test('shows control characters instead of obeying them', () => {
    const { out, into } = paintChange(['a \u001b[2J b'], ['a \u001b[2J c']);
    for (const line of [...out, ...into]) expect(line).not.toContain('\u001b[2J');
  });
});

test('a patch keeps its lines in order, and a removed line that looks like a heading is a change', () => {
  const lines = [
    'diff --git a/a b/a',
    '--- a/a',
    '+++ b/a',
    '@@ -1,3 +1,3 @@ main',
    ' same',
    '--- old',
    '+++ new',
    ' end',
  ];
  expect(paintPatch(lines).map(shown)).toEqual(lines);
});

describe('the heading of a hunk', () => {
  const lines = ['function one() {', '  a', '}', '', 'export const two = () => {', '  b', '  c'];
  test('is the last line before it that begins with a letter', () => {
    expect([functionBefore(lines, 2), functionBefore(lines, 6)]).toEqual([
      'function one() {',
      'export const two = () => {',
    ]);
  });

  test('is empty at the beginning, and cut if it is long', () => {
    expect(functionBefore(lines, 0)).toBe('');
    expect(functionBefore(['x'.repeat(500)], 1)).toHaveLength(80);
  });
});
