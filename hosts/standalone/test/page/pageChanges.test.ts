import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PageFixture } from '../support/pageFixture.js';

let fixture: PageFixture;
let path: string;
beforeEach(async () => {
  fixture = await PageFixture.start();
  path = fixture.write('src/a.txt', 'one\r\ntwo\r\nthree\r\n');
});
afterEach(() => fixture.dispose());

/** A change that the user accepts and the agent writes. */
async function accept(file: string, content: string, session = 'one'): Promise<string> {
  const review = await fixture.propose(file, content, { session });
  review.accept();
  writeFileSync(file, content);
  return review.id;
}

const read = (file = path): string => readFileSync(file, 'utf8');
const changed = 'one\r\nTWO\r\nthree\r\n';

describe('the changes of sessions', () => {
  test('are listed without their contents, which are read one by one', async () => {
    const created = `${fixture.workspace}/new.txt`;
    const id = await accept(path, changed);
    await accept(created, 'new\n', 'two');
    const files = await fixture.call('changes.list', {});
    expect(files).toMatchObject([
      { label: 'src/a.txt', before: 'text', now: 'text', added: 1, removed: 1 },
      { label: 'new.txt', before: 'missing', now: 'text', added: 1, removed: 0 },
    ]);
    expect(files[0]?.entries).toMatchObject([{ id, how: 'accepted', agentName: 'Gemini CLI' }]);
    expect(JSON.stringify(files)).not.toContain('TWO');
    expect(await fixture.call('changes.list', { session: 'two' })).toHaveLength(1);
    const span = { start: 1, count: 1 };
    const { stamp, ...shown } = await fixture.call('changes.read', { path, group: files[0]?.group });
    expect(shown).toEqual({
      before: 'one\ntwo\nthree\n',
      now: 'one\nTWO\nthree\n',
      hunks: [{ original: span, proposed: span, isKept: true }],
      notes: [],
    });
    expect(stamp).toBe(files[0]?.stamp);
    const secret = fixture.write('secret.txt', 'secret');
    await expect(fixture.call('changes.read', { path: secret })).rejects.toMatchObject({ status: 404 });
  });

  test('are announced when a review is accepted, and when a listed file changes on disk', async () => {
    const page = await fixture.open();
    const { revision: first } = await page.next('changes');
    await accept(path, changed);
    const { revision: second } = await page.next('changes', ({ revision }) => revision > first);
    await fixture.call('changes.list', {});
    writeFileSync(path, 'by another program\n');
    await page.next('changes', ({ revision }) => revision > second);
    expect(await fixture.call('changes.list', {})).toMatchObject([
      {
        added: 0,
        removed: 0,
        isAbsent: false,
        notes: [expect.stringContaining('changed again later'), expect.any(String)],
      },
    ]);
  });
});

describe('an undo in the page', () => {
  test('takes one hunk back, unless the file has changed since it was shown', async () => {
    await accept(path, `${changed}four\r\n`);
    const [file] = await fixture.call('changes.list', {});
    const { stamp } = await fixture.call('changes.read', { path, group: file?.group });
    const hunk = { path, group: file?.group, stamp, hunks: [0] };
    expect(await fixture.call('changes.restore', hunk)).toMatchObject([
      { kind: 'merged', restoration: 'r1' },
    ]);
    expect(read()).toBe('one\r\ntwo\r\nthree\r\nfour\r\n');
    await expect(fixture.call('changes.restore', hunk)).rejects.toThrow('has changed since it was shown');
    await fixture.call('changes.restore', { ids: ['r1'] });
    expect(read()).toBe(`${changed}four\r\n`);
  });

  test('writes what it said it would, is undone, and shows in the open file', async () => {
    const page = await fixture.open();
    const created = `${fixture.workspace}/new.txt`;
    await accept(path, changed);
    await accept(created, 'new\n');
    await fixture.call('document.open', { path });
    const { content } = await fixture.call('text.open', { text: `document:${path}` }, page);
    expect(content).toBe('one\nTWO\nthree\n');
    const expected = [{ kind: 'restored' }, { kind: 'removed' }];
    expect(await fixture.call('changes.restore', { session: 'one', previews: true })).toMatchObject(expected);
    expect(read()).toBe(changed);
    expect(await fixture.call('changes.restore', { session: 'one', isPartial: true })).toMatchObject(
      expected,
    );
    expect(read()).toBe('one\r\ntwo\r\nthree\r\n');
    expect(existsSync(created)).toBe(false);
    await page.next('text', ({ text }) => text === `document:${path}`);
    expect(fixture.editor.document(path)).toMatchObject({ isDirty: false, hasConflict: false });
    expect(fixture.editor.document(path)?.text.content).toBe('one\ntwo\nthree\n');
    await fixture.call('changes.restore', { ids: ['r1', 'r2'] });
    expect([read(), read(created)]).toEqual([changed, 'new\n']);
    await expect(fixture.call('changes.restore', {})).rejects.toMatchObject({ code: 'bad-params' });
  });

  test('does not overwrite unsaved changes', async () => {
    await accept(path, changed);
    await fixture.call('document.open', { path });
    fixture.editor.document(path)?.text.replace('typed\n');
    expect(await fixture.call('changes.restore', { path, isPartial: true })).toMatchObject([
      { kind: 'refused', reason: expect.stringContaining('has unsaved changes in Tandem') },
    ]);
    expect(read()).toBe(changed);
    expect(fixture.editor.document(path)?.text.content).toBe('typed\n');
  });

  test('with a conflict opens both versions unsaved; saving them is a restoration, which can be undone', async () => {
    const id = await accept(path, changed);
    const mine = 'one\r\nmine\r\nthree\r\n';
    writeFileSync(path, mine);
    expect(await fixture.call('changes.restore', { ids: [id], isPartial: true })).toMatchObject([
      { kind: 'conflict', conflicts: 1 },
    ]);
    expect(await fixture.call('changes.resolve', { ids: [id] })).toEqual({ paths: [path] });
    expect(read()).toBe(mine);
    const text = fixture.editor.document(path)?.text;
    expect(text?.content).toMatch(/<<<<<<< the earlier text\ntwo\n=======\nmine\n>>>>>>> the file/);
    text?.replace('one\ntwo, mine\nthree\n');
    const recorded = new Promise<void>((resolve) => fixture.companion.history.onDidChange(resolve));
    await fixture.call('document.save', { path, version: text?.version ?? 0 });
    await recorded;
    expect(read()).toBe('one\r\ntwo, mine\r\nthree\r\n');
    expect(await fixture.call('changes.restore', { ids: ['r1'] })).toMatchObject([{ kind: 'restored' }]);
    expect(read()).toBe(mine);
  });

  test('with a conflict that is closed unsaved, or that another program overwrote, records nothing', async () => {
    const id = await accept(path, changed);
    writeFileSync(path, 'one\r\nmine\r\nthree\r\n');
    await fixture.call('changes.resolve', { ids: [id] });
    await fixture.call('document.close', { path, discards: true });
    await fixture.call('changes.resolve', { ids: [id] });
    const conflict = new Promise<void>((resolve) => {
      fixture.editor.onDidChangeDocuments(() => fixture.editor.document(path)?.hasConflict && resolve());
    });
    writeFileSync(path, 'theirs\n');
    await conflict;
    await fixture.call('document.resolve', { path, choice: 'mine' });
    expect(fixture.companion.history.entries.map(({ decided }) => decided.how)).toEqual(['accepted']);
    rmSync(path);
  });
});
