import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DocumentFolder, typeInto } from './support/documentFolder.js';

let folder: DocumentFolder;
beforeEach(() => {
  folder = new DocumentFolder();
});
afterEach(() => folder.dispose());

const range = (line: number, from: number, lastLine: number, to: number) => ({
  start: { line, character: from },
  end: { line: lastLine, character: to },
});

describe('an open document', () => {
  test('shows lines that end in \\n, without a byte order mark, and reports the line ends of the file', async () => {
    for (const [content, lineEnds] of [
      ['\uFEFFa\r\nb\r\n', 'crlf'],
      ['a\nb\n', 'lf'],
      ['a\rb\r', 'cr'],
      ['a\r\nb\n', 'mixed'],
    ] as const) {
      const document = await folder.openWith(content);
      expect([document.text.content, document.lineEnds]).toEqual(['a\nb\n', lineEnds]);
      expect([document.kind, document.isDirty, document.hasConflict, document.isMissing]).toEqual([
        'text',
        false,
        false,
        false,
      ]);
      document.dispose();
    }
    expect((await folder.openWith('no end')).lineEnds).toBe('none');
  });

  test('is dirty while it differs from the file, and clean again after an undo', async () => {
    const document = await folder.openWith('one\n');
    const dirtyStates: boolean[] = [];
    document.onDidChange(() => dirtyStates.push(document.isDirty));
    typeInto(document.text, 'one!\n');
    typeInto(document.text, 'one!!\n');
    typeInto(document.text, 'one\n');
    expect(dirtyStates).toEqual([true, false]);
  });

  test('reports a file that is not text or too large, without showing it', async () => {
    const binary = await folder.openWith(Buffer.from([0xff, 0xfe, 0, 1]), 'binary');
    expect([binary.kind, binary.text.content, binary.isDirty]).toEqual(['binary', '', false]);
    await expect(binary.save(0)).rejects.toMatchObject({ code: 'refused' });
    folder.write('large', '');
    truncateSync(folder.at('large'), 21 * 1024 * 1024);
    expect((await folder.open('large')).kind).toBe('too-large');
  });

  test('returns the text of a selection with the line ends of the file', async () => {
    const crlf = await folder.openWith('\uFEFFone\r\ntwo\r\n', 'crlf.txt');
    typeInto(crlf.text, 'one\nnew\ntwo\n');
    expect(crlf.selection(range(0, 1, 2, 1))).toEqual({ range: range(0, 1, 2, 1), text: 'ne\r\nnew\r\nt' });
    const mixed = await folder.openWith('one\r\ntwo\nthree\r', 'mixed.txt');
    expect(mixed.selection(range(0, 1, 3, 0)).text).toBe('ne\r\ntwo\nthree\r');
    typeInto(mixed.text, 'ONE\ntwo\nand\nthree\n');
    expect(mixed.selection(range(0, 0, 99, 0))).toEqual({
      range: range(0, 0, 4, 0),
      text: 'ONE\r\ntwo\nand\nthree\r',
    });
    expect(mixed.selection(range(1, 1, 1, 99))).toEqual({ range: range(1, 1, 1, 3), text: 'wo' });
    expect(mixed.selection(range(2, 1, 1, 0)).text).toBe('');
  });
});

