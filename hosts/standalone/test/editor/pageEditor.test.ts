import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SavedDocument, silentLogger } from '@tandem/core';
import { beforeEach, describe, expect, test } from 'vitest';
import { PageEditor } from '../../src/editor/pageEditor.js';
import { typeInto } from './support/documentFolder.js';

let folder: string;
let editor: PageEditor;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'editor-')));
  editor = new PageEditor({ folders: [folder], isTrusted: true, version: '1', logger: silentLogger });
});

const at = (line: number, character = 0) => ({ line, character });
function write(name: string, text: string | Buffer): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
const active = () => editor.context.snapshot().openFiles[0];

describe('the files that the user saves', () => {
  test('are reported with the text as it was written, also if it ends a conflict', async () => {
    const path = write('a.txt', '\uFEFFone\r\n');
    const saved: SavedDocument[] = [];
    editor.documents.onDidSave?.((each) => saved.push(each));
    const document = await editor.openDocument(path);
    await document.save(document.text.version);
    typeInto(document.text, 'half a pair: \ud83d\n');
    await document.save(document.text.version);
    expect(readFileSync(path, 'utf8')).toBe('\uFEFFhalf a pair: \ufffd\r\n');
    typeInto(document.text, 'mine\n');
    write('a.txt', 'from elsewhere\n');
    await expect(document.save(document.text.version)).rejects.toMatchObject({ code: 'conflict' });
    await document.resolve('theirs');
    typeInto(document.text, 'mine again\n');
    write('a.txt', 'from elsewhere, too\n');
    await document.refresh();
    await document.resolve('mine');
    expect(saved).toEqual([
      { path, text: 'half a pair: \ufffd\n' },
      { path, text: 'mine again\n' },
    ]);
  });
});

describe('the active file', () => {
  test('has a path below the real path of the workspace, also if opened through a link', async () => {
    const link = join(realpathSync(mkdtempSync(join(tmpdir(), 'links-'))), 'link');
    symlinkSync(folder, link);
    const path = write('a.txt', 'x');
    await editor.documents.open(join(link, 'a.txt'), { takeFocus: true });
    expect(editor.context.snapshot().activePath).toBe(path);
  });

  test('keeps the name of a link inside the workspace, which the sharing policy checks', async () => {
    mkdirSync(join(folder, 'keys'));
    write('keys/plain.txt', 'x');
    symlinkSync(join(folder, 'keys/plain.txt'), join(folder, '.env'));
    symlinkSync(join(folder, 'keys'), join(folder, '.ssh'));
    await editor.documents.open(join(folder, '.env'), { takeFocus: true });
    expect(active()?.path).toBe(join(folder, '.env'));
    await editor.documents.open(join(folder, '.ssh', 'plain.txt'), { takeFocus: true });
    expect(active()?.path).toBe(join(folder, '.ssh', 'plain.txt'));
  });

  test('keeps its name outside the workspace', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'elsewhere-')), 'a.txt');
    writeFileSync(path, 'x');
    await editor.documents.open(path, { takeFocus: true });
    expect(active()?.path).toBe(path);
  });

  test('reads its selection again when it is activated again', async () => {
    const path = write('a.txt', 'one\ntwo\n');
    const range = { start: at(1), end: at(1, 99) };
    await editor.documents.open(path, { range, takeFocus: true });
    expect(active()?.selection?.text).toBe('two');
    write('a.txt', 'one\nTWO!\n');
    await editor.documents.open(path, { takeFocus: true });
    expect(active()?.selection?.text).toBe('TWO');
  });

  test('does not count a byte order mark as a character', async () => {
    const path = write('bom.txt', '\uFEFFone\n');
    await editor.documents.open(path, { range: { start: at(0, 0), end: at(0, 2) }, takeFocus: true });
    expect(active()?.selection?.text).toBe('on');
  });

  test.each([
    ['Latin-1', Buffer.from('Grüße, über größere Straßen\ntwo\n', 'latin1'), 'Grüße'],
    ['UTF-16 with a mark', Buffer.from('\uFEFFone é\r\ntwo\r\n', 'utf16le'), 'one é'],
    ['UTF-16 without a mark', Buffer.from('one: four\ntwo\n', 'utf16le'), 'one: '],
    ['UTF-8 with U+2028', Buffer.from('a\u2028b\u2028c\ntwo\n'), 'a\u2028b\u2028c'],
  ])('is shared with the decoded selection of a file in %s', async (_encoding, bytes, text) => {
    const path = write('encoded.txt', bytes);
    await editor.documents.open(path, { range: { start: at(0, 0), end: at(0, 5) }, takeFocus: true });
    expect(active()?.selection?.text).toBe(text);
    await editor.documents.open(path, { range: { start: at(1), end: at(1, 9) }, takeFocus: true });
    expect(active()?.selection?.text).toBe('two');
  });

  test('is shared without a selection if it is not text', async () => {
    const path = write('picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 10, 0, 255]));
    await editor.documents.open(path, { range: { start: at(0), end: at(0, 9) }, takeFocus: true });
    expect(active()).toMatchObject({ path });
    expect(active()?.selection).toBeUndefined();
  });

  test('is shared without a selection if it is too large to read', async () => {
    const path = write('huge', '');
    truncateSync(path, 65 * 1024 * 1024);
    await editor.documents.open(path, { range: { start: at(0), end: at(5) }, takeFocus: true });
    expect(active()).toMatchObject({ path });
    expect(active()?.selection).toBeUndefined();
  });

  test('is the last requested one, even if an earlier one takes longer to read', async () => {
    const large = write('large.txt', 'line\n'.repeat(500_000));
    const small = write('small.txt', 'x\n');
    const range = { start: at(0), end: at(499_999) };
    await Promise.all([
      editor.documents.open(large, { range, takeFocus: true }),
      editor.documents.open(small, { range, takeFocus: true }),
    ]);
    expect(editor.context.snapshot().activePath).toBe(small);
  });

  test('can be opened after a file that could not be opened', async () => {
    const path = write('a.txt', 'x');
    await expect(editor.documents.open(join(folder, 'none'))).rejects.toMatchObject({ code: 'not-found' });
    await editor.documents.open(path, { takeFocus: true });
    expect(active()?.path).toBe(path);
  });

  test('is refused with a clear message if it cannot be read', async () => {
    // File modes do not restrict root, but even root cannot read the memory of a process at offset 0.
    const path = process.getuid?.() === 0 ? `/proc/${process.pid}/mem` : write('secret.txt', 'x');
    if (process.getuid?.() !== 0) chmodSync(path, 0);
    await expect(
      editor.documents.open(path, { range: { start: at(0), end: at(0, 1) } }),
    ).rejects.toMatchObject({ code: 'failed', message: `${path} cannot be read.` });
  });
});

describe('many files', () => {
  test('stay open up to the hundred most recently focused', async () => {
    for (let number = 0; number < 105; number++) {
      await editor.documents.open(write(`${number}.txt`, 'x'), { takeFocus: true });
    }
    const { openFiles } = editor.context.snapshot();
    expect(openFiles).toHaveLength(100);
    expect([openFiles[0]?.path, openFiles.at(-1)?.path]).toEqual([
      join(folder, '104.txt'),
      join(folder, '5.txt'),
    ]);
  });
});
