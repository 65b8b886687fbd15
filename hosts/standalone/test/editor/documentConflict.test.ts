import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenDocument } from '../../src/editor/openDocument.js';
import { DocumentFolder, typeInto } from './support/documentFolder.js';

let folder: DocumentFolder;
beforeEach(() => {
  folder = new DocumentFolder();
});
afterEach(() => folder.dispose());

/** A document with unsaved changes whose file another program has changed. */
async function inConflict(
  mine: string,
  theirs: string,
  base = 'one\r\ntwo\r\nthree\r\n',
): Promise<OpenDocument> {
  const document = await folder.openWith(base);
  typeInto(document.text, mine);
  folder.write('a.txt', theirs);
  await document.refresh();
  return document;
}

describe('a file that changed on disk', () => {
  test('is loaded if nothing is unsaved, including its line ends', async () => {
    const document = await folder.openWith('one\ntwo\n');
    folder.write('a.txt', 'one\r\nTWO\r\n');
    await document.refresh();
    expect([document.text.content, document.isDirty, document.lineEnds]).toEqual([
      'one\nTWO\n',
      false,
      'crlf',
    ]);
    expect(document.text.updatesSince(0)).toEqual([{ clientId: 'host', changes: [4, [3, 'TWO'], 1] }]);
  });

  test('conflicts with unsaved changes, which stay unchanged', async () => {
    const document = await inConflict('mine\n', 'theirs\n');
    expect([document.hasConflict, document.text.content]).toEqual([true, 'mine\n']);
    await expect(document.save(document.text.version)).rejects.toMatchObject({ code: 'conflict' });
    expect(folder.read('a.txt')).toBe('theirs\n');
  });

  test('is also detected when saving', async () => {
    const document = await folder.openWith('one\n');
    typeInto(document.text, 'mine\n');
    folder.write('a.txt', 'their\n');
    await expect(document.save(1)).rejects.toMatchObject({ code: 'conflict' });
    expect([document.hasConflict, folder.read('a.txt')]).toEqual([true, 'their\n']);
  });

  test('is merged with unsaved text and saved', async () => {
    const document = await inConflict('mine\n', 'mine\r\n');
    expect([document.hasConflict, document.isDirty, document.lineEnds]).toEqual([false, false, 'crlf']);
  });

  test('is no longer in conflict when it is changed back', async () => {
    const document = await inConflict('mine\n', 'theirs\n');
    folder.write('a.txt', 'one\r\ntwo\r\nthree\r\n');
    await document.refresh();
    expect([document.hasConflict, document.isDirty]).toEqual([false, true]);
  });

  test('is loaded when the unsaved changes are undone', async () => {
    const document = await inConflict('mine\n', 'theirs\n');
    typeInto(document.text, 'one\ntwo\nthree\n');
    await document.refresh();
    expect([document.hasConflict, document.isDirty, document.text.content]).toEqual([
      false,
      false,
      'theirs\n',
    ]);
  });

  test('leaves unsaved changes alone if it is no longer text', async () => {
    const document = await folder.openWith('one\n');
    typeInto(document.text, 'mine\n');
    folder.write('a.txt', Buffer.from([0xff, 0xff]));
    await document.refresh();
    expect([document.hasConflict, document.kind, document.text.content]).toEqual([true, 'text', 'mine\n']);
    await document.resolve('theirs');
    expect([document.kind, document.text.content, document.isDirty]).toEqual(['binary', '', false]);
  });

  test('keeps its text as unsaved if it was deleted', async () => {
    const document = await folder.openWith('one\n');
    rmSync(folder.at('a.txt'));
    await document.refresh();
    expect([document.isMissing, document.isDirty, document.hasConflict]).toEqual([true, true, false]);
    folder.write('a.txt', 'new\n');
    await document.refresh();
    expect([document.isMissing, document.isDirty, document.text.content]).toEqual([false, false, 'new\n']);
  });
});