describe('saving', () => {
  test('writes the text with the line ends and the byte order mark of the file', async () => {
    for (const [before, typed, after] of [
      ['\uFEFFa\r\nb\r\n', 'a\nx\nb\n', '\uFEFFa\r\nx\r\nb\r\n'],
      ['a\r\nb\nc', 'A\nb\nc\nd', 'A\r\nb\nc\nd'],
      ['a\n', 'a', 'a'],
      ['a', 'a\n', 'a\n'],
      ['', 'new\n', 'new\n'],
      ['a\r\n', '', ''],
    ] as const) {
      const document = await folder.openWith(before);
      typeInto(document.text, typed);
      await document.save(document.text.version);
      expect([folder.read('a.txt'), document.text.content, document.isDirty]).toEqual([after, typed, false]);
      document.dispose();
    }
  });

  test('writes the encoding of the file, and nothing that the encoding lacks', async () => {
    const latin = await folder.openWith(Buffer.from('Grüße, über größere Straßen\r\n', 'latin1'), 'latin');
    expect([latin.encoding, latin.text.content]).toEqual(['ISO-8859-1', 'Grüße, über größere Straßen\n']);
    typeInto(latin.text, 'Füße, über größere Straßen\n');
    await latin.save(latin.text.version);
    const written = Buffer.from('Füße, über größere Straßen\r\n', 'latin1');
    expect(readFileSync(folder.at('latin'))).toEqual(written);
    typeInto(latin.text, '🦋\n');
    await expect(latin.save(latin.text.version)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('has no “🦋”'),
    });
    expect(readFileSync(folder.at('latin'))).toEqual(written);
    const utf16 = await folder.openWith(Buffer.from('\uFEFFone\n', 'utf16le').swap16(), 'utf16');
    typeInto(utf16.text, 'one\n🦋\n');
    await utf16.save(utf16.text.version);
    expect(readFileSync(folder.at('utf16'))).toEqual(Buffer.from('\uFEFFone\n🦋\n', 'utf16le').swap16());
    expect([utf16.encoding, utf16.isDirty]).toEqual(['UTF-16BE', false]);
  });

  test('restores the file byte for byte after a change was undone', async () => {
    const line = fc.tuple(fc.constantFrom('', 'a', 'b😀'), fc.constantFrom('\n', '\r\n', '\r'));
    const content = fc
      .tuple(fc.constantFrom('', '\uFEFF'), fc.array(line, { maxLength: 6 }), fc.constantFrom('', 'last'))
      .map(([bom, lines, last]) => bom + lines.flat().join('') + last);
    await fc.assert(
      fc.asyncProperty(content, async (before) => {
        const document = await folder.openWith(before);
        const { content: shown } = document.text;
        typeInto(document.text, `${shown}more`);
        await document.save(document.text.version);
        typeInto(document.text, shown);
        await document.save(document.text.version);
        document.dispose();
        expect(folder.read('a.txt')).toBe(before);
      }),
      { numRuns: 50 },
    );
  });

  test('is refused for a version that is not the newest, and writes nothing', async () => {
    const document = await folder.openWith('one\n');
    typeInto(document.text, 'two\n');
    typeInto(document.text, 'three\n');
    await expect(document.save(1)).rejects.toMatchObject({ code: 'changed' });
    expect(folder.read('a.txt')).toBe('one\n');
  });

  test('writes the text of the request; text typed meanwhile stays unsaved', async () => {
    const document = await folder.openWith('one\n');
    typeInto(document.text, 'two\n');
    const saving = document.save(document.text.version);
    typeInto(document.text, 'two and more\n');
    await saving;
    expect([folder.read('a.txt'), document.text.content, document.isDirty]).toEqual([
      'two\n',
      'two and more\n',
      true,
    ]);
    expect(document.hasConflict).toBe(false);
  });

  test('saves the text of two concurrent requests', async () => {
    const document = await folder.openWith('one\n');
    typeInto(document.text, 'two\n');
    const first = document.save(document.text.version);
    typeInto(document.text, 'three\n');
    await Promise.all([first, document.save(document.text.version)]);
    expect([folder.read('a.txt'), document.isDirty]).toEqual(['three\n', false]);
  });

  test('does not write a file without unsaved changes', async () => {
    const document = await folder.openWith('one\n');
    const before = statSync(folder.at('a.txt'), { bigint: true });
    await document.save(0);
    const after = statSync(folder.at('a.txt'), { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  });

  test('keeps the mode of the file, and leaves no temporary file', async () => {
    const document = await folder.openWith('#!/bin/sh\n', 'run.sh');
    chmodSync(folder.at('run.sh'), 0o755);
    typeInto(document.text, '#!/bin/sh\nexit\n');
    await document.save(1);
    expect(statSync(folder.at('run.sh')).mode & 0o777).toBe(0o755);
    expect(readdirSync(folder.path)).toEqual(['run.sh']);
  });

  test('writes the target of a link and keeps the link', async () => {
    mkdirSync(folder.at('real'));
    folder.write('real/target.txt', 'one\n');
    symlinkSync(folder.at('real/target.txt'), folder.at('link.txt'));
    const document = await folder.open('link.txt');
    typeInto(document.text, 'two\n');
    await document.save(1);
    expect(lstatSync(folder.at('link.txt')).isSymbolicLink()).toBe(true);
    expect(folder.read('real/target.txt')).toBe('two\n');
  });

  test('keeps both names of a file with two hard links', async () => {
    const document = await folder.openWith('one\n');
    linkSync(folder.at('a.txt'), folder.at('b.txt'));
    typeInto(document.text, 'two\n');
    await document.save(1);
    expect([folder.read('b.txt'), statSync(folder.at('a.txt')).nlink]).toEqual(['two\n', 2]);
  });

  test('is refused for a read-only file', async () => {
    folder.write('a.txt', 'one\n');
    chmodSync(folder.at('a.txt'), 0o444);
    const document = await folder.open('a.txt');
    expect(document.isReadOnly).toBe(true);
    typeInto(document.text, 'two\n');
    await expect(document.save(1)).rejects.toMatchObject({ code: 'refused', message: /read-only/ });
    expect([folder.read('a.txt'), document.isDirty]).toEqual(['one\n', true]);
    chmodSync(folder.at('a.txt'), 0o644);
    await document.save(1);
    expect([folder.read('a.txt'), document.isReadOnly]).toEqual(['two\n', false]);
  });

  test('reports why it fails, and keeps the text', async () => {
    const document = await folder.openWith('one\n');
    typeInto(document.text, 'two\n');
    rmSync(folder.at('a.txt'));
    mkdirSync(folder.at('a.txt'));
    await expect(document.save(1)).rejects.toMatchObject({ code: 'refused' });
    expect([document.text.content, document.isDirty]).toEqual(['two\n', true]);
  });

  test('creates a deleted file and its folder again', async () => {
    mkdirSync(folder.at('sub'));
    const document = await folder.openWith('one\r\n', 'sub/a.txt');
    rmSync(folder.at('sub'), { recursive: true });
    await document.refresh();
    expect([document.isMissing, document.isDirty, document.text.content]).toEqual([true, true, 'one\n']);
    await document.save(document.text.version);
    expect([folder.read('sub/a.txt'), document.isMissing, document.isDirty]).toEqual([
      'one\r\n',
      false,
      false,
    ]);
  });

  test('replaces characters that a file cannot contain', async () => {
    const document = await folder.openWith('one\n');
    typeInto(document.text, 'half a pair \ud800\n');
    await document.save(1);
    expect([document.text.content, document.isDirty]).toEqual(['half a pair \ufffd\n', false]);
    typeInto(document.text, '\uFEFFmark\n');
    await document.save(document.text.version);
    expect([document.text.content, folder.read('a.txt'), document.isDirty]).toEqual([
      'mark\n',
      '\uFEFFmark\n',
      false,
    ]);
  });
});
