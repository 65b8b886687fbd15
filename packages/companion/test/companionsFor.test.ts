import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { companionsFor } from '../src/control/companionsFor.js';

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
    expect(companionsFor(running, join(root, 'a/b/c'), undefined)).toEqual([inner]);
    expect(companionsFor(running, join(root, 'a'), undefined)).toEqual([outer]);
    expect(companionsFor(running, join(root, 'ab'), undefined)).toEqual([other]);
    expect(companionsFor(running, root, undefined)).toEqual([]);
    expect(companionsFor([], root, undefined)).toEqual([]);
  });

  test('is chosen by the best match among several folders', () => {
    const [several, outer] = [serving('ab', 'a/b'), serving('a')];
    expect(companionsFor([outer, several], join(root, 'a/b/c'), undefined)).toEqual([several]);
  });

  test('is that of the terminal, unless only another one serves the path', () => {
    const ofTerminal = { ...serving('a'), agentPort: 4000 };
    const running = [ofTerminal, { ...serving('a'), agentPort: 4001 }, serving('a/b'), serving('ab')];
    const best = (folder: string) => companionsFor(running, join(root, folder), '4000');
    expect(best('a')).toEqual([ofTerminal]);
    expect(best('a/b')).toEqual([ofTerminal]);
    expect(best('ab')).toEqual([serving('ab')]);
    expect(best('none')).toEqual([ofTerminal]);
    expect(companionsFor(running, join(root, 'none'), undefined)).toEqual([]);
  });

  test('is ambiguous if two serve the same folder', () => {
    const running = [serving('a'), serving('a')];
    expect(companionsFor(running, join(root, 'a/b'), undefined)).toEqual(running);
  });

  test('is found through a symbolic link, and for the root of the file system', () => {
    const [inside, everything] = [serving('a'), { workspaceFolders: ['/'] }];
    expect(companionsFor([inside], join(root, 'link', 'b'), undefined)).toEqual([inside]);
    expect(companionsFor([everything, inside], join(root, 'a'), undefined)).toEqual([inside]);
    expect(companionsFor([everything, inside], '/', undefined)).toEqual([everything]);
  });

  test('is the right one for a folder that does not exist', () => {
    expect(companionsFor([serving('a')], join(root, 'a', 'none'), undefined)).toHaveLength(1);
  });
});
