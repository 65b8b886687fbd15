import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PageFixture } from '../support/pageFixture.js';

let fixture: PageFixture;
beforeEach(async () => {
  fixture = await PageFixture.start();
});
afterEach(() => fixture.dispose());

const range = (line: number, from: number, to: number) => ({
  start: { line, character: from },
  end: { line, character: to },
});

describe('documents', () => {
  test('are opened, edited, saved and closed', async () => {
    const path = fixture.write('src/a.txt', 'one\r\ntwo\r\n');
    const page = await fixture.open();
    await fixture.call('document.open', { path }, page);
    const { documents } = await page.next('documents', (event) => event.documents.length === 1);
    expect(documents).toEqual([
      {
        path,
        label: 'src/a.txt',
        kind: 'text',
        isDirty: false,
        hasConflict: false,
        isMissing: false,
        isReadOnly: false,
        lineEnds: 'crlf',
      },
    ]);
    const text = `document:${path}`;
    expect(await fixture.call('text.open', { text }, page)).toEqual({ version: 0, content: 'one\ntwo\n' });
    const updates = [{ clientId: 'page', changes: [[0, 'my '], 8] }];
    expect(await fixture.call('text.push', { text, version: 0, updates }, page)).toEqual({ isApplied: true });
    expect(await page.next('text')).toEqual({ event: 'text', text, version: 0, updates });
    await page.next('documents', (event) => event.documents[0]?.isDirty === true);
    await expect(fixture.call('document.close', { path })).rejects.toMatchObject({
      status: 409,
      code: 'unsaved',
    });
    await expect(fixture.call('document.save', { path, version: 0 })).rejects.toMatchObject({
      code: 'changed',
    });
    await fixture.call('document.save', { path, version: 1 });
    expect(readFileSync(path, 'utf8')).toBe('my one\r\ntwo\r\n');
    await page.next('documents', (event) => event.documents[0]?.isDirty === false);
    await fixture.call('document.close', { path });
    await page.next('documents', (event) => event.documents.length === 0);
    await expect(fixture.call('document.save', { path, version: 1 })).rejects.toMatchObject({ status: 404 });
    await expect(fixture.call('text.open', { text })).rejects.toMatchObject({ status: 404 });
  });

  test('are in conflict if the file changes under unsaved changes, until the user resolves it', async () => {
    const path = fixture.write('a.txt', 'one\ntwo\nthree\n');
    await fixture.call('document.open', { path });
    const updates = [{ clientId: 'page', changes: [[0, 'my '], 14] }];
    await fixture.call('text.push', { text: `document:${path}`, version: 0, updates });
    fixture.write('a.txt', 'one\ntwo\nthree\nfour\n');
    const save = fixture.call('document.save', { path, version: 1 });
    await expect(save).rejects.toMatchObject({ status: 409, code: 'conflict' });
    const conflict = await fixture.call('document.conflict', { path });
    expect(conflict).toEqual({
      mine: 'my one\ntwo\nthree\n',
      theirs: 'one\ntwo\nthree\nfour\n',
      merged: 'my one\ntwo\nthree\nfour\n',
    });
    await fixture.call('document.resolve', { path, choice: 'merged', content: conflict.merged });
    expect(readFileSync(path, 'utf8')).toBe('my one\ntwo\nthree\nfour\n');
    await expect(fixture.call('document.conflict', { path })).rejects.toMatchObject({ code: 'changed' });
  });

  test('are restored with the changes that the page kept, also for a deleted file', async () => {
    const path = fixture.write('a.txt', 'one\n');
    await fixture.call('document.restore', { path, base: 'one\n', content: 'mine\n' });
    expect(fixture.editor.document(path)).toMatchObject({ isDirty: true, hasConflict: false });
    const other = fixture.write('b.txt', 'theirs\n');
    await fixture.call('document.restore', { path: other, base: 'one\n', content: 'mine\n' });
    expect(fixture.editor.document(other)).toMatchObject({ isDirty: true, hasConflict: true });
    const gone = join(fixture.workspace, 'gone.txt');
    await fixture.call('document.restore', { path: gone, content: 'mine\n' });
    expect(fixture.editor.document(gone)).toMatchObject({ isDirty: true, isMissing: true });
    await fixture.call('document.save', {
      path: gone,
      version: fixture.editor.document(gone)?.text.version ?? 0,
    });
    expect(readFileSync(gone, 'utf8')).toBe('mine\n');
  });

  test('report why they cannot be opened, or are not text', async () => {
    const folder = fixture.write('sub/a.txt').replace('/a.txt', '');
    const none = join(fixture.workspace, 'none.txt');
    await expect(fixture.call('document.open', { path: none })).rejects.toMatchObject({ status: 404 });
    await expect(fixture.call('document.open', { path: `${folder}/a.txt/b` })).rejects.toMatchObject({
      status: 404,
    });
    await expect(fixture.call('document.open', { path: folder })).rejects.toMatchObject({ status: 422 });
    const path = fixture.write('image.bin', Buffer.from([0xff, 0xfe, 0x00]));
    await fixture.call('document.open', { path });
    await expect(fixture.call('text.open', { text: `document:${path}` })).rejects.toMatchObject({
      status: 422,
    });
    await expect(fixture.call('files.list', { folder: path })).rejects.toMatchObject({ status: 422 });
  });
});

