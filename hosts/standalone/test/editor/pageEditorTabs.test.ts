import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@tandem/core';
import { Review } from '@tandem/reviews';
import { FakeClock } from '@tandem/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cpuTimeOf } from '../../../../test/machineTime.js';
import { PageEditor, type ShowRequest } from '../../src/editor/pageEditor.js';
import { DocumentFolder, pushInto, typeInto, until } from './support/documentFolder.js';

let folder: DocumentFolder;
let editor: PageEditor;
beforeEach(() => {
  folder = new DocumentFolder();
  editor = new PageEditor({ folders: [folder.path], isTrusted: true, version: '1', logger: silentLogger });
});
afterEach(() => {
  editor.dispose();
  folder.dispose();
});

const range = (line: number, from: number, lastLine: number, to: number) => ({
  start: { line, character: from },
  end: { line: lastLine, character: to },
});
const pathsInContext = () => editor.context.snapshot().openFiles.map(({ path }) => path);
const active = () => editor.context.snapshot().openFiles[0];

describe('tabs', () => {
  test('are in the order of opening, and in the context in the order of the last focus', async () => {
    const [a, b, c] = [folder.write('a', 'a'), folder.write('b', 'b'), folder.write('c', 'c')];
    for (const path of [a, b, c]) await editor.openDocument(path);
    for (const path of [a, b, c, a]) editor.setFocus(path);
    expect(editor.openDocuments.map(({ path }) => path)).toEqual([a, b, c]);
    expect(pathsInContext()).toEqual([a, c, b]);
  });

  test('are opened once, without the focus, and reported', async () => {
    const path = folder.write('a', 'a');
    let reported = 0;
    editor.onDidChangeDocuments(() => reported++);
    const [first, second] = await Promise.all([editor.openDocument(path), editor.openDocument(path)]);
    expect(first).toBe(second);
    expect([reported, editor.context.snapshot().activePath]).toEqual([1, undefined]);
    await expect(editor.openDocument(folder.at('none'))).rejects.toMatchObject({ code: 'not-found' });
    await expect(editor.openDocument(folder.path)).rejects.toMatchObject({ code: 'not-a-file' });
  });

  test('with unsaved changes are closed only by an explicit discard', async () => {
    const path = folder.write('a', 'a');
    const document = await editor.openDocument(path);
    typeInto(document.text, 'mine');
    await expect(editor.closeDocument(path)).rejects.toMatchObject({ code: 'unsaved' });
    expect(await editor.documents.close(path)).toBe(false);
    expect(editor.documents.state(path)).toEqual({ isDirty: true });
    await editor.closeDocument(path, { discards: true });
    await editor.closeDocument(path);
    expect([editor.document(path), folder.read('a')]).toEqual([undefined, 'a']);
  });

  test('are closed beyond a hundred: the least recently used one without unsaved changes', async () => {
    const path = (at: number): string => folder.at(`${at}.txt`);
    for (let at = 0; at < 103; at++) {
      const document = await editor.openDocument(folder.write(`${at}.txt`, 'x'));
      if (at === 0) typeInto(document.text, 'mine');
      if (at === 1) editor.setFocus(path(1));
    }
    expect(editor.openDocuments).toHaveLength(100);
    expect([0, 1, 2, 3, 4, 5].map((at) => editor.document(path(at)) !== undefined)).toEqual([
      true,
      true,
      false,
      false,
      false,
      true,
    ]);
  });

  test('restore what a page kept, also of a deleted file', async () => {
    const path = folder.write('a', 'one\n');
    rmSync(path);
    await editor.restoreDocument(path, 'one\n', 'mine\n');
    expect(editor.document(path)).toMatchObject({ isMissing: true, isDirty: true });
    expect(await editor.documents.save(path)).toBe(true);
    expect(folder.read('a')).toBe('mine\n');
  });

  test('are saved for an agent, unless there is a conflict', async () => {
    const path = folder.write('a', 'one\n');
    const document = await editor.openDocument(path);
    typeInto(document.text, 'mine\n');
    expect([await editor.documents.save(path), folder.read('a')]).toEqual([true, 'mine\n']);
    typeInto(document.text, 'more\n');
    folder.write('a', 'theirs\n');
    expect([await editor.documents.save(path), folder.read('a')]).toEqual([false, 'theirs\n']);
  });
});

