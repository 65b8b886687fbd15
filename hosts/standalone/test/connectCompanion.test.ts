import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bestFor } from '../src/connectCompanion.js';

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
    expect(bestFor(running, join(root, 'a/b/c'))).toEqual([inner]);
    expect(bestFor(running, join(root, 'a'))).toEqual([outer]);
    expect(bestFor(running, join(root, 'ab'))).toEqual([other]);
    expect(bestFor(running, root)).toEqual([]);
    expect(bestFor([], root)).toEqual([]);
  });

  test('is chosen by the best match among several folders', () => {
    const [several, outer] = [serving('ab', 'a/b'), serving('a')];
    expect(bestFor([outer, several], join(root, 'a/b/c'))).toEqual([several]);
  });

  test('is that of the terminal, unless only another one serves the path', () => {
    const ofTerminal = { ...serving('a'), agentPort: 4000 };
    const running = [ofTerminal, { ...serving('a'), agentPort: 4001 }, serving('a/b'), serving('ab')];
    const best = (folder: string) => bestFor(running, join(root, folder), '4000');
    expect(best('a')).toEqual([ofTerminal]);
    expect(best('a/b')).toEqual([ofTerminal]);
    expect(best('ab')).toEqual([serving('ab')]);
    expect(best('none')).toEqual([ofTerminal]);
    expect(bestFor(running, join(root, 'none'), undefined)).toEqual([]);
  });

  test('is ambiguous if two serve the same folder', () => {
    const running = [serving('a'), serving('a')];
    expect(bestFor(running, join(root, 'a/b'))).toEqual(running);
  });

  test('is found through a symbolic link, and for the root of the file system', () => {
    const [inside, everything] = [serving('a'), { workspaceFolders: ['/'] }];
    expect(bestFor([inside], join(root, 'link', 'b'))).toEqual([inside]);
    expect(bestFor([everything, inside], join(root, 'a'))).toEqual([inside]);
    expect(bestFor([everything, inside], '/')).toEqual([everything]);
  });

  test('is the right one for a folder that does not exist', () => {
    expect(bestFor([serving('a')], join(root, 'a', 'none'))).toHaveLength(1);
  });
});
