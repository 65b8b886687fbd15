import { describeReview } from '@tandem/companion';
import { silentLogger } from '@tandem/core';
import { type FileContent, Review } from '@tandem/reviews';
import { FakeClock } from '@tandem/testing';
import { describe, expect, test } from 'vitest';
import { commandName } from '../src/output.js';
import { reviewDiff } from '../src/reviewDiff.js';
import { plainReviewLine, shortPath } from '../src/reviewText.js';

function review(original: FileContent | string, content: string, path = '/w/a.txt', title?: string): Review {
  return new Review(
    {
      id: '1',
      proposal: { path, content, agent: 'gemini', session: 's', ...(title !== undefined && { title }) },
      original: typeof original === 'string' ? { kind: 'text', text: original } : original,
      isOutsideWorkspace: false,
    },
    { clock: new FakeClock(), logger: silentLogger },
  );
}
const diff = (of: Review) => reviewDiff(describeReview(of), '/w').split('\n');
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join('');

describe('a review shown as a diff', () => {
  test('numbers its hunks, each with its own context', () => {
    expect(
      diff(review(numbers(1, 12), numbers(1, 12).replace('2\n', 'two\n').replace('10\n', 'ten\n'))),
    ).toEqual([
      '  1  gemini  a.txt  +2 -2',
      '--- a.txt',
      '+++ a.txt',
      '@@ -1,5 +1,5 @@ hunk 1 of 2',
      ' 1',
      '-2',
      '+two',
      ' 3',
      ' 4',
      ' 5',
      '@@ -7,6 +7,6 @@ hunk 2 of 2',
      ' 7',
      ' 8',
      ' 9',
      '-10',
      '+ten',
      ' 11',
      ' 12',
    ]);
  });

  test('cuts a very long line around its change, also once it was edited by hand', () => {
    const [before, after] = ['a'.repeat(20_000), 'z'.repeat(15_000)];
    const long = review(`1\n${before}old${after}\n`, `1\n${before}new${after}\n`);
    const cut = (word: string) =>
      `…19920 characters…${'a'.repeat(80)}${word}${'z'.repeat(80)}…14920 characters…`;
    expect(diff(long).slice(4)).toEqual([' 1', `-${cut('old')}`, `+${cut('new')}`]);
    long.edit(`1\n${before}mine${after}\n`);
    const edited = diff(long);
    expect(edited.slice(4, 7)).toEqual([
      ' 1',
      expect.stringContaining('aold'),
      expect.stringContaining('amine'),
    ]);
    expect(edited.every((line) => line.length < 400)).toBe(true);
  });

  test('shows no line twice if hunks are close together', () => {
    const lines = diff(review(numbers(1, 5), '1\ntwo\n3\nfour\n5\n')).slice(3);
    expect(lines).toEqual([
      '@@ -1,3 +1,3 @@ hunk 1 of 2',
      ' 1',
      '-2',
      '+two',
      ' 3',
      '@@ -4,2 +4,2 @@ hunk 2 of 2',
      '-4',
      '+four',
      ' 5',
    ]);
  });

  test('marks a dropped hunk, and does not count its lines for later hunks', () => {
    const dropped = review(numbers(1, 9), `0\n0\n${numbers(1, 8)}nine\n`);
    dropped.dropHunk(0);
    expect(diff(dropped).slice(3)).toEqual([
      '@@ hunk 1 of 2, dropped: the file keeps its lines @@',
      '#+0',
      '#+0',
      '@@ -6,4 +6,4 @@ hunk 2 of 2',
      ' 6',
      ' 7',
      ' 8',
      '-9',
      '+nine',
    ]);
  });

  test('shows the edited text, and which hunks are kept', () => {
    const edited = review('one\ntwo\n', 'ONE\ntwo\n');
    edited.edit('mine\ntwo\n');
    expect(diff(edited).slice(3)).toEqual([
      '@@ -1,2 +1,2 @@',
      '-one',
      '+mine',
      ' two',
      'Edited by hand. Hunks of the proposal: 1 kept.',
    ]);
  });

  test('shows a new file that was edited by hand without an extra line', () => {
    const edited = review({ kind: 'missing' }, 'x\n');
    edited.edit('mine\n');
    expect(diff(edited).slice(4, 6)).toEqual(['@@ -0,0 +1,1 @@', '+mine']);
  });

  test('shows a new file, an emptied one, one that is not text, and one without a line changed', () => {
    expect(diff(review({ kind: 'missing' }, 'x\n'))).toEqual([
      '  1  gemini  a.txt  +1 -0  new file',
      '     This is a new file.',
      '--- /dev/null',
      '+++ a.txt',
      '@@ -0,0 +1,1 @@ hunk 1 of 1',
      '+x',
    ]);
    expect(diff(review('x\n', '')).slice(4)).toEqual(['@@ -1,1 +0,0 @@ hunk 1 of 1', '-x']);
    expect(diff(review({ kind: 'binary', size: 3 }, 'x\n')).slice(1)).toEqual([
      '     This file is binary. The proposal replaces all of it with text.',
      `     See the new text with: ${commandName} review show 1 --content`,
    ]);
    expect(diff(review('x\n', 'x\r\n')).slice(1)).toEqual([
      '     Line endings change from LF to CRLF.',
      '--- a.txt',
      '+++ a.txt',
      'No line changes.',
    ]);
  });

  test('shows files of more lines than a call may have arguments', () => {
    const lines = numbers(1, 150_000);
    expect(diff(review({ kind: 'missing' }, lines))).toHaveLength(150_005);
    expect(diff(review(lines, lines.replace('\n75000\n', '\nx\n')))).toHaveLength(12);
  });

  test('shows control characters of content and names, and obeys none', () => {
    const shown = reviewDiff(describeReview(review('', 'a\u001b[2J\u202e\n', '/w/b\n\u001bc')), '/w');
    expect(shown).toContain('+a␛[2J⟨202E⟩');
    expect(shown).toContain('b␊␛c');
    expect(shown.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });
});

describe('a review in a line', () => {
  test('shows remarks and how it ended', () => {
    const ended = review({ kind: 'missing' }, 'x\n');
    ended.edit('y\n');
    ended.withdraw('disconnected');
    expect(plainReviewLine(describeReview(ended), '/elsewhere')).toBe(
      '  1  gemini  /w/a.txt  +1 -0  new file, edited, agent disconnected',
    );
  });

  test.each([
    ['Rename the options', '“Rename the options”'],
    ['two\nlines\u001b[2J\u202e', '“two␊lines␛[2J⟨202E⟩”'],
    ['x'.repeat(500), `“${'x'.repeat(59)}…”`],
  ])('ends with what the agent calls it, as text, however it tries to be more [CLA-100]', (title, shown) => {
    const named = describeReview(review({ kind: 'missing' }, 'x\n', '/w/a.txt', title));
    expect(plainReviewLine(named, '/w')).toBe(`  1  gemini  a.txt  +1 -0  new file, ${shown}`);
    expect(reviewDiff(named, '/w').split('\n')[0]).toContain(shown);
  });

  test.each(['', '✻ [Claude Code] a.txt (a1b2c3) ⧉'])(
    'has no name in it that adds nothing: %j [CLA-100]',
    (title) => {
      const named = describeReview(review({ kind: 'missing' }, 'x\n', '/w/a.txt', title));
      expect(plainReviewLine(named, '/w')).toBe('  1  gemini  a.txt  +1 -0  new file');
    },
  );

  test('shows relative paths below the current folder, and absolute paths elsewhere', () => {
    expect(shortPath('/w/sub/a', '/w')).toBe('sub/a');
    expect(shortPath('/w/..a/b', '/w')).toBe('..a/b');
    expect(shortPath('/w', '/w')).toBe('/w');
    expect(shortPath('/other/a', '/w')).toBe('/other/a');
  });
});
