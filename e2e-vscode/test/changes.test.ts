import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HookCaller } from '../../e2e/src/hookCaller.js';
import { connectAgent } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

const site = useSite();
const BEFORE = 'one\r\ntwo\r\nthree\r\n';
const CHANGED = 'one\r\nTWO\r\nthree\r\n';
const MINE = 'one\r\nmine\r\nthree\r\n';

it('the changes of a session open in one read-only editor, and are undone, resolved and redone', async () => {
  const desk = await site.current.open({ 'a.txt': BEFORE, 'b.txt': 'b\n' });
  const { window, companion } = desk;
  const { page } = window;
  const agent = await connectAgent(companion, 'gemini');
  for (const [name, content] of [
    ['a.txt', CHANGED],
    ['b.txt', 'B\n'],
    ['new.txt', 'new\n'],
  ] as const) {
    const proposed = await agent.propose(desk.path(name), content);
    await window.diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content });
    await desk.put(name, content);
    await window.tab('change by').waitFor({ state: 'detached' });
  }

  await window.command('Tandem: Show Changes');
  await window.tab('Changes by Gemini CLI').waitFor();
  const editors = page.locator('.multiDiffEntry:visible');
  await expect.poll(() => editors.count()).toBe(3);
  const picture = join(import.meta.dirname, '../../test-results/pictures');
  await mkdir(picture, { recursive: true });
  await writeFile(join(picture, 'changes-vscode.png'), await page.screenshot());
  // Neither typing nor saving in it writes a file.
  await editors.first().locator('.editor.modified .view-line').first().click();
  await page.keyboard.type('typed');
  await page.keyboard.press('Control+S');
  await expect.poll(() => window.tab('Changes by').and(page.locator('.dirty')).count()).toBe(0);

  await window.command('Tandem: Focus on Changes View');
  const row = window.treeRow('a.txt').filter({ hasText: '+1' });
  await row.click();
  await window.tab('a.txt (changes)').waitFor();
  await window.diff.waitForLine('TWO');
  const restore = async (name: string, detail: string, counts = '+1'): Promise<void> => {
    const changed = window.treeRow(name).filter({ hasText: counts });
    await window.askInRow(changed, 'Undo', window.dialog(detail));
    await window.dialog(detail).getByRole('button', { name: 'Undo' }).click();
  };
  await restore('b.txt', 'b.txt returns to its earlier text.');
  await expect.poll(() => desk.read('b.txt')).toBe('b\n');
  await window.notification('Changes of b.txt undone').getByRole('button', { name: 'Redo' }).click();
  await expect.poll(() => desk.read('b.txt')).toBe('B\n');
  await restore('new.txt', 'new.txt is deleted.');
  await expect.poll(() => existsSync(desk.path('new.txt'))).toBe(false);
  expect(await desk.read('a.txt')).toBe(CHANGED);

  // What no accepted review changed is not counted, and a sentence says so.
  await desk.put('a.txt', MINE);
  const uncounted = window.treeRow('a.txt').filter({ hasText: '+0 −0 · not all counted' });
  await uncounted.locator('.monaco-tl-twistie').click();
  await window.treeRow('Lines of these changes were changed again later').waitFor();
  await writeFile(join(picture, 'changes-notes-vscode.png'), await page.screenshot());
  await restore('a.txt', 'opens with both versions', '+0');
  await window.dirtyTab.filter({ hasText: 'a.txt' }).waitFor();
  await expect.poll(() => window.text).toContain('<<<<<<< the earlier text');
  expect(await desk.read('a.txt')).toBe(MINE);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('resolved');
  await page.keyboard.press('Control+S');
  await expect.poll(() => desk.read('a.txt')).toBe('resolved');
  await agent.close();
});

it('what an agent has written is marked beside its lines, with Keep and Undo', async () => {
  const text = 'one\ntwo\nthree\nfour\n';
  const desk = await site.current.open({ 'written.txt': text });
  const { window } = desk;
  const { page } = window;
  const path = desk.path('written.txt');
  const agent = await HookCaller.of(
    { sandbox: desk.site.sandbox, folder: desk.path('') },
    'claude',
    process.pid,
  );
  const session = { session_id: 's1', cwd: desk.path('.'), permission_mode: 'acceptEdits' };
  await agent.call({ ...session, hook_event_name: 'UserPromptSubmit', prompt: 'Shout' }, 'after');
  const write = async (from: string, to: string): Promise<void> => {
    const before = await desk.read('written.txt');
    const input = { file_path: path, old_string: from, new_string: to };
    const call = { ...session, tool_name: 'Edit', tool_use_id: to, tool_input: input };
    await agent.call({ ...call, hook_event_name: 'PreToolUse' }, 'after');
    await desk.put('written.txt', before.replace(from, to));
    const done = { ...call, hook_event_name: 'PostToolUse', tool_response: { originalFile: before } };
    await agent.call(done, 'after');
  };
  await window.openFile('written.txt');
  await write('two', 'TWO');
  await write('four', 'FOUR');
  const marks = page.locator('.editor-instance .dirty-diff-glyph:visible');
  await expect.poll(() => marks.count()).toBe(2);
  await page.keyboard.press('Alt+F3');
  await page.locator('.peekview-widget:visible').waitFor();
  const picture = join(import.meta.dirname, '../../test-results/pictures');
  await writeFile(join(picture, 'written-vscode.png'), await page.screenshot());
  await page.locator('.peekview-actions').getByLabel('Undo These Lines').click();
  await expect.poll(() => desk.read('written.txt')).toBe('one\ntwo\nthree\nFOUR\n');
  await expect.poll(() => marks.count()).toBe(1);
  await window.openFile('written.txt');
  await page.keyboard.press('Control+End');
  await page.keyboard.press('ArrowUp');
  await window.command('Tandem: Keep These Lines');
  await expect.poll(() => marks.count()).toBe(0);
  expect(await desk.read('written.txt')).toBe('one\ntwo\nthree\nFOUR\n');
});