describe('the focus in the page', () => {
  test('returns the selected text with unsaved changes', async () => {
    const path = folder.write('a', 'one\r\ntwo\r\n');
    const document = await editor.openDocument(path);
    typeInto(document.text, 'one\nmine\ntwo\n');
    editor.setFocus(path, range(0, 1, 1, 4), 'start');
    expect(active()).toMatchObject({
      path,
      selection: { range: range(0, 1, 1, 4), cursor: { line: 0, character: 1 }, text: 'ne\r\nmine' },
    });
    editor.setFocus(path, range(0, 1, 1, 4), 'end');
    expect(active()?.selection).toEqual({ range: range(0, 1, 1, 4), text: 'ne\r\nmine' });
  });

  test('keeps its range when the text changes, clipped to the text', async () => {
    const path = folder.write('a', 'one\ntwo\nthree\n');
    const document = await editor.openDocument(path);
    editor.setFocus(path, range(1, 0, 2, 5));
    let reported = 0;
    editor.context.onDidChange(() => reported++);
    folder.write('a', 'one\nTWO\n');
    await until(() => document.text.content === 'one\nTWO\n', document.text.onDidChange);
    expect(reported).toBe(1);
    expect(active()?.selection).toEqual({ range: range(1, 0, 2, 0), text: 'TWO\n' });
    typeInto(document.text, 'one\nTWO\nthree\n');
    expect(active()?.selection?.text).toBe('TWO\nthree');
  });

  test('applies once the text typed before it has arrived', async () => {
    const path = folder.write('a', 'one\n');
    const document = await editor.openDocument(path);
    editor.setFocus(path, range(0, 8, 0, 8));
    expect(active()?.selection?.range).toEqual(range(0, 3, 0, 3));
    let reported = 0;
    editor.context.onDidChange(() => reported++);
    typeInto(document.text, 'unheard one\n');
    expect(reported).toBe(1);
    expect(active()?.selection?.range).toEqual(range(0, 8, 0, 8));
  });

  test('returns immutable snapshots', async () => {
    const path = folder.write('a', 'one\n');
    const document = await editor.openDocument(path);
    editor.setFocus(path, range(0, 0, 0, 3));
    const before = editor.context.snapshot();
    typeInto(document.text, 'two\n');
    expect(before.openFiles[0]?.selection?.text).toBe('one');
    expect(active()?.selection?.text).toBe('two');
  });

  test('is removed when no file is active', async () => {
    const path = folder.write('a', 'one\n');
    await editor.openDocument(path);
    editor.setFocus(path, range(0, 1, 0, 1));
    editor.setFocus(undefined);
    expect([editor.context.snapshot().activePath, pathsInContext()]).toEqual([undefined, [path]]);
    editor.setFocus(path);
    expect(active()?.selection?.range).toEqual(range(0, 1, 0, 1));
    expect(() => editor.setFocus(folder.at('b'))).toThrow(expect.objectContaining({ code: 'not-found' }));
  });

  test('is cheap in a file of 5 MB: far cheaper than reading its text once', async () => {
    for (const end of ['\n', '\r\n']) {
      const path = folder.write(
        'large.txt',
        `a line of fifty characters, give or take a few${end}`.repeat(105_000),
      );
      const document = await editor.openDocument(path);
      let at = 0;
      const keys = 200;
      const typing = cpuTimeOf(() => {
        for (let key = 0; key < keys; key++) {
          at += 501;
          const line = at % 100_000;
          editor.setFocus(path, range(line, 0, line + 3, 10));
          editor.context.snapshot();
          document.text.push(document.text.version, [
            { clientId: 'page', changes: [at, [0, 'x'], document.text.length - at] },
          ]);
          editor.context.snapshot();
        }
      });
      const reading = cpuTimeOf(() => {
        for (let count = 0; count < 10; count++) expect(document.text.content.length).toBeGreaterThan(0);
      });
      expect(typing / keys).toBeLessThan(reading / 10);
      await editor.closeDocument(path, { discards: true });
    }
  });
});

