import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { ContextFeed, silentLogger, systemClock } from '@tandem/core';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { PageEditor } from '../../src/editor/pageEditor.js';
import { DocumentFolder, typeInto, until } from './support/documentFolder.js';

let folder: DocumentFolder;
let editor: PageEditor;
let feed: ContextFeed;
beforeEach(() => {
  folder = new DocumentFolder();
  editor = new PageEditor({ folders: [folder.path], isTrusted: true, version: '1', logger: silentLogger });
  feed = new ContextFeed({ editor, clock: systemClock, logger: silentLogger });
});
afterEach(() => {
  feed.dispose();
  editor.dispose();
  folder.dispose();
});

/** Opens a file with the focus and selects its first three characters. */
async function select(path: string): Promise<void> {
  await editor.openDocument(path);
  editor.setFocus(path, { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } });
  await until(() => feed.current.activePath === path, feed.onDidChange);
}

const openPaths = (): string[] => feed.current.openFiles.map(({ path }) => path);

describe('an open file that is deleted', () => {
  test('is removed from the context with its selection, and stays in its tab', async () => {
    const [a, b] = [folder.write('a.txt', 'one\n'), folder.write('b.txt', 'two\n')];
    await editor.openDocument(b);
    await select(a);
    expect(feed.current.openFiles[0]?.selection?.text).toBe('one');
    rmSync(a);
    await until(() => !openPaths().includes(a), feed.onDidChange);
    expect(feed.current).toMatchObject({ openFiles: [{ path: b }] });
    expect(feed.current.activePath).toBeUndefined();
    expect(JSON.stringify(feed.current)).not.toContain('one');
    expect(editor.document(a)).toMatchObject({ isMissing: true, isDirty: true });
  });

  test('returns when it is written again, with its focus and selection', async () => {
    const a = folder.write('a.txt', 'one\n');
    await select(a);
    rmSync(a);
    await until(() => openPaths().length === 0, feed.onDidChange);
    folder.write('a.txt', 'two\n');
    await until(() => openPaths().length === 1, feed.onDidChange);
    expect(feed.current.activePath).toBe(a);
    expect(feed.current.openFiles[0]?.selection?.text).toBe('two');
  });

  test('keeps unsaved text, even if it is written again', async () => {
    const a = folder.write('a.txt', 'one\n');
    await select(a);
    const document = editor.document(a);
    if (document === undefined) throw new Error('a document was expected');
    typeInto(document.text, 'typed\n');
    rmSync(a);
    await until(() => openPaths().length === 0, feed.onDidChange);
    expect(document.text.content).toBe('typed\n');
    folder.write('a.txt', 'theirs\n');
    await until(() => openPaths().length === 1, feed.onDidChange);
    expect([document.text.content, document.hasConflict]).toEqual(['typed\n', true]);
    expect(feed.current.openFiles[0]?.selection?.text).toBe('typ');
  });

  test('is removed from the context when its folder is moved', async () => {
    mkdirSync(folder.at('src/deep/er'), { recursive: true });
    const a = folder.write('src/deep/er/a.txt', 'one\n');
    await select(a);
    renameSync(folder.at('src'), folder.at('lib'));
    await until(() => openPaths().length === 0, feed.onDidChange);
    renameSync(folder.at('lib'), folder.at('src'));
    await until(() => openPaths().length === 1, feed.onDidChange);
    expect(feed.current.activePath).toBe(a);
    folder.write('src/deep/er/a.txt', 'two\n');
    await until(() => feed.current.openFiles[0]?.selection?.text === 'two', feed.onDidChange);
  });
});

describe('an open file that is replaced', () => {
  test.each([
    ['by a rename', (content: string) => folder.renameOver('a.txt', content)],
    [
      'after it was renamed to a backup',
      (content: string) => {
        renameSync(folder.at('a.txt'), folder.at('a.txt~'));
        folder.write('a.txt', content);
      },
    ],
    [
      'after it was deleted',
      (content: string) => {
        rmSync(folder.at('a.txt'));
        folder.write('a.txt', content);
      },
    ],
  ])('%s stays in the context all the time', async (_case, replace) => {
    const a = folder.write('a.txt', 'one\n');
    await select(a);
    const sharedPaths: string[][] = [];
    const listener = feed.onDidChange(
      ({ openFiles }) => void sharedPaths.push(openFiles.map(({ path }) => path)),
    );
    onTestFinished(() => listener.dispose());
    for (const content of ['two\n', 'six\n', 'ten\n']) {
      replace(content);
      await until(() => feed.current.openFiles[0]?.selection?.text === content.trim(), feed.onDidChange);
    }
    expect(sharedPaths.filter((paths) => paths.join() !== a)).toEqual([]);
  });
});
