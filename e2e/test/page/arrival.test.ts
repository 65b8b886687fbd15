import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { useBrowser } from '../../src/browser.js';
import { connectClaudeAgent, connectHttpAgent, type McpAgent } from '../../src/mcpAgents.js';
import { linesOf, ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

/** Long enough that a review arrives while it is typed. */
const words = Array.from({ length: 25 }, (_, index) => `word${index}`).join(' ');

/** Types while an agent proposes, and continues after the page has announced the review. */
async function typeWhileItProposes(page: ReviewPage, agent: McpAgent, path: string): Promise<void> {
  const [{ id }] = await Promise.all([agent.propose(path, 'proposed\n'), page.page.keyboard.type(words)]);
  expect(id).not.toBe('');
  await page.waiting(path).waitFor();
  await page.page.keyboard.type(' end');
}

describe('a review that arrives', () => {
  it('is shown if nothing else is, without taking the focus', async () => {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', 'before\n');
    const agent = await connectHttpAgent(stage.tandem, 'gemini');
    const page = await ReviewPage.open(stage.tandem);
    expect(await page.page.title()).toBe('Tandem - workspace');
    await page.page.getByRole('heading', { name: 'Nothing to review' }).waitFor();
    await page.page.getByRole('tree', { name: 'Files' }).focus();
    await agent.propose(path, 'proposed\n');
    await page.proposal('a.txt').waitFor();
    await page.page.getByRole('tree', { name: 'Files' }).and(page.page.locator(':focus')).waitFor();
    expect(await page.page.title()).toBe('(1) Tandem - workspace');
  });

  it('leaves the cursor in the document that is being edited', exhaustive, async () => {
    const stage = await Stage.open();
    await stage.put('notes.txt', 'first\n');
    const path = await stage.put('a.txt', 'before\n');
    const agent = await connectClaudeAgent(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    const text = await page.openFile('notes.txt');
    await text.getByText('first').click();
    await page.page.keyboard.press('End');
    await typeWhileItProposes(page, agent, path);
    await expect.poll(() => linesOf(text)).toEqual([`first${words} end`, '']);
    await text.and(page.page.locator(':focus')).waitFor();
    expect(await page.page.title()).toBe('(1) Tandem - workspace');
    const sentence = 'Claude Code proposes a change to a.txt';
    await page.page.getByRole('status', { name: 'Messages' }).getByText(sentence).waitFor();
    const notice = page.page.getByRole('region', { name: 'Notices' }).getByRole('listitem');
    await notice.filter({ hasText: sentence }).getByRole('button', { name: 'Review' }).click();
    await page.review('a.txt').and(page.page.locator(':focus')).waitFor();
    await notice.waitFor({ state: 'detached' });
  });

  it('leaves the cursor in the review that is being edited', async () => {
    const stage = await Stage.open();
    const [first, second] = [await stage.put('a.txt', 'before\n'), await stage.put('b.txt', 'before\n')];
    const claude = await connectClaudeAgent(stage.tandem);
    const qwen = await connectHttpAgent(stage.tandem, 'qwen');
    const page = await ReviewPage.open(stage.tandem);
    const { answer } = await claude.propose(first, 'proposed\n');
    const text = await page.openReview('a.txt');
    await text.getByText('proposed').click();
    await page.page.keyboard.press('End');
    await typeWhileItProposes(page, qwen, second);
    await expect.poll(() => linesOf(text)).toEqual([`proposed${words} end`, '']);
    await text.and(page.page.locator(':focus')).waitFor();
    expect(await page.page.title()).toBe('(2) Tandem - workspace');
    await page.page
      .getByRole('status', { name: 'Messages' })
      .getByText('Qwen Code proposes a change to b.txt')
      .waitFor();

    // After a decision, the next review is shown and has the focus.
    await page.page.keyboard.press('ControlOrMeta+Enter');
    expect(await answer).toEqual({ kind: 'accepted', content: `proposed${words} end\n` });
    await page.review('b.txt').and(page.page.locator(':focus')).waitFor();
    await expect.poll(() => page.page.title()).toBe('(1) Tandem - workspace');
  });

  it('is queued behind older ones, each with its agent', exhaustive, async () => {
    const stage = await Stage.open();
    const claude = await connectClaudeAgent(stage.tandem);
    const gemini = await connectHttpAgent(stage.tandem, 'gemini');
    const qwen = await connectHttpAgent(stage.tandem, 'qwen');
    const page = await ReviewPage.open(stage.tandem);
    for (const [agent, name] of [
      [qwen, 'c.txt'],
      [claude, 'a.txt'],
      [gemini, 'b.txt'],
    ] as const) {
      await agent.propose(await stage.put(name, 'before\n'), 'proposed\n');
    }
    await page.queue.nth(2).waitFor();
    await expect.poll(() => page.page.title()).toBe('(3) Tandem - workspace');
    expect(await page.queue.allTextContents()).toEqual([
      expect.stringMatching(/^c\.txt.*Qwen Code/),
      expect.stringMatching(/^a\.txt.*Claude Code/),
      expect.stringMatching(/^b\.txt.*Gemini CLI/),
    ]);
    await page.openReview('c.txt');
    await page.page.keyboard.press('Alt+PageDown');
    await page.proposal('a.txt').waitFor();
    await page.page.keyboard.press('Alt+PageUp');
    await page.page.keyboard.press('Alt+PageUp');
    await page.proposal('b.txt').waitFor();
  });
});
