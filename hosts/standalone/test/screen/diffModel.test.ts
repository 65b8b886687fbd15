import { expect, it } from 'vitest';
import { changeStarts, diffOf, type Row, rowsOf } from '../../src/screen/diffModel.js';
import { original, proposed, review } from './sample.js';

const options = { isSplit: false, unfolded: new Set<number>(), comments: [] };
const shown = (rows: readonly Row[]): string[] =>
  rows.map(({ kind, old, new: current, proposed: line, count, text }) =>
    [kind, old, current, line, count, text].filter((part) => part !== undefined).join(' '),
  );

it('folds what is unchanged, except some lines around each change', () => {
  const diff = diffOf(review('1'));
  const rows = rowsOf(diff, options);
  expect(shown(rows.slice(0, 8))).toEqual([
    'same 0 0',
    'same 1 1',
    'change 2',
    'change 2',
    'same 3 3',
    'same 4 4',
    'same 5 5',
    'fold 3 6 3',
  ]);
  expect(rowsOf(diff, { ...options, unfolded: new Set([3]) }).length).toBe(rows.length + 2);
  expect(changeStarts(rows, diff)).toHaveLength(3);
});

it('puts lines side by side', () => {
  const rows = rowsOf(diffOf(review('1')), { ...options, isSplit: true });
  expect(shown(rows.filter(({ kind }) => kind === 'change'))).toEqual([
    'change 2 2',
    'change 12',
    'change 13',
    'change 17',
  ]);
});

it('shows a dropped hunk with the lines of the file, and the ones that it would have', () => {
  const content = proposed.replace('line three\n', 'line 3\n');
  const diff = diffOf(review('1', { dropped: [0], content }));
  expect(diff.blocks.filter(({ kind }) => kind !== 'same')).toMatchObject([
    { kind: 'dropped', hunk: 0 },
    { kind: 'change', hunk: 1, new: { start: 12, count: 2 } },
    { kind: 'change', hunk: 2 },
  ]);
  expect(shown(rowsOf(diff, options)).slice(2, 4)).toEqual(['same 2 2', 'dropped 2']);
});

it('keeps line numbers right after a dropped hunk of another length', () => {
  const content = proposed.replace('line 12a\nline 12b\n', '');
  const diff = diffOf(review('1', { dropped: [1], content }));
  const last = rowsOf(diff, options).findLast(({ kind }) => kind === 'same');
  expect([last?.old, last?.new]).toEqual([19, 18]);
  expect(diff.new[18]?.text).toBe(diff.old[19]?.text);
});

it('compares with the text that the user edited by hand', () => {
  const content = proposed.replace('line three', 'line 3, by me').replace('line 20', 'line twenty');
  const diff = diffOf(review('1', { content }));
  expect(diff.blocks.filter(({ kind }) => kind !== 'same')).toMatchObject([
    { hunk: 0 },
    { hunk: 1 },
    { hunk: 2 },
    { kind: 'change', hunk: undefined },
  ]);
});

it('shows line ends and byte order marks only where they differ', () => {
  expect(diffOf(review('1')).showsEnds).toBe(false);
  const crlf = proposed.replaceAll('\n', '\r\n');
  expect(diffOf(review('1', { after: crlf })).showsEnds).toBe(true);
  expect(diffOf(review('1', { before: original.replaceAll('\n', '\r\n'), after: crlf })).showsEnds).toBe(
    false,
  );
  expect(diffOf(review('1', { after: `\uFEFF${proposed}` })).bom).toEqual({ old: false, new: true });
});

it('puts comments below their lines', () => {
  const comments = [
    { id: '1', side: 'proposal' as const, lines: { first: 2, last: 2 }, quote: '', text: 'Why?\nReally' },
    { id: '2', side: 'proposal' as const, quote: '', text: 'In general' },
    { id: '3', side: 'proposal' as const, lines: { first: 8, last: 8 }, quote: '', text: 'In a fold' },
  ];
  const rows = shown(rowsOf(diffOf(review('1')), { ...options, comments }));
  expect(rows[0]).toBe('comment In general');
  const why = rows.indexOf('comment Why?');
  expect([rows[why - 1], rows[why + 1]]).toEqual(['change 2', 'comment Really']);
  expect(rows.filter((row) => row === 'comment In a fold')).toHaveLength(1);
});

it('shows a new file as one change', () => {
  const { original: _, ...rest } = review('1', { before: '', after: 'a\nb\n', isNewFile: true });
  expect(shown(rowsOf(diffOf(rest), options))).toEqual(['change 0', 'change 1']);
});