describe('the active document', () => {
  test('is shared with agents, and the page shows that', async () => {
    const path = fixture.write('a.txt', 'one\ntwo\n');
    const page = await fixture.open();
    await fixture.call('document.open', { path });
    await fixture.call('focus', { path, range: range(1, 0, 3), cursor: 'start' });
    const active = { activeFile: { path, label: 'a.txt', selectedCharacters: 3 } };
    expect(
      (await page.next('sharing', ({ sharing }) => sharing.activeFile !== undefined)).sharing,
    ).toMatchObject(active);
    await fixture.call('share.pause', {});
    await page.next('sharing', ({ sharing }) => sharing.isPaused);
    expect(fixture.companion.policy.isPaused).toBe(true);
    await fixture.call('share.resume', {});
    await page.next('sharing', ({ sharing }) => !sharing.isPaused && sharing.activeFile !== undefined);
    await expect(fixture.call('focus', { path: fixture.write('b.txt') })).rejects.toMatchObject({
      status: 404,
    });
    expect(await fixture.call('mention', { path, lines: { first: 0, last: 1 } })).toEqual({ count: 0 });
  });

  test('is marked if it is hidden from all or some agents', async () => {
    fixture.write('.geminiignore', 'private.txt\n');
    const [env, personal] = [fixture.write('.env', 'A=1\n'), fixture.write('private.txt')];
    const page = await fixture.open();
    for (const path of [env, personal]) await fixture.call('document.open', { path });
    await fixture.call('focus', { path: personal });
    const { sharing } = await page.next('sharing', (event) => event.sharing.heldBack !== undefined);
    expect(sharing.heldBack).toEqual({
      path: personal,
      label: 'private.txt',
      agents: ['Gemini CLI'],
      isFromAll: false,
      reason: '.geminiignore excludes it',
    });
    const { documents } = await page.next('documents', (event) => event.documents.length === 2);
    const reasons = ['it matches the deny list (.env*)', '.geminiignore excludes it (only from Gemini CLI)'];
    expect(documents.map(({ heldBack }) => heldBack)).toEqual(reasons);
    await fixture.call('share.pause', {});
    const { entries } = await fixture.call('files.list', { folder: fixture.workspace });
    expect(entries.map(({ name, heldBack }) => [name, heldBack])).toEqual([
      ['.env', reasons[0]],
      ['.geminiignore', undefined],
      ['private.txt', reasons[1]],
    ]);
    await expect(fixture.call('mention', { path: env })).rejects.toMatchObject({
      status: 422,
      code: 'refused',
    });
  });

  test('is shown on request from outside the page, after the page knows the document', async () => {
    const path = fixture.write('a.txt', 'one\ntwo\n');
    const page = await fixture.open();
    await fixture.editor.documents.open(path, { range: range(1, 0, 2), takeFocus: true });
    expect(await page.next('show')).toEqual({
      event: 'show',
      path,
      range: range(1, 0, 2),
      takesFocus: true,
      count: 1,
    });
    const before = page.events.slice(
      0,
      page.events.findIndex(({ event }) => event === 'show'),
    );
    expect(before.findLast(({ event }) => event === 'documents')).toMatchObject({
      documents: [{ path, label: 'a.txt' }],
    });
  });

  test('keeps the focus that an agent gave it against the report of a page that did not know it yet', async () => {
    const [a, b, c] = [fixture.write('a.txt'), fixture.write('b.txt'), fixture.write('c.txt')];
    for (const path of [a, b, c]) await fixture.editor.documents.open(path, { takeFocus: true });
    await fixture.call('focus', { path: b, focusRequests: 2 });
    const order = () => fixture.editor.context.snapshot().openFiles.map(({ path }) => path);
    expect(order()).toEqual([c, b, a]);
    await fixture.call('focus', { path: a, focusRequests: 3 });
    await fixture.call('focus', { path: b });
    expect(order()).toEqual([b, a, c]);
  });
});