describe('a request to show a file', () => {
  test('is sent to the pages after the file was opened', async () => {
    const path = folder.write('a', 'one\n');
    const asked: (ShowRequest & { isOpen: boolean })[] = [];
    editor.onDidRequestShow((ask) => asked.push({ ...ask, isOpen: editor.document(ask.path) !== undefined }));
    await editor.documents.open(join(folder.path, '.', 'a'), { range: range(0, 0, 0, 1), takeFocus: true });
    await editor.documents.open(path);
    expect(asked).toEqual([
      { path, range: range(0, 0, 0, 1), takesFocus: true, count: 1, isOpen: true },
      { path, takesFocus: false, count: 1, isOpen: true },
    ]);
  });
});

describe('reviews', () => {
  let made = 0;
  const makeReview = (content = 'two\n'): Review =>
    new Review(
      {
        id: String(++made),
        proposal: { path: folder.at('a'), content, agent: 'claude', session: 's' },
        original: { kind: 'text', text: 'one\n' },
        isOutsideWorkspace: false,
      },
      { clock: new FakeClock(), logger: silentLogger },
    );

  test('are pending in the order of their numbers, also if they are shown in another one, and kept after their end, the newest first', async () => {
    const reviews = [makeReview(), makeReview(), makeReview()];
    const [first, second, third] = reviews;
    const views = await Promise.all(reviews.toReversed().map((review) => editor.reviews.show(review)));
    expect(editor.shownReviews.map(({ review }) => review)).toEqual(reviews);
    first?.accept();
    third?.reject();
    for (const view of views) view.dispose();
    // The view of the pending review was disposed, so it is no longer listed.
    expect(editor.shownReviews).toEqual([]);
    expect(editor.endedReviews.map(({ review }) => review)).toEqual([third, first]);
    expect(editor.shownReview(first?.id ?? '')?.review).toBe(first);
    expect(editor.shownReview(second?.id ?? '')).toBeUndefined();
  });

  test('report additions, changes and ends', async () => {
    const review = makeReview();
    const reported: string[] = [];
    editor.onDidChangeReviews(() =>
      reported.push(`${editor.shownReviews.length} ${review.content.trim()} ${review.state}`),
    );
    await editor.reviews.show(review);
    const shown = editor.shownReview(review.id);
    if (shown !== undefined) pushInto(shown, 'mine\n');
    review.accept();
    expect(reported).toEqual(['1 two pending', '1 mine pending', '0 mine accepted']);
  });

  test('are kept after they were edited and withdrawn, up to a hundred', async () => {
    const edited = makeReview();
    await editor.reviews.show(edited);
    edited.edit('typed\n');
    edited.withdraw('agent');
    for (let count = 0; count < 99; count++) {
      const review = makeReview();
      await editor.reviews.show(review);
      review.reject();
    }
    expect(editor.endedReviews).toHaveLength(31);
    expect(editor.shownReview(edited.id)?.review).toBe(edited);
  });

  test('are kept after their end up to thirty, large ones fewer', async () => {
    for (let count = 0; count < 35; count++) {
      const review = makeReview();
      await editor.reviews.show(review);
      review.reject();
    }
    expect(editor.endedReviews).toHaveLength(30);
    for (let count = 0; count < 3; count++) {
      const review = makeReview('x'.repeat(10 * 1024 * 1024));
      await editor.reviews.show(review);
      review.reject();
    }
    expect(editor.endedReviews).toHaveLength(1);
  });
});

test('reports nothing after the editor is closed', async () => {
  const path = folder.write('a', 'one\n');
  const document = await editor.openDocument(path);
  const opening = editor.openDocument(folder.write('b', 'b'));
  editor.dispose();
  editor.dispose();
  await expect(opening).rejects.toBeInstanceOf(Error);
  typeInto(document.text, 'two\n');
  expect(editor.openDocuments).toEqual([]);
});
