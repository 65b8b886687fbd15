import {
  isWithin,
  joinPath,
  labelIn,
  looksRemote,
  normalPath,
  parentPath,
  partsBelow,
  pathParts,
} from '@tandem/core';
import { describe, expect, it } from 'vitest';

describe('pathParts', () => {
  it.each([
    ['/', []],
    ['/a/b.txt', ['a', 'b.txt']],
    ['//a///b/', ['a', 'b']],
    ['/a/./b/../c', ['a', 'c']],
    ['/../../a', ['a']],
    ['/a/with\\backslash', ['a', 'with\\backslash']],
    ['C:\\Users\\x', ['C:', 'Users', 'x']],
    ['C:/Users\\x', ['C:', 'Users', 'x']],
    ['C:\\..\\..\\x', ['C:', 'x']],
    ['\\\\server\\share\\x', ['server', 'share', 'x']],
  ])('splits %s', (path, parts) => {
    expect(pathParts(path)).toEqual(parts);
  });
});

describe('looksRemote', () => {
  it.each([
    '/ssh:host:/etc/motd',
    '/ssh:$(command)@x:/etc/motd',
    '/sudo::/etc/hosts',
    '/scp:x|sudo:y:/etc/hosts',
    '/-:host:/a',
    '/:/etc/motd',
    '/C:/a.txt',
    '/ssh:',
    '//ssh:host:/a',
    '/./ssh:host:/a',
    '/x/../ssh:host:/a',
    '/../ssh:host:/a',
    '/ssh:host:/../a',
    '/x/../ssh:y/../a',
    '\\ssh:host:\\a',
    'C:\\..\\ssh:host:\\a',
    'ssh:host:/a',
  ])('is true for %s', (path) => {
    expect(looksRemote(path)).toBe(true);
  });

  it.each([
    '/',
    '/home/u/ws/x:y',
    '/home/ssh:host:/a',
    '/x/../home/ssh:host:/a',
    '/ssh/a:b',
    'C:\\ws\\a.txt',
    'c:/ws/a.txt:stream',
    '\\\\server\\share\\a:b',
  ])('is false for %s', (path) => {
    expect(looksRemote(path)).toBe(false);
  });
});

describe('isWithin', () => {
  it.each([
    ['/ws', '/ws', true],
    ['/ws', '/ws/a/b', true],
    ['/ws/', '/ws/a', true],
    ['/', '/anything', true],
    ['/ws', '/wsx/a', false],
    ['/ws', '/w', false],
    ['/ws', '/WS/a', false],
    ['/ws', '/ws/../etc/passwd', false],
    ['/ws', '/elsewhere/../ws/a', true],
    ['/ws', '/ws\\a', false],
    ['C:\\ws', 'c:\\ws\\a.txt', true],
    ['C:\\ws', 'C:/ws/a.txt', true],
    ['C:\\ws', 'D:\\ws\\a.txt', false],
    ['C:\\ws', 'C:\\WS\\a.txt', false],
  ])('%s holds %s: %s', (folder, path, isInside) => {
    expect(isWithin(folder, path)).toBe(isInside);
  });

  it('gives the names below', () => {
    expect(partsBelow('C:\\ws', 'c:\\ws\\a\\b.txt')).toEqual(['a', 'b.txt']);
    expect(partsBelow('/ws', '/ws')).toEqual([]);
    expect(partsBelow('/ws', '/other')).toBeUndefined();
  });
});

describe('joinPath', () => {
  it.each([
    ['/ws', ['a', 'b'], '/ws/a/b'],
    ['/ws/', ['a'], '/ws/a'],
    ['/', ['a'], '/a'],
    ['/', [], '/'],
    ['/folder\\', ['a'], '/folder\\/a'],
    ['C:\\ws', ['a', 'b'], 'C:\\ws\\a\\b'],
    ['C:\\', ['a'], 'C:\\a'],
    ['C:/ws', ['a'], 'C:/ws/a'],
  ])('puts %s and %j together', (folder, parts, path) => {
    expect(joinPath(folder, ...parts)).toBe(path);
  });
});

describe('parentPath', () => {
  it.each([
    ['/a/b', '/a'],
    ['/a/b/', '/a'],
    ['/a', '/'],
    ['/', '/'],
    ['/a\\b/c', '/a\\b'],
    ['C:\\a\\b', 'C:\\a'],
    ['C:\\a', 'C:\\'],
    ['C:\\', 'C:\\'],
    ['C:/a/b', 'C:/a'],
  ])('of %s is %s', (path, parent) => {
    expect(parentPath(path)).toBe(parent);
  });
});

describe('normalPath', () => {
  it.each([
    ['/w/missing/../a.txt', '/w/a.txt'],
    ['/w/./a.txt', '/w/a.txt'],
    ['//w//a.txt', '/w/a.txt'],
    ['/../../a', '/a'],
    ['/w/a/', '/w/a'],
    ['/', '/'],
    ['/w/a..b/.c', '/w/a..b/.c'],
    ['/w\\..\\a', '/w\\..\\a'],
    ['C:\\w\\x\\..\\a.txt', 'C:\\w\\a.txt'],
    ['C:/w/../a.txt', 'C:\\a.txt'],
    ['C:\\w\\a.txt', 'C:\\w\\a.txt'],
    ['\\\\server\\share\\a\\..\\b', '\\\\server\\share\\b'],
    ['\\\\server\\share\\b', '\\\\server\\share\\b'],
  ])('of %s is %s', (path, normal) => {
    expect(normalPath(path)).toBe(normal);
    expect(normalPath(normal)).toBe(normal);
  });
});

describe('labelIn', () => {
  it.each([
    [['/ws/app'], '/ws/app/src/a.ts', 'src/a.ts'],
    [['/ws/app', '/ws/lib'], '/ws/lib/a.ts', 'lib/a.ts'],
    [['/ws', '/ws/lib'], '/ws/lib/a.ts', 'lib/a.ts'],
    [['/ws/app'], '/ws/app', 'app'],
    [['/ws/app'], '/ws/application', '/ws/application'],
    [['/ws/app'], '/ws/app/a\\b.ts', 'a\\b.ts'],
    [['C:\\ws\\app'], 'C:\\ws\\app\\src\\a.ts', 'src/a.ts'],
    [['C:\\ws\\app', 'D:\\lib'], 'd:\\lib\\a.ts', 'lib/a.ts'],
  ])('in %j, %s is %s', (folders, path, label) => {
    expect(labelIn(folders, path)).toBe(label);
  });
});
