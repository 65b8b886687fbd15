import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromWirePath, pathsOfFileUri, toFileUri, toWirePath } from '../src/claude/paths.js';

describe('paths of Claude Code on Windows', () => {
  it.each([
    ['C:\\Users\\foo\\project', '/c/Users/foo/project', 'file:///c:/Users/foo/project'],
    ['d:\\a b\\é#1%.ts', '/d/a b/é#1%.ts', 'file:///d:/a b/é#1%.ts'],
    ['C:\\', '/c/', 'file:///c:/'],
    ['C:/mixed\\x', '/c/mixed/x', 'file:///c:/mixed/x'],
    ['\\\\server\\share\\x', '//server/share/x', 'file:////server/share/x'],
  ])('%s is %s on the wire and %s as a URI [CLA-91 CLA-92]', (native, wire, uri) => {
    expect(toWirePath(native, 'win32')).toBe(wire);
    expect(toFileUri(native, 'win32')).toBe(uri);
  });

  it.each([
    ['/c/Users/foo', 'C:\\Users\\foo'],
    ['/c', 'C:\\'],
    ['/c/', 'C:\\'],
    ['C:\\Users\\foo', 'C:\\Users\\foo'],
    ['C:/Users/foo', 'C:\\Users\\foo'],
    ['//server/share/x', '\\\\server\\share\\x'],
    ['/code/x', '\\code\\x'],
  ])('the wire path %s is %s [CLA-91]', (wire, native) => {
    expect(fromWirePath(wire, 'win32')).toBe(native);
  });

  it.each([
    ['file:///c:/Users/foo/file.ts', ['C:\\Users\\foo\\file.ts']],
    ['file:///C%3A/a%20b.ts', ['\\C%3A\\a%20b.ts', 'C:\\a b.ts']],
    ['file://C:\\Users\\é#1.ts', ['C:\\Users\\é#1.ts']],
    ['file://c:/x', ['C:\\x']],
    ['file:///c/Users/foo', ['C:\\Users\\foo']],
    ['file:////server/share/x', ['\\\\server\\share\\x']],
    ['file://localhost/c:/x', ['C:\\x']],
    ['file://x', []],
    ['http://c:/x', []],
  ])('the URI %s means %j [CLA-92]', (uri, paths) => {
    expect(pathsOfFileUri(uri, 'win32')).toEqual(paths);
  });

  const drive = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const part = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => !/[\\/:*?"<>|\p{Cc}]/u.test(text));
  const windowsPath = fc
    .tuple(drive, fc.array(part))
    .map(([letter, parts]) => `${letter}:\\${parts.join('\\')}`);

  it('every path survives conversion to the wire and back [CLA-91]', () => {
    fc.assert(
      fc.property(windowsPath, (path) => {
        expect(toWirePath(path, 'win32')).toMatch(/^\/[a-z]\/[^\\]*$/s);
        expect(fromWirePath(toWirePath(path, 'win32'), 'win32')).toBe(path);
      }),
    );
  });

  it('every path is the first interpretation of its URI [CLA-92]', () => {
    fc.assert(
      fc.property(windowsPath, (path) => {
        expect(toFileUri(path, 'win32')).toMatch(/^file:\/\/\/[a-z]:\/[^\\]*$/s);
        expect(pathsOfFileUri(toFileUri(path, 'win32'), 'win32')[0]).toBe(path);
      }),
    );
  });
});

describe('paths of Claude Code on POSIX systems', () => {
  const posixPath = fc.string({ unit: 'grapheme' }).map((text) => `/${text}`);

  it('are unchanged, including backslashes, and are the first interpretation of their raw URIs [CLA-91 CLA-92]', () => {
    expect(toWirePath('/Users/foo/C:\\x', 'darwin')).toBe('/Users/foo/C:\\x');
    expect(toFileUri('/path/to/file.ts', 'linux')).toBe('file:///path/to/file.ts');
    fc.assert(
      fc.property(posixPath, (path) => {
        expect(toWirePath(path, 'linux')).toBe(path);
        expect(fromWirePath(path, 'linux')).toBe(path);
        expect(toFileUri(path, 'linux')).toBe(`file://${path}`);
        expect(pathsOfFileUri(`file://${path}`, 'linux')[0]).toBe(path);
      }),
    );
  });

  it.each([
    ['file:///w/sp%20ace/%C3%A9%231.py', ['/w/sp%20ace/%C3%A9%231.py', '/w/sp ace/é#1.py']],
    ['file:///w/sp ace/é#1.py', ['/w/sp ace/é#1.py']],
    ['file:///w/100%.txt', ['/w/100%.txt']],
    ['file://localhost/w/a', ['/w/a']],
    ['FILE:///w/a', ['/w/a']],
    ['file://elsewhere/w/a', []],
    ['/w/a', []],
  ])('the URI %s means %j [CLA-92]', (uri, paths) => {
    expect(pathsOfFileUri(uri, 'linux')).toEqual(paths);
  });
});
