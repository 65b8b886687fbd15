import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { expectAccessible } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import { connectClaudeAgent, connectHttpAgent, mcpAgents } from '../../src/mcpAgents.js';
import { linesOf, ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

const before = 'one\ntwo\nthree\n';
const proposed = 'one\nTWO\nthree\n';

const tabOf = ({ page }: ReviewPage, file: string): Locator =>
  page.getByRole('tab', { name: new RegExp(`^Review of ${file}`) });
const dialogIn = ({ page }: ReviewPage): Locator => page.getByRole('dialog');

/** Closes the tab of a review with the keyboard. */
async function close(page: ReviewPage, file: string): Promise<void> {
  const tab = tabOf(page, file);
  await tab.focus();
  await tab.press('Delete');
}

/** Edits the active proposal. */
async function edit(text: Locator): Promise<void> {
  await text.getByText('TWO').click();
  await text.press('End');
  await text.pressSequentially('!');
  await text.getByText('TWO!').waitFor();
}

describe('closing the tab of a pending review', () => {
  it('rejects one that was not edited after the time for an undo, and shows no other [CLA-36 GEM-49 QWN-49 QWL-49]', async () => {
    const stage = await Stage.open();
    const answers = new Map<string, Promise<unknown>>();
    for (const { kind, connect } of mcpAgents) {
      const agent = await connect(stage.tandem);
      const { answer } = await agent.propose(await stage.put(`${kind}.txt`, before), proposed);
      answers.set(kind, answer);
    }
    const page = await ReviewPage.open(stage.tandem);
    const notices = page.page.getByRole('region', { name: 'Notices' });
    const undo = notices.getByRole('button', { name: 'Undo' });
    const [undone = ''] = answers.keys();
    await page.openReview(`${undone}.txt`);
    await close(page, `${undone}.txt`);
    await undo.click();
    await page.review(`${undone}.txt`).waitFor();
    for (const kind of answers.keys()) {
      await page.openReview(`${kind}.txt`);
      await close(page, `${kind}.txt`);
      await page.page.getByRole('tab').first().waitFor({ state: 'detached' });
      await page.waitForMessage(
        new RegExp(`^Closing the view rejects the proposal by .* for ${kind}.txt in 10 seconds`),
      );
    }
    expect(await page.queue.filter({ hasText: 'Closing' }).count()).toBeGreaterThan(0);
    await expectAccessible(page.page);
    for (const [kind, answer] of answers) expect(await answer, kind).toEqual({ kind: 'rejected' });
    await undo.first().waitFor({ state: 'detached' });
    await page.queue.first().waitFor({ state: 'detached' });
    expect(await dialogIn(page).count()).toBe(0);
  });

  it('asks about one that was edited, also a moment ago', async () => {
    const stage = await Stage.open();
    const agent = await connectHttpAgent(stage.tandem, 'gemini');
    const page = await ReviewPage.open(stage.tandem);
    const path = await stage.put('a.txt', before);
    const first = await agent.propose(path, proposed);
    await edit(await page.openReview('a.txt'));
    await page.page.keyboard.press('Alt+W');
    const dialog = dialogIn(page);
    await dialog.getByText('You edited the proposal').waitFor();
    // Escape decides nothing.
    await page.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await tabOf(page, 'a.txt').waitFor();
    await close(page, 'a.txt');
    await dialog.getByRole('button', { name: 'Keep pending' }).click();
    await tabOf(page, 'a.txt').waitFor({ state: 'detached' });
    expect(await linesOf(await page.openReview('a.txt'))).toContain('TWO!');
    await close(page, 'a.txt');
    await dialog.getByRole('button', { name: 'Accept' }).click();
    expect(await first.answer).toEqual({ kind: 'accepted', content: proposed.replace('TWO', 'TWO!') });
    await tabOf(page, 'a.txt').waitFor({ state: 'detached' });

    const second = await agent.propose(path, proposed);
    await edit(await page.openReview('a.txt'));
    await close(page, 'a.txt');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    expect(await second.answer).toEqual({ kind: 'rejected' });
  });

  it('changes nothing once it is decided', exhaustive, async () => {
    const stage = await Stage.open();
    const agent = await connectClaudeAgent(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    const { answer } = await agent.propose(await stage.put('a.txt', before), proposed);
    await page.openReview('a.txt');
    await page.accept('a.txt');
    expect(await answer).toEqual({ kind: 'accepted', content: proposed });
    await page.waitForEnd('a.txt', /^Accepted/);
    await close(page, 'a.txt');
    await tabOf(page, 'a.txt').waitFor({ state: 'detached' });
    expect(await dialogIn(page).count()).toBe(0);
  });

  it('always asks with --when-closed ask', exhaustive, async () => {
    const stage = await Stage.open({ args: ['--when-closed', 'ask'] });
    const agent = await connectClaudeAgent(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    const { answer } = await agent.propose(await stage.put('a.txt', before), proposed);
    await page.openReview('a.txt');
    await close(page, 'a.txt');
    const dialog = dialogIn(page);
    await dialog.getByText('You closed the proposal').waitFor();
    await dialog.getByRole('button', { name: 'Reject' }).click();
    expect(await answer).toEqual({ kind: 'rejected' });
    await tabOf(page, 'a.txt').waitFor({ state: 'detached' });
  });

  it('keeps it in the list with --when-closed keep', exhaustive, async () => {
    const stage = await Stage.open({ args: ['--when-closed', 'keep'] });
    const agent = await connectHttpAgent(stage.tandem, 'qwen');
    const page = await ReviewPage.open(stage.tandem);
    const { answer } = await agent.propose(await stage.put('a.txt', before), proposed);
    await edit(await page.openReview('a.txt'));
    await close(page, 'a.txt');
    await tabOf(page, 'a.txt').waitFor({ state: 'detached' });
    expect(await dialogIn(page).count()).toBe(0);
    expect(await linesOf(await page.openReview('a.txt'))).toContain('TWO!');
    await page.accept('a.txt');
    expect(await answer).toEqual({ kind: 'accepted', content: proposed.replace('TWO', 'TWO!') });
  });
});

describe('the notice of a decision', () => {
  it('undoes an acceptance in the file, and writes what was rejected after a question', async () => {
    const stage = await Stage.open();
    const agent = await connectHttpAgent(stage.tandem, 'gemini');
    const path = await stage.put('a.txt', before);
    const page = await ReviewPage.open(stage.tandem);
    const undo = page.page.getByRole('region', { name: 'Notices' }).getByRole('button', { name: 'Undo' });
    const accepted = await agent.propose(path, proposed);
    await page.openReview('a.txt');
    await page.accept('a.txt');
    await accepted.answer;
    await stage.put('a.txt', proposed);
    await page.waitForMessage('Accepted a.txt.');
    await undo.click();
    await expect.poll(() => stage.read('a.txt')).toBe(before);
    await page.waitForMessage('Undone: a.txt.');

    const rejected = await agent.propose(path, proposed);
    await page.openReview('a.txt');
    await page.reject('a.txt');
    expect(await rejected.answer).toEqual({ kind: 'rejected' });
    await page.waitForMessage('Rejected a.txt.');
    await undo.click();
    await dialogIn(page).getByText('Gemini CLI knows that you rejected it').waitFor();
    await expectAccessible(page.page);
    await dialogIn(page).getByRole('button', { name: 'Write the file' }).click();
    await expect.poll(() => stage.read('a.txt')).toBe(proposed);
  });
});
