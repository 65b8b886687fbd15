import { expect, it } from 'vitest';
import { wordChanges } from '../../src/screen/wordChanges.js';

const wordsOf = (old: string, current: string): [string[], string[]] => {
  const { old: gone, new: come } = wordChanges(old, current);
  return [
    gone.map(({ from, to }) => old.slice(from, to)),
    come.map(({ from, to }) => current.slice(from, to)),
  ];
};

it.each([
  ['const a = one(1);', 'const a = two(1);', [['one'], ['two']]],
  ['f(a, b)', 'f(a, c, b)', [[], ['c, ']]],
  ['same', 'same', [[], []]],
  ['  return value;', '    return value;', [['  '], ['    ']]],
  ['let größe = 1;', 'let höhe = 1;', [['größe'], ['höhe']]],
])('marks what differs in %j and %j', (old, current, words) => {
  expect(wordsOf(old, current)).toEqual(words);
});

it('marks nothing in lines that have little in common', () => {
  expect(wordsOf('import { a } from "b";', 'while (true) doSomething(else);')).toEqual([[], []]);
});

it('is fast for long lines', () => {
  const long = Array.from({ length: 5_000 }, (_, at) => `word${at}`).join(' ');
  const startedAt = performance.now();
  expect(wordsOf(`${long} end`, `start ${long} end`)).toEqual([[], ['start ']]);
  expect(performance.now() - startedAt).toBeLessThan(200);
});
