import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gitPatch } from '../src/gitPatch.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'git-patch-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Content = { kind: 'missing' } | { kind: 'text'; text: string };
const text = (content: string): Content => ({ kind: 'text', text: content });

/** What git makes of the file before. */
function applied(before: Content, patch: string, name: string): Content {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  if (before.kind === 'text') writeFileSync(path, before.text);
  execFileSync('git', ['apply', '--whitespace=nowarn'], { cwd: folder, input: patch });
  return existsSync(path) ? text(readFileSync(path, 'utf8')) : { kind: 'missing' };
}

const line = fc.constantFrom(
  'a',
  'b',
  '',
  ' c',
  '-d',
  '+e',
  '\\ No newline',
  'ü\u2028x',
  '\tt',
  'x\ry',
  '@@ -1 +1 @@',
);
const content = fc.oneof(
  fc.constant<Content>({ kind: 'missing' }),
  fc
    .tuple(
      fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 12 }),
      fc.constantFrom('', 'end', '\uFEFF'),
    )
    .map(([lines, end]) => text(lines.map(([words, eol]) => words + eol).join('') + end)),
);
const name = fc.constantFrom(
  'a.txt',
  'with space.txt',
  'sub/ü.txt',
  'a"quote\\.txt',
  'new\nline\t.txt',
  ' lead',
);

describe('the patch of a changed file', () => {
  test('is applied by git to exactly the same text', () => {
    fc.assert(
      fc.property(content, content, name, (before, now, path) => {
        const patch = gitPatch({ before, now }, path);
        expect(patch === undefined ? before : applied(before, patch.text, path)).toEqual(now);
      }),
      { numRuns: 150 },
    );
  });

  test('keeps the mode of a new program, and counts lines', () => {
    const patch = gitPatch({ before: { kind: 'missing' }, now: text('one\ntwo') }, 'run.sh', true);
    expect(patch?.counts).toEqual({ added: 2, removed: 0 });
    applied({ kind: 'missing' }, patch?.text ?? '', 'run.sh');
    expect(statSync(join(folder, 'run.sh')).mode & 0o111).not.toBe(0);
  });

  test('replaces all lines if they have too little in common to compare them in time', () => {
    const lines = (count: number, mark: string) =>
      Array.from({ length: count }, (_, at) => `${mark}${(at * 7919) % 4001}\n`).join('');
    const [before, now] = [
      text(`${lines(30_000, 'a')}${lines(30_000, 'b')}`),
      text(`${lines(30_000, 'b')}${lines(30_000, 'c')}end`),
    ];
    expect(applied(before, gitPatch({ before, now }, 'large.txt')?.text ?? '', 'large.txt')).toEqual(now);
  });

  test('leaves out what is not text', () => {
    expect(gitPatch({ before: { kind: 'binary', size: 1 }, now: text('a') }, 'a')).toBeUndefined();
  });
});
