import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { innermost } from '../src/connectCompanion.js';

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'choose-')));
  mkdirSync(join(root, 'a', 'b', 'c'), { recursive: true });
  mkdirSync(join(root, 'ab'));
  symlinkSync(join(root, 'a'), join(root, 'link'));
});

const serving = (...folders: string[]) => ({ workspaceFolders: folders.map((name) => join(root, name)) });

describe('the companion of a command', () => {
  test('is the one whose folder is the innermost around the current one', () => {
    const [outer, inner, other] = [serving('a'), serving('a/b'), serving('ab')];
    const running = [outer, inner, other];
    expect(innermost(running, join(root, 'a/b/c'))).toEqual([inner]);
    expect(innermost(running, join(root, 'a'))).toEqual([outer]);
    expect(innermost(running, join(root, 'ab'))).toEqual([other]);
    expect(innermost(running, root)).toEqual([]);
    expect(innermost([], root)).toEqual([]);
  });

  test('is chosen by the best match among several folders', () => {
    const [several, outer] = [serving('ab', 'a/b'), serving('a')];
    expect(innermost([outer, several], join(root, 'a/b/c'))).toEqual([several]);
  });

  test('is ambiguous if two serve the same folder', () => {
    const running = [serving('a'), serving('a')];
    expect(innermost(running, join(root, 'a/b'))).toEqual(running);
  });

  test('is found through a symbolic link, and for the root of the file system', () => {
    const [inside, everything] = [serving('a'), { workspaceFolders: ['/'] }];
    expect(innermost([inside], join(root, 'link', 'b'))).toEqual([inside]);
    expect(innermost([everything, inside], join(root, 'a'))).toEqual([inside]);
    expect(innermost([everything, inside], '/')).toEqual([everything]);
  });

  test('is the right one for a folder that does not exist', () => {
    expect(innermost([serving('a')], join(root, 'a', 'none'))).toHaveLength(1);
  });
});
