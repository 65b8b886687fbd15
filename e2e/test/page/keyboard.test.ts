import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { useBrowser } from '../../src/browser.js';
import { connectClaudeAgent, connectHttpAgent } from '../../src/mcpAgents.js';
import { linesOf, ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`);
const before = lines.join('');
const proposed = lines.with(2, 'changed three\n').with(24, 'changed twenty-five\n').join('');

describe('the keyboard alone', () => {
  it('finds a review in the queue, edits it, drops a change and accepts it', async () => {
    const stage = await Stage.open();
    const first = await stage.put('first.txt', before);
    const second = await stage.put('src/second.txt', before);
    const agent = await connectHttpAgent(stage.tandem, 'gemini');
    await agent.propose(first, proposed);
    const { answer } = await agent.propose(second, proposed);
    const page = await ReviewPage.open(stage.tandem);
    await page.proposal('first.txt').waitFor();
    const keys = page.page.keyboard;

    // From the start of the page to the side bar, then down to the second review.
    await keys.press('F6');
    await keys.press('F6');
    await page.waiting('first.txt').and(page.page.locator(':focus')).waitFor();
    await keys.press('ArrowDown');
    await page.waiting('src/second.txt').and(page.page.locator(':focus')).waitFor();
    await keys.press('Enter');
    await page.review('src/second.txt').and(page.page.locator(':focus')).waitFor();
    await keys.press('Enter');
    const text = page.proposal('src/second.txt');
    await text.and(page.page.locator(':focus')).waitFor();

    // The cursor starts at the first change.
    await page.review('src/second.txt').getByText('Change 1 of 2', { exact: true }).waitFor();
    await keys.press('End');
    await keys.type(' by hand');
    await keys.press('F7');
    await keys.press('F8');
    await text.getByText('line 25').waitFor();
    await keys.press('ControlOrMeta+Enter');
    expect(await answer).toEqual({
      kind: 'accepted',
      content: lines.with(2, 'changed three by hand\n').join(''),
    });
  });

  it('moves from review to review, and rejects', exhaustive, async () => {
    const stage = await Stage.open();
    const agent = await connectClaudeAgent(stage.tandem);
    const { answer: one } = await agent.propose(await stage.put('one.txt', 'a\n'), 'b\n');
    const { answer: two } = await agent.propose(await stage.put('two.txt', 'a\n'), 'b\n');
    const page = await ReviewPage.open(stage.tandem);
    await page.review('one.txt').waitFor();
    const keys = page.page.keyboard;
    const hasFocus = (name: string) => page.review(name).and(page.page.locator(':focus')).waitFor();
    // A review has the focus beside its text: characters are commands until the user enters the text.
    await keys.press(']');
    await hasFocus('two.txt');
    await keys.press('[');
    await hasFocus('one.txt');
    await keys.press('?');
    await page.page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await keys.press('Escape');
    await keys.press('Alt+PageDown');
    await hasFocus('two.txt');
    await keys.press('i');
    await page.proposal('two.txt').and(page.page.locator(':focus')).waitFor();
    await keys.type('[?');
    await expect.poll(() => linesOf(page.proposal('two.txt'))).toEqual(['[?b', '']);
    await keys.press('Alt+PageUp');
    await hasFocus('one.txt');
    await keys.press('ControlOrMeta+Shift+Backspace');
    expect(await one).toEqual({ kind: 'rejected' });
    // The remaining review is shown next and has the focus.
    await page.waitForMessage('Rejected one.txt. Next: two.txt.');
    await hasFocus('two.txt');
    await keys.press('ControlOrMeta+Shift+Backspace');
    expect(await two).toEqual({ kind: 'rejected' });
    await page.waitForEnd('two.txt', 'Rejected. The file is unchanged.');
  });

  it('leaves a text by Escape and Tab, and presses the next button', exhaustive, async () => {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', 'one\ntwo\n');
    const agent = await connectHttpAgent(stage.tandem, 'qwen');
    const { answer } = await agent.propose(path, 'one\nTWO\n');
    const page = await ReviewPage.open(stage.tandem);
    const text = await page.openReview('a.txt');
    const keys = page.page.keyboard;
    await page.review('a.txt').and(page.page.locator(':focus')).waitFor();
    await keys.press('Enter');
    await text.and(page.page.locator(':focus')).waitFor();
    const accept = page.review('a.txt').getByRole('button', { name: /^Accept/ });
    for (
      let presses = 0;
      !(await accept.evaluate((button) => button === document.activeElement));
      presses++
    ) {
      expect(presses).toBeLessThan(20);
      await keys.press('Escape');
      await keys.press('Shift+Tab');
    }
    expect(await text.textContent()).toBe('oneTWO');
    await keys.press('Space');
    expect(await answer).toEqual({ kind: 'accepted', content: 'one\nTWO\n' });
  });

  it('moves through the parts of the page and wraps around', exhaustive, async () => {
    const stage = await Stage.open();
    await stage.put('a.txt', 'one\n');
    const page = await ReviewPage.open(stage.tandem);
    await page.openFile('a.txt');
    const focusedPart = (): Promise<string | undefined> =>
      page.page.evaluate(() =>
        document.activeElement?.closest('header, nav, main, footer')?.tagName.toLowerCase(),
      );
    const parts: (string | undefined)[] = [];
    for (let press = 0; press < 4; press++) {
      await page.page.keyboard.press('F6');
      parts.push(await focusedPart());
    }
    expect(parts).toEqual(['footer', 'header', 'nav', 'main']);
    await page.page.keyboard.press('Shift+F6');
    expect(await focusedPart()).toBe('nav');
  });

  it('skips to the editor from the start of the page', exhaustive, async () => {
    const stage = await Stage.open();
    const page = await ReviewPage.open(stage.tandem);
    await page.page.keyboard.press('Tab');
    const link = page.page.getByRole('link', { name: 'Go to the editor' });
    await link.and(page.page.locator(':focus')).waitFor();
    // It is visible while it has the focus.
    expect((await link.boundingBox())?.height).toBeGreaterThan(10);
    await page.page.keyboard.press('Enter');
    await page.page.keyboard.press('Tab');
    const isInMain = await page.page.evaluate(() => document.activeElement?.closest('main') !== null);
    expect(isInMain).toBe(true);
  });
});

describe('tabs', () => {
  it('are switched by the arrow keys and closed by Delete, and keep the focus', exhaustive, async () => {
    const stage = await Stage.open();
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await stage.put(name, 'text\n');
    const page = await ReviewPage.open(stage.tandem);
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await page.openFile(name);
    const keys = page.page.keyboard;
    const inFront = (name: string): Promise<void> =>
      page.documentTab(name).and(page.page.locator('[aria-selected="true"]:focus')).waitFor();
    await page.documentTab('c.txt').focus();
    await keys.press('ArrowLeft');
    await inFront('b.txt');
    await keys.press('Home');
    await inFront('a.txt');
    await keys.press('ArrowLeft');
    await inFront('c.txt');
    await keys.press('Delete');
    await page.documentTab('c.txt').waitFor({ state: 'detached' });
    await inFront('a.txt');
    await keys.press('Alt+Shift+PageDown');
    await page.document('b.txt').and(page.page.locator(':focus')).waitFor();
  });
});

describe('the overlay of keys', () => {
  it('opens with ? and closes with Escape, and restores the focus', async () => {
    const stage = await Stage.open();
    await stage.put('a.txt', 'text\n');
    const page = await ReviewPage.open(stage.tandem);
    await page.treeItem('a.txt').waitFor();
    const keys = page.page.keyboard;
    const agents = page.page.getByRole('button', { name: 'Agents, 0 connected' });
    await agents.focus();
    await keys.press('?');
    const help = page.page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Accept the text as shown').waitFor();
    await help.getByText('Quick open: a file or a review').waitFor();
    await keys.press('Escape');
    await help.waitFor({ state: 'detached' });
    await agents.and(page.page.locator(':focus')).waitFor();
  });

  it('opens with F1 from a text, where ? is typed', exhaustive, async () => {
    const stage = await Stage.open();
    await stage.put('a.txt', 'text\n');
    const page = await ReviewPage.open(stage.tandem);
    const text = await page.openFile('a.txt');
    const keys = page.page.keyboard;
    await keys.type('?');
    await text.getByText('?text').waitFor();
    expect(await page.page.getByRole('dialog').count()).toBe(0);
    await keys.press('F1');
    const help = page.page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.waitFor();
    await keys.press('Escape');
    await help.waitFor({ state: 'detached' });
    await keys.type('!');
    await text.getByText('?!text').waitFor();
  });
});