describe('the tree', () => {
  test('reports added and removed files of a listed folder, except ignored ones', async () => {
    fixture.write('.gitignore', '*.log\n');
    const folder = join(fixture.workspace, 'sub');
    fixture.write('sub/a.txt');
    const page = await fixture.open();
    const list = async () => (await fixture.call('files.list', { folder })).entries.map(({ name }) => name);
    expect(await list()).toEqual(['a.txt']);
    fixture.write('sub/b.log');
    fixture.write('elsewhere/c.txt');
    fixture.write('sub/b.txt');
    expect(await page.next('files')).toEqual({ event: 'files', folders: [folder] });
    expect(await list()).toEqual(['a.txt', 'b.txt']);
    page.events.length = 0;
    rmSync(join(folder, 'a.txt'));
    expect((await page.next('files')).folders).toEqual([folder]);
    await fixture.call('files.list', { folder: fixture.workspace });
    page.events.length = 0;
    fixture.write('.gitignore', '');
    await page.next('files', ({ folders }) => folders.includes(folder));
    expect(await list()).toEqual(['b.log', 'b.txt']);
  });

  test('reports a changed ignore file, for the tree and for tabs', async () => {
    const path = fixture.write('a.txt');
    fixture.write('.qwenignore', '');
    const page = await fixture.open();
    const marks = async () =>
      (await fixture.call('files.list', { folder: fixture.workspace })).entries.map(
        ({ heldBack }) => heldBack,
      );
    expect(await marks()).toEqual([undefined, undefined]);
    await fixture.call('document.open', { path });
    await page.next('documents', (event) => event.documents.length === 1);
    fixture.write('.qwenignore', 'a.txt\n');
    await page.next('files');
    const reason = '.qwenignore excludes it (only from Qwen Code)';
    expect(await marks()).toEqual([undefined, reason]);
    await page.next('documents', (event) => event.documents[0]?.heldBack === reason);
  });

  test('lists all files for opening one by name', async () => {
    fixture.write('src/deep/a.txt');
    fixture.write('b.txt');
    const { files, isTruncated } = await fixture.call('files.all', {});
    expect(files.map(({ label }) => label)).toEqual(['b.txt', 'src/deep/a.txt']);
    expect(isTruncated).toBe(false);
  });
});

describe('an open page', () => {
  test('is disconnected if it does not read, while other pages keep receiving events', async () => {
    const path = fixture.write('a.txt');
    await fixture.call('document.open', { path });
    const [slow, page] = await Promise.all([fixture.open(), fixture.open()]);
    const text = `document:${path}`;
    await fixture.call('text.open', { text }, slow);
    slow.socket.pause();
    const megabyte = 'x'.repeat(1024 * 1024);
    const open = () => fixture.server.openPages;
    for (let version = 0; open() === 2; version++) {
      const document = fixture.editor.document(path);
      document?.text.replace(version % 2 === 0 ? megabyte.repeat(8) : '');
      await fixture.call('ping', {});
    }
    expect(open()).toBe(1);
    await fixture.call('share.pause', {});
    await page.next('sharing', ({ sharing }) => sharing.isPaused);
    slow.socket.resume();
    expect(await slow.closed).toBe(1006);
  });

  test('is counted while it is connected', async () => {
    expect(fixture.server.openPages).toBe(0);
    const page = await fixture.open();
    expect(fixture.server.openPages).toBe(1);
    page.socket.close();
    await page.closed;
    await fixture.call('ping', {});
    expect(fixture.server.openPages).toBe(0);
  });
});
