import { expect, it } from 'vitest';
import { diffOf } from '../../src/screen/diffModel.js';
import { syntaxOf } from '../../src/screen/syntax.js';
import { review } from './sample.js';

const go = new AbortController().signal;

it('colours both texts by the name of the file, also what has several lines', async () => {
  const before = '/* one\n   two */\nconst text = "x";\n';
  const diff = diffOf(review('1', { before, after: `${before}let n = 1;\n` }));
  const inkOf = await syntaxOf('/home/me/a.ts', diff, go);
  expect(inkOf?.('old', 0)).toEqual([{ from: 0, to: 6, ink: 'comment' }]);
  expect(inkOf?.('old', 1)).toEqual([{ from: 0, to: 9, ink: 'comment' }]);
  expect(inkOf?.('new', 2)).toMatchObject([{ ink: 'keyword' }, { from: 13, to: 16, ink: 'string' }]);
  expect(inkOf?.('new', 3).map(({ ink }) => ink)).toEqual(['keyword', 'number']);
});

it('colours any line of 20,000 at once, after one look at the text', async () => {
  const after = Array.from({ length: 20_000 }, (_, at) => `def f${at}(): return "${at}"`).join('\n');
  const inkOf = await syntaxOf('/home/me/a.py', diffOf(review('1', { before: '', after })), go);
  expect(inkOf?.('new', 19_999)).toContainEqual({ from: 0, to: 3, ink: 'keyword' });
  expect(inkOf?.('new', 0)).toContainEqual({ from: 0, to: 3, ink: 'keyword' });
});

it('leaves a file of an unknown kind, and one with very long lines, without colours', async () => {
  expect(await syntaxOf('/home/me/a.unknown', diffOf(review('1')), go)).toBeUndefined();
  const after = `const a = "${'x'.repeat(30_000)}";\n`;
  expect(await syntaxOf('/home/me/a.ts', diffOf(review('1', { after })), go)).toBeUndefined();
});
