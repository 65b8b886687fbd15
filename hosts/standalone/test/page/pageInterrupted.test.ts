import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PageFixture } from '../support/pageFixture.js';

let fixture: PageFixture;
let path: string;
beforeEach(async () => {
  fixture = await PageFixture.start();
  path = fixture.write('src/a.txt', 'one\r\ntwo\r\n');
});
afterEach(() => fixture.dispose());

/** Adds an interrupted review of `src/a.txt`, as an earlier companion leaves it. */
function leave(content = 'one\r\nTWO of mine\r\n'): void {
  fixture.companion.interrupted.add(
    [
      {
        key: '0123456789abcdef01234567',
        agent: 'claude',
        session: 'gone',
        path,
        original: { kind: 'text', text: 'one\r\ntwo\r\n' },
        proposed: 'one\r\nTWO\r\n',
        content,
        keptHunks: [],
        isOutsideWorkspace: false,
        openedAt: 77,
      },
    ],
    true,
  );
}

const typed = 'one\nTWO of mine\n';

describe('an interrupted review', () => {
  test('is sent to open pages without its text, read on request, and discarded', async () => {
    const page = await fixture.open();
    expect((await page.next('interrupted')).reviews).toEqual([]);
    leave();
    const { reviews } = await page.next('interrupted', (event) => event.reviews.length === 1);
    expect(reviews).toMatchObject([
      {
        id: '1',
        agent: 'claude',
        agentName: 'Claude Code',
        path,
        label: 'src/a.txt',
        state: 'interrupted',
        isEdited: true,
        end: expect.anything(),
        actions: [{ id: 'apply' }, { id: 'discard' }],
      },
    ]);
    expect(JSON.stringify(reviews)).not.toContain('TWO of mine');
    expect(await fixture.call('interrupted.read', { id: '1' })).toEqual({
      original: 'one\ntwo\n',
      content: typed,
    });
    await fixture.call('review.discard', { ids: ['1'], answer: {} });
    await page.next('interrupted', (event) => event.reviews.length === 0);
    await expect(fixture.call('interrupted.read', { id: '1' })).rejects.toMatchObject({ status: 404 });
  });

  test('is hidden while it is open as an unsaved change, and removed when the file is saved', async () => {
    const page = await fixture.open();
    leave();
    await page.next('interrupted', (event) => event.reviews.length === 1);
    await fixture.call('interrupted.restore', { id: '1' });
    await page.next('interrupted', (event) => event.reviews.length === 0);
    expect(fixture.companion.interrupted.all).toHaveLength(1);
    const { version, content } = await fixture.call('text.open', { text: `document:${path}` }, page);
    expect(content).toBe(typed);
    const gone = new Promise<void>((resolve) => fixture.companion.interrupted.onDidChange(resolve));
    await fixture.call('document.save', { path, version });
    await gone;
    expect(fixture.companion.interrupted.all).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe('one\r\nTWO of mine\r\n');
  });

  test('is shown again when the document is closed without saving', async () => {
    const page = await fixture.open();
    leave();
    await fixture.call('interrupted.restore', { id: '1' });
    await page.next('interrupted', (event) => event.reviews.length === 0);
    await fixture.call('document.close', { path, discards: true });
    await page.next('interrupted', (event) => event.reviews.length === 1);
  });

  test('accepts newer text that a page kept and the journal lacks', async () => {
    leave();
    const newer = { key: '0123456789abcdef01234567', agent: 'claude', path, content: `${typed}late\n` };
    expect(await fixture.call('interrupted.keep', { ...newer, openedAt: 78 })).toEqual({ isKept: false });
    expect(await fixture.call('interrupted.keep', { ...newer, openedAt: 77 })).toEqual({ isKept: true });
    expect(fixture.companion.interrupted.get('1')?.content).toBe('one\r\nTWO of mine\r\nlate\r\n');
  });

  test('accepts such text also when it is pending again, unless it was edited since', async () => {
    const review = await fixture.propose(path, 'one\r\nTWO\r\n');
    const keep = (content: string) =>
      fixture.call('interrupted.keep', { agent: 'gemini', path, openedAt: 1, content });
    expect(await keep('one\nTWO\n')).toEqual({ isKept: true });
    expect(await keep(typed)).toEqual({ isKept: true });
    expect(review.content).toBe('one\r\nTWO of mine\r\n');
    expect(await keep('one\nanother\n')).toEqual({ isKept: false });
    expect(review.content).toBe('one\r\nTWO of mine\r\n');
  });

  test('is not written outside the workspace', async () => {
    path = `${fixture.root}/outside.txt`;
    leave();
    await expect(fixture.call('interrupted.restore', { id: '1' })).rejects.toMatchObject({ status: 403 });
  });
});
