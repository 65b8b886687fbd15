import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { silentLogger } from '@tandem/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileWatches } from '../../src/editor/fileWatches.js';
import type { OpenDocument } from '../../src/editor/openDocument.js';
import { DocumentFolder, typeInto, until } from './support/documentFolder.js';

let folder: DocumentFolder;
beforeEach(() => {
  folder = new DocumentFolder();
});
afterEach(() => folder.dispose());

const shows = (document: OpenDocument, content: string): Promise<void> =>
  until(() => document.text.content === content, document.text.onDidChange);
const becomes = (document: OpenDocument, isSo: () => boolean): Promise<void> =>
  until(isSo, document.onDidChange);

describe('an open document detects', () => {
  test('a written file, also with other open files beside it', async () => {
    const other = await folder.openWith('other\n', 'other.txt');
    const document = await folder.openWith('one\n');
    folder.write('a.txt', 'two\n');
    await shows(document, 'two\n');
    folder.write('other.txt', 'others\n');
    await shows(other, 'others\n');
  });

  test('a file that is repeatedly replaced by a rename', async () => {
    const document = await folder.openWith('one\n');
    for (const content of ['two\n', 'three\n', 'four\n']) {
      folder.renameOver('a.txt', content);
      await shows(document, content);
    }
  });

  test('a file that is deleted and created again, as git does', async () => {
    const document = await folder.openWith('one\n');
    await folder.openWith('other\n', 'other.txt');
    rmSync(folder.at('a.txt'));
    await becomes(document, () => document.isMissing);
    folder.write('a.txt', 'two\n');
    await becomes(document, () => !document.isMissing);
    expect(document.text.content).toBe('two\n');
    folder.write('a.txt', 'three\n');
    await shows(document, 'three\n');
  });

  test('a file whose folder is deleted and created again', async () => {
    mkdirSync(folder.at('x/y'), { recursive: true });
    const [document, other] = [
      await folder.openWith('one\n', 'x/y/a.txt'),
      await folder.openWith('one\n', 'x/y/b.txt'),
    ];
    rmSync(folder.at('x'), { recursive: true });
    await becomes(document, () => document.isMissing);
    await becomes(other, () => other.isMissing);
    mkdirSync(folder.at('x/y'), { recursive: true });
    folder.write('x/y/a.txt', 'two\n');
    folder.write('x/y/b.txt', 'two\n');
    await becomes(document, () => !document.isMissing);
    await becomes(other, () => !other.isMissing);
    folder.write('x/y/a.txt', 'three\n');
    await shows(document, 'three\n');
    folder.write('x/y/b.txt', 'three\n');
    await shows(other, 'three\n');
  });

  test('a folder that replaces the old one', async () => {
    mkdirSync(folder.at('x'));
    mkdirSync(folder.at('new'));
    const document = await folder.openWith('one\n', 'x/a.txt');
    folder.write('new/a.txt', 'two\n');
    renameSync(folder.at('x'), folder.at('old'));
    renameSync(folder.at('new'), folder.at('x'));
    await shows(document, 'two\n');
    folder.write('x/a.txt', 'three\n');
    await shows(document, 'three\n');
  });

  test('the target of a link that changes elsewhere', async () => {
    mkdirSync(folder.at('real'));
    folder.write('real/target.txt', 'one\n');
    symlinkSync(folder.at('real/target.txt'), folder.at('link.txt'));
    const document = await folder.open('link.txt');
    folder.renameOver('real/target.txt', 'two\n');
    await shows(document, 'two\n');
  });

  test('a conflict', async () => {
    const document = await folder.openWith('one\n');
    typeInto(document.text, 'mine\n');
    folder.renameOver('a.txt', 'theirs\n');
    await becomes(document, () => document.hasConflict);
    expect(document.text.content).toBe('mine\n');
  });

  test('changes by others only, not its own saves', async () => {
    const document = await folder.openWith('one\n');
    const other = await folder.openWith('one\n', 'b.txt');
    typeInto(document.text, 'two\n');
    await document.save(1);
    // Reported after the saved file in the same folder.
    folder.write('b.txt', 'two\n');
    await shows(other, 'two\n');
    expect([document.text.version, document.isDirty]).toEqual([1, false]);
  });
});

test('ignores a folder that cannot be watched', () => {
  const watches = new FileWatches(silentLogger, []);
  const watching = watches.watch('/nowhere/at/all.txt', () => {});
  watching.dispose();
  watching.dispose();
  watches.dispose();
});
