import { expect, it } from 'vitest';
import { unifiedDiff } from '../src/hooks/unifiedDiff.js';

const file = 'a\r\nb\r\nc\r\nd\r\n';
const apply = (diff: string, before?: string) => unifiedDiff('/w/a.txt', diff)[0]?.apply(before);

it.each([
  [
    'several hunks',
    'diff\n--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -4,2 +4,3 @@\n d\n+e\n \n',
    file,
    'A\nb\nc\nd\ne\n',
  ],
  ['a text in place of all', '@@ -1,5 +1,1 @@\n-a\n-b\n-c\n-d\n \n', file, ''],
  ['a new file', '@@ -1,0 +1,2 @@\n+x\n+y\n', undefined, 'x\ny'],
])('applies %s to the lines of a file', (_what, diff, before, after) => {
  expect(apply(diff, before)).toBe(after);
});

it.each([
  ['has no hunk', 'no diff'],
  ['is about other lines', '@@ -1,2 +1,2 @@\n-x\n+A\n b\n'],
  ['has another context', '@@ -1,2 +1,2 @@\n-a\n+A\n x\n'],
  ['is about lines behind the end', '@@ -9000000000000000,0 +1,1 @@\n+x\n'],
  ['goes back', '@@ -4,1 +4,1 @@\n-d\n+D\n@@ -1,1 +1,1 @@\n-a\n+A\n'],
  ['ends early', '@@ -1,2 +1,2 @@\n-a\n'],
  ['has a line of another kind', '@@ -1,1 +1,1 @@\n?a\n'],
  ['has counts of another form', '@@ -1 +1 @@\n-a\n+A\n'],
  ['has more after it', '@@ -1,1 +1,1 @@\n-a\n+A\nmore\n'],
])('refuses a diff that %s', (_what, diff) => {
  expect(apply(diff, file)).toBeUndefined();
});

it('is a deletion if the new file is none', () => {
  const [edit, ...others] = unifiedDiff(
    '/w/a.txt',
    '--- a/w/a.txt\n+++ b/dev/null\n@@ -1,2 +0,0 @@\n-one\n-\n\n',
  );
  expect(others).toEqual([]);
  expect(edit).toMatchObject({ path: '/w/a.txt', isDeletion: true });
  expect(edit?.apply('one\n')).toBe('');
});

it('is a deletion and a new file if it is moved', () => {
  const diff = '--- a/w/b.txt\n+++ b/w/a.txt\n@@ -1,2 +1,2 @@\n-one\n+ONE\n \n';
  const [from, to] = unifiedDiff('/w/a.txt', diff);
  expect(from).toMatchObject({ path: '/w/b.txt', isDeletion: true });
  expect(to).toMatchObject({ path: '/w/a.txt', from: '/w/b.txt' });
  expect(to?.apply('one\n')).toBe('ONE\n');
});
