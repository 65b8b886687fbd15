import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { expectAccessible } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import { connectClaudeAgent, connectHttpAgent, type McpAgent } from '../../src/mcpAgents.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';
import { takePictures } from '../../src/takePicture.js';

useBrowser();

/** A companion with two sessions: one of Gemini CLI with reviews of these files, one of Claude Code with one review. */
async function openTwo(names: readonly string[]) {
  const stage = await Stage.open();
  const gemini = await connectHttpAgent(stage.tandem, 'gemini');
  const claude = await connectClaudeAgent(stage.tandem);
  const propose = async (agent: McpAgent, name: string) =>
    agent.propose(await stage.put(name, 'one\ntwo\n'), 'ONE\ntwo\n');
  const [first = '', ...others] = names;
  const proposals = [await propose(gemini, first)];
  await propose(claude, 'other.txt');
  for (const name of others) proposals.push(await propose(gemini, name));
  const page = await ReviewPage.open(stage.tandem);
  await page.openReview(first);
  const group = (agent: string) => page.page.getByRole('region', { name: `Session of ${agent}` });
  return { stage, page, gemini, claude, proposals, propose, group };
}

describe('the queue of reviews', () => {
  it('groups them by session, and steps through one session before the next', async () => {
    const { page, group } = await openTwo(['a.txt', 'b.txt', 'c.txt']);
    const names = await page.queue.locator('strong').allTextContents();
    expect(names).toEqual(['a.txt', 'b.txt', 'c.txt', 'other.txt']);
    await page.review('a.txt').getByText('1 of 3').waitFor();
    await expectAccessible(page.page);
    await takePictures(page.page, 'sessions');
    await page.review('a.txt').getByRole('button', { name: 'Next review' }).click();
    await page.review('b.txt').getByText('2 of 3').waitFor();
    await page.page.keyboard.press(']');
    await page.page.keyboard.press(']');
    await page.review('other.txt').waitFor();
    expect(await page.review('other.txt').getByRole('button', { name: 'Next review' }).count()).toBe(0);
    // The rows of a collapsed session are gone, and its heading is still reached by the arrow keys.
    await group('Gemini CLI').getByRole('button', { expanded: true }).click();
    await expect.poll(() => page.queue.count()).toBe(1);
    await page.waiting('other.txt').press('Home');
    await page.page.keyboard.press('Enter');
    await expect.poll(() => page.queue.count()).toBe(4);
  });

  it('opens the next review of the same session after a decision', exhaustive, async () => {
    const { page } = await openTwo(['a.txt', 'b.txt']);
    await page.openReview('b.txt');
    await page.page.keyboard.press('ControlOrMeta+Enter');
    await page.review('a.txt').waitFor();
    await page.reject('a.txt');
    await page.review('other.txt').waitFor();
  });

  it('accepts all of a session after one question, which names edited texts and conflicts', async () => {
    const { stage, page, group, proposals } = await openTwo(['a.txt', 'b.txt', 'c.txt']);
    const text = await page.openReview('b.txt');
    await text.getByText('two').click();
    await page.page.keyboard.type('my ');
    await writeFile(stage.path('c.txt'), 'eins\ntwo\n');
    await page.waiting('c.txt').getByText('Changed on disk').waitFor();
    await group('Gemini CLI').getByRole('button', { name: 'Accept all' }).click();
    const dialog = page.page.getByRole('dialog', { name: 'Accept 2 proposals by Gemini CLI?' });
    await dialog.getByText('With your edits: b.txt.').waitFor();
    expect(await dialog.getByRole('paragraph').allTextContents()).toEqual([
      'Files: a.txt, b.txt.',
      'With your edits: b.txt.',
      'Stays pending: c.txt (its file changed on lines that the proposal also changes).',
    ]);
    expect(await dialog.getByRole('button', { name: 'Accept all' }).count()).toBe(0);
    await expectAccessible(page.page);
    await takePictures(page.page, 'accept-all');
    await dialog.getByRole('button', { name: 'Accept 2 proposals' }).click();
    expect(await proposals[0]?.answer).toEqual({ kind: 'accepted', content: 'ONE\ntwo\n' });
    expect(await proposals[1]?.answer).toMatchObject({
      kind: 'accepted',
      content: expect.stringContaining('my '),
    });
    await page.review('c.txt').waitFor();
    await page.page
      .getByRole('region', { name: 'Notices' })
      .getByText('Accepted 2 proposals. Stays pending: c.txt (its file changed')
      .waitFor();
    expect(await readFile(stage.path('c.txt'), 'utf8')).toBe('eins\ntwo\n');
  });

  it('accepts files that need a confirmation together with the others, after it said why', async () => {
    const { stage, page, group, proposals } = await openTwo(['a.txt', '.vscode/tasks.json', 'c.txt']);
    await writeFile(stage.path('c.txt'), 'eins\ntwo\n');
    await page.waiting('c.txt').getByText('Changed on disk').waitFor();
    await group('Gemini CLI').getByRole('button', { name: 'Accept all' }).click();
    const dialog = page.page.getByRole('dialog', { name: 'Accept 1 proposal by Gemini CLI?' });
    await dialog.getByText('needs your confirmation').waitFor();
    expect(await dialog.getByRole('paragraph').allTextContents()).toEqual([
      'File: a.txt.',
      '.vscode/tasks.json needs your confirmation: An editor may run commands that this file contains.',
      'Stays pending: c.txt (its file changed on lines that the proposal also changes).',
    ]);
    await expectAccessible(page.page);
    await takePictures(page.page, 'accept-all-with-concerns');
    await dialog.getByRole('button', { name: 'Accept all 2' }).click();
    const accepted = { kind: 'accepted', content: 'ONE\ntwo\n' };
    expect(await Promise.all([proposals[0]?.answer, proposals[1]?.answer])).toEqual([accepted, accepted]);
    await page.review('c.txt').waitFor();
  });

  it('rejects all of a session after one question, and nothing if it is cancelled', exhaustive, async () => {
    const { page, group, proposals } = await openTwo(['a.txt', 'b.txt']);
    const rejectAll = group('Gemini CLI').getByRole('button', { name: 'Reject all' });
    await rejectAll.click();
    await page.page.getByRole('dialog').getByText('Files: a.txt, b.txt.').waitFor();
    await page.page.keyboard.press('Escape');
    expect(await page.queue.count()).toBe(3);
    await rejectAll.click();
    await page.page.getByRole('dialog').getByRole('button', { name: 'Reject 2 proposals' }).click();
    expect(await Promise.all(proposals.map(({ answer }) => answer))).toEqual([
      { kind: 'rejected' },
      { kind: 'rejected' },
    ]);
    await page.review('other.txt').waitFor();
  });

  it('opens each new review of a followed session, but not while the user types', exhaustive, async () => {
    const { page, group, gemini, claude, propose } = await openTwo(['a.txt']);
    await group('Gemini CLI')
      .getByRole('button', { name: /^Follow this session/ })
      .click();
    await propose(claude, 'claude.txt');
    await page.waiting('claude.txt').waitFor();
    await page.review('a.txt').waitFor();
    await propose(gemini, 'b.txt');
    await page.review('b.txt').waitFor();
    await page.proposal('b.txt').getByText('two').click();
    await page.page.keyboard.type('my ');
    await propose(gemini, 'c.txt');
    await page.waiting('c.txt').waitFor();
    await page.page.keyboard.type('words ');
    await expect.poll(() => page.proposal('b.txt').textContent()).toContain('my words ');
  });
});
