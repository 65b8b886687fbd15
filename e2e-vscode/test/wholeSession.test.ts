import { expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import type { EditorWindow } from '../src/editorWindow.js';
import { connectAgent } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

const site = useSite();
const before = 'one\r\ntwo\r\nthree\r\n';
const proposed = 'one\r\nTWO\r\nthree\r\n';
const names = Array.from({ length: 14 }, (_, index) => `file-${String(index + 1).padStart(2, '0')}.txt`);
const rejected = [3, 8, 12];
/** How long VS Code may take to do what a key says. Pressed again earlier, the key could reach the next diff. */
const keyLimit = 2_000;
const isEdited = (number: number): boolean => number % 2 === 0;

it(
  'a session of 14 files is reviewed by keyboard alone, over a kill, and every file is as decided',
  exhaustive,
  async () => {
    let desk = await site.current.open(Object.fromEntries(names.map((name) => [name, before])));
    const { window } = desk;
    const { keyboard } = window.page;
    const agent = await connectAgent(desk.companion, 'gemini');
    const answers = [];
    for (const name of names) answers.push(await agent.propose(desk.path(name), proposed));

    await expect.poll(() => window.tab('change by').count()).toBe(names.length);
    await keyboard.press('Alt+]');
    for (const [index, name] of names.entries()) {
      const number = index + 1;
      await isActive(window, name);
      if (isEdited(number)) {
        await keyboard.press('Control+End');
        await keyboard.type(`mine ${number}`);
        await window.diff.waitForLine(`mine ${number}`);
      }
      if (number === 8) {
        await expect.poll(() => site.current.server.kept(desk.companion.pid)).toContain('mine 8');
        const closed = await site.current.server.closedDiffs();
        process.kill(desk.companion.pid, 'SIGKILL');
        desk = await desk.reconnect();
        await agent.comeBack();
        await expect.poll(() => site.current.server.closedDiffs()).toBeGreaterThan(closed);
        await keyboard.press('Control+1');
        await isActive(window, name);
        await window.diff.waitForLine('mine 8');
      }
      if (rejected.includes(number)) await rejectWithComment(window, `not so ${number}`);
      else await accept(window, name);
      const answer = await answers[index]?.answer();
      expect([name, answer?.kind]).toEqual([name, rejected.includes(number) ? 'rejected' : 'accepted']);
      if (answer?.kind === 'accepted') await desk.put(name, answer.content);
    }

    await run(window, 'Tandem: Focus on Changes View');
    await restore(window, 'file-02.txt');
    await expect.poll(() => desk.read('file-02.txt')).toBe(before);

    for (const [index, name] of names.entries()) {
      const number = index + 1;
      const accepted = isEdited(number) ? `${proposed}mine ${number}\r\n` : proposed;
      const isBefore = rejected.includes(number) || number === 2;
      expect([name, await desk.read(name)]).toEqual([name, isBefore ? before : accepted]);
    }
  },
);

/** Waits until the diff of a file is active and its right side has the focus. */
async function isActive(window: EditorWindow, name: string): Promise<void> {
  await window.activeTab.filter({ hasText: `${name} (` }).waitFor();
  await window.diff.focusedSide.waitFor();
}

/** Presses a key until the review is decided: right after its diff has opened, the key is ignored. */
async function accept(window: EditorWindow, name: string): Promise<void> {
  const tab = window.activeTab.filter({ hasText: `${name} (` });
  const press = async (): Promise<boolean> => {
    await window.page.keyboard.press('Control+S');
    return isInTime(tab.waitFor({ state: 'hidden', timeout: keyLimit }));
  };
  await expect.poll(press).toBe(true);
}

/** Whether what is awaited happens before its time is over. */
function isInTime(awaited: Promise<void>): Promise<boolean> {
  return awaited.then(
    () => true,
    () => false,
  );
}

const run = (window: EditorWindow, title: string): Promise<void> => window.command(title, { byKey: true });

async function rejectWithComment(window: EditorWindow, comment: string): Promise<void> {
  const { page } = window;
  await run(window, 'Add Comment on Current Selection');
  const form = page.locator('.review-widget .comment-form .monaco-editor.focused');
  await form.waitFor();
  await page.keyboard.type(comment);
  const isWritten = page.locator('.review-widget .comment-body').filter({ hasText: comment });
  // VS Code ignores the key while the form does not know of the text yet.
  const submit = async (): Promise<boolean> => {
    if ((await form.filter({ hasText: comment }).count()) > 0) await page.keyboard.press('Control+Enter');
    return isInTime(isWritten.waitFor({ timeout: keyLimit }));
  };
  await expect.poll(submit).toBe(true);
  await run(window, 'Tandem: Reject with Feedback');
  await window.quickInput.filter({ hasText: '1 comment will be sent' }).waitFor();
  await page.keyboard.press('Enter');
}

/** Restores a file from the menu of its row. */
async function restore(window: EditorWindow, name: string): Promise<void> {
  const { page } = window;
  const focused = page.locator('.pane-body .monaco-list-row.focused');
  await window.treeRow(name).waitFor();
  await expect
    .poll(async () => {
      await page.keyboard.press('ArrowDown');
      return focused.filter({ hasText: name }).count();
    })
    .toBe(1);
  await page.keyboard.press('Shift+F10');
  const entry = page.locator('.monaco-menu .action-item.focused').filter({ hasText: 'Undo' });
  await expect
    .poll(async () => {
      await page.keyboard.press('ArrowDown');
      return entry.count();
    })
    .toBe(1);
  await page.keyboard.press('Enter');
  await window.dialog(name).getByRole('button', { name: 'Undo' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
}