describe('a conflict', () => {
  test('shows both sides, and a merged text if they change different lines', async () => {
    const document = await inConflict('ONE\ntwo\nthree\n', 'one\r\ntwo\r\nTHREE\r\n');
    expect(await document.conflict()).toEqual({
      mine: 'ONE\ntwo\nthree\n',
      theirs: 'one\ntwo\nTHREE\n',
      merged: 'ONE\ntwo\nTHREE\n',
    });
    const apart = await inConflict('1\ntwo\nthree\n', 'uno\r\ntwo\r\nthree\r\n');
    expect(await apart.conflict()).toEqual({ mine: '1\ntwo\nthree\n', theirs: 'uno\ntwo\nthree\n' });
  });

  test('is resolved with mine, written with the line ends of my text', async () => {
    const document = await inConflict('mine\nand mine\n', 'theirs\n');
    await document.conflict();
    await document.resolve('mine');
    expect([folder.read('a.txt'), document.hasConflict, document.isDirty]).toEqual([
      'mine\r\nand mine\r\n',
      false,
      false,
    ]);
  });

  test('is resolved with theirs by a change that can be undone', async () => {
    const document = await inConflict('mine\n', 'theirs\n');
    const { version } = document.text;
    await document.resolve('theirs');
    expect([document.text.content, document.hasConflict, document.isDirty]).toEqual([
      'theirs\n',
      false,
      false,
    ]);
    expect(document.text.updatesSince(version)).toHaveLength(1);
    expect(folder.read('a.txt')).toBe('theirs\n');
  });

  test('is resolved with the merged text, in the line ends of the file on disk', async () => {
    const document = await inConflict('ONE\ntwo\nthree\n', 'one\ntwo\nTHREE\n');
    await document.resolve('merged', 'ONE\r\ntwo\r\nTHREE\r\nand more\r\n');
    expect(document.text.content).toBe('ONE\ntwo\nTHREE\nand more\n');
    expect([folder.read('a.txt'), document.hasConflict, document.isDirty]).toEqual([
      document.text.content,
      false,
      false,
    ]);
    await expect(document.resolve('merged')).rejects.toMatchObject({ code: 'bad-params' });
  });

  test('is not resolved with a version that the user has not seen', async () => {
    const document = await inConflict('mine\n', 'theirs\n');
    await document.conflict();
    folder.write('a.txt', 'theirs again\n');
    await expect(document.resolve('mine')).rejects.toMatchObject({ code: 'conflict' });
    await expect(document.resolve('merged', 'x\n')).rejects.toMatchObject({ code: 'conflict' });
    expect([folder.read('a.txt'), document.text.content]).toEqual(['theirs again\n', 'mine\n']);
    expect((await document.conflict()).theirs).toBe('theirs again\n');
    await document.resolve('mine');
    expect(folder.read('a.txt')).toBe('mine\r\n');
  });

  test('resolved with theirs is not overwritten by an earlier save request', async () => {
    const document = await inConflict('mine\n', 'theirs\n');
    const resolving = document.resolve('theirs');
    const saving = document.save(document.text.version);
    await expect(saving).rejects.toMatchObject({ code: 'changed' });
    await resolving;
    expect([folder.read('a.txt'), document.text.content, document.isDirty]).toEqual([
      'theirs\n',
      'theirs\n',
      false,
    ]);
  });

  test('is not shown after it is resolved', async () => {
    const document = await folder.openWith('one\n');
    await expect(document.conflict()).rejects.toMatchObject({ code: 'changed' });
  });
});

describe('unsaved changes that a page restores', () => {
  test('are restored if the file is still the same, and saved with its line ends', async () => {
    const document = await folder.openWith('\uFEFFone\r\ntwo\n');
    await document.restore('one\ntwo\n', 'one\nmine\ntwo\n');
    expect([document.text.content, document.isDirty, document.hasConflict]).toEqual([
      'one\nmine\ntwo\n',
      true,
      false,
    ]);
    await document.save(document.text.version);
    expect(folder.read('a.txt')).toBe('\uFEFFone\r\nmine\r\ntwo\n');
  });

  test('are in conflict with a file that changed meanwhile, and can be merged with it', async () => {
    const document = await folder.openWith('one\r\ntwo\r\nthree\r\nFOUR\r\n');
    await document.restore('one\ntwo\nthree\nfour\n', 'ONE\ntwo\nthree\nfour\n');
    expect([document.hasConflict, document.text.content]).toEqual([true, 'ONE\ntwo\nthree\nfour\n']);
    expect((await document.conflict()).merged).toBe('ONE\ntwo\nthree\nFOUR\n');
    await document.resolve('mine');
    expect(folder.read('a.txt')).toBe('ONE\r\ntwo\r\nthree\r\nfour\r\n');
  });

  test('are ignored if they were saved', async () => {
    const document = await folder.openWith('mine\n');
    await document.restore('one\n', 'mine\n');
    expect([document.isDirty, document.hasConflict, document.text.version]).toEqual([false, false, 0]);
  });

  test('can be saved if the file was deleted', async () => {
    const document = await folder.open('gone.txt');
    await document.restore('one\n', 'mine\n');
    expect([document.isMissing, document.isDirty]).toEqual([true, true]);
    await document.save(document.text.version);
    expect(folder.read('gone.txt')).toBe('mine\n');
  });

  test('are merged with existing unsaved changes, or refused', async () => {
    const document = await folder.openWith('one\ntwo\nthree\n');
    await document.restore('one\ntwo\nthree\n', 'ONE\ntwo\nthree\n');
    await document.restore('one\ntwo\nthree\n', 'one\ntwo\nTHREE\n');
    expect(document.text.content).toBe('ONE\ntwo\nTHREE\n');
    await expect(document.restore('one\ntwo\nthree\n', '1\n')).rejects.toMatchObject({ code: 'conflict' });
    expect(document.text.content).toBe('ONE\ntwo\nTHREE\n');
  });
});
