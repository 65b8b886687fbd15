import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseFileTarget } from '../src/fileTarget.js';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'targets-'));
  for (const name of ['a.ts', 'b:7', 'b', 'c:1:2', 'x-1.txt', 'line\nbreak', 'd:5-6'])
    writeFileSync(join(cwd, name), '');
});

const end = Number.MAX_SAFE_INTEGER;
const range = (line: number, character: number, endLine: number, endCharacter: number) => ({
  start: { line, character },
  end: { line: endLine, character: endCharacter },
});

describe('FILE[:LINE[:COL][-LINE[:COL]]]', () => {
  const cases: readonly [string, string, ReturnType<typeof range> | undefined][] = [
    ['a.ts', 'a.ts', undefined],
    ['a.ts:3', 'a.ts', range(2, 0, 2, 0)],
    ['a.ts:3:2', 'a.ts', range(2, 1, 2, 1)],
    ['a.ts:3-5', 'a.ts', range(2, 0, 4, end)],
    ['a.ts:3:2-5', 'a.ts', range(2, 1, 4, end)],
    ['a.ts:3-5:7', 'a.ts', range(2, 0, 4, 6)],
    ['a.ts:3:2-5:7', 'a.ts', range(2, 1, 4, 6)],
    ['a.ts:3-3', 'a.ts', range(2, 0, 2, end)],
    ['a.ts:3:', 'a.ts', range(2, 0, 2, 0)],
    ['a.ts:3:2:', 'a.ts', range(2, 1, 2, 1)],
    ['x-1.txt:2', 'x-1.txt', range(1, 0, 1, 0)],
    ['line\nbreak:2', 'line\nbreak', range(1, 0, 1, 0)],
    // Names that look like ranges, if such a file exists.
    ['b:7', 'b:7', undefined],
    ['b:7:3', 'b:7', range(2, 0, 2, 0)],
    ['b:8', 'b', range(7, 0, 7, 0)],
    ['c:1:2', 'c:1:2', undefined],
    ['c:1:2:9', 'c:1:2', range(8, 0, 8, 0)],
    ['c:1:2:9:4-9:6', 'c:1:2', range(8, 3, 8, 5)],
    ['d:5-6', 'd:5-6', undefined],
    // A file that does not exist is reported as the user meant it.
    ['none.ts:3:2', 'none.ts', range(2, 1, 2, 1)],
    ['none.ts:x', 'none.ts:x', undefined],
    [':3', ':3', undefined],
    ['a.ts:99999999999999999999', 'a.ts', range(end, 0, end, 0)],
  ];
  for (const [text, name, expected] of cases) {
    test(`reads ${JSON.stringify(text)}`, () => {
      const target = parseFileTarget(text, cwd);
      expect(target.path).toBe(join(cwd, name));
      expect(target.range).toEqual(expected);
    });
  }

  test('takes an absolute path as it is', () => {
    expect(parseFileTarget(join(cwd, 'a.ts:4'), '/elsewhere').path).toBe(join(cwd, 'a.ts'));
  });

  for (const text of ['a.ts:0', 'a.ts:1:0', 'a.ts:1-0', 'a.ts:5-3', 'a.ts:5:4-5:3']) {
    test(`refuses ${text}, which is no range`, () => {
      expect(() => parseFileTarget(text, cwd)).toThrow(RangeError);
    });
  }
});
