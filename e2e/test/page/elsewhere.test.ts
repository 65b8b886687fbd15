import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { useBrowser } from '../../src/browser.js';
import { holdCalls } from '../../src/heldCalls.js';
import { connectClaudeAgent, connectHttpAgent } from '../../src/mcpAgents.js';
import { linesOf, ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';
import { tandem } from '../../src/tandem.js';

useBrowser();

const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);
const before = lines.join('');
const proposed = lines.with(4, 'changed five\n').with(14, 'changed fifteen\n').join('');

/** A page with an active review. */
async function reviewing() {
  const stage = await Stage.open();
  const path = await stage.put('a.txt', before);
  const agent = await connectHttpAgent(stage.tandem, 'gemini');
  const page = await ReviewPage.open(stage.tandem);
  const { id, answer } = await agent.propose(path, proposed);
  const text = await page.openReview('a.txt');
  return { stage, agent, path, page, id, answer, text };
}

describe('the page follows the terminal', () => {
  it('when a review is decided there', async () => {
    const { stage, agent, path, page, id, answer } = await reviewing();
    await stage.tandem.accept(id);
    await page.waitForEnd('a.txt', 'Accepted. Gemini CLI now writes the file.');
    expect(await answer).toEqual({ kind: 'accepted', content: proposed });
    expect(await page.review('a.txt').getByRole('button', { name: 'Accept' }).count()).toBe(0);
    await expect.poll(() => page.page.title()).toBe('Tandem - workspace');

    const second = await agent.propose(path, proposed);
    await page.openReview('a.txt');
    await stage.tandem.reject(second.id);
    await page.waitForEnd('a.txt', 'Rejected. The file is unchanged.');
    expect(await second.answer).toEqual({ kind: 'rejected' });
    expect(await page.review('a.txt').getByText('Your text is kept').count()).toBe(0);
  });

  it(
    'when hunks are dropped and the text is edited there, beside what is typed in the page',
    exhaustive,
    async () => {
      const { stage, page, id, answer, text } = await reviewing();
      await text.getByText('line 10').click();
      await page.page.keyboard.press('End');
      await page.page.keyboard.type(' typed');
      await stage.tandem.run('review', 'drop', '1', id);
      await text.getByText('Dropped change').waitFor();
      await text.getByText('line 5', { exact: true }).waitFor();
      // The cursor has not moved.
      await page.page.keyboard.type(' and');
      await text.getByText('line 10 typed and', { exact: true }).waitFor();

      const editor = 'sed -i "s/changed fifteen/changed elsewhere/"';
      const edit = ['review', 'edit', id];
      const { code, stderr } = await tandem(stage.sandbox, stage.workspace, edit, { VISUAL: editor });
      expect(stderr).toBe('');
      expect(code).toBe(0);
      await text.getByText('changed elsewhere').waitFor();
      await page.page.keyboard.type(' on');
      await stage.tandem.run('review', 'keep', '1', id);
      await text.getByText('changed five').waitFor();
      await page.accept('a.txt');
      expect(await answer).toEqual({
        kind: 'accepted',
        content: lines
          .with(4, 'changed five\n')
          .with(9, 'line 10 typed and on\n')
          .with(14, 'changed elsewhere\n')
          .join(''),
      });
    },
  );

  it('before it accepts a text that the user has not seen', async () => {
    const { stage, page, id, answer, text } = await reviewing();
    const calls = await holdCalls(page.page, 'review.accept');
    await page.accept('a.txt');
    await calls.held;
    await stage.tandem.run('review', 'drop', '2', id);
    await calls.release();
    await page.review('a.txt').getByRole('alert').filter({ hasText: 'was just changed elsewhere' }).waitFor();
    await text.getByText('Dropped change').waitFor();
    expect(await page.waiting('a.txt').count()).toBe(1);
    await page.accept('a.txt');
    expect(await answer).toEqual({
      kind: 'accepted',
      content: lines.with(4, 'changed five\n').join(''),
    });
  });
});

describe('two pages', () => {
  it('edit one review at the same time and converge', async () => {
    const { stage, page: one, answer, text: first } = await reviewing();
    const other = await ReviewPage.open(stage.tandem);
    const second = await other.openReview('a.txt');
    await first.getByText('changed five').click();
    await one.page.keyboard.press('End');
    await second.getByText('changed fifteen').click();
    await other.page.keyboard.press('Home');
    await Promise.all([
      one.page.keyboard.type(' by the first page'),
      other.page.keyboard.type('by the second page: '),
    ]);
    const both = lines
      .with(4, 'changed five by the first page\n')
      .with(14, 'by the second page: changed fifteen\n')
      .join('');
    for (const text of [first, second]) {
      await expect.poll(() => linesOf(text)).toEqual(both.split('\n'));
    }
    // Undo reverts the input of this page, not that of the other page.
    await second.press('ControlOrMeta+z');
    for (const text of [first, second]) await text.getByText('changed fifteen', { exact: true }).waitFor();
    await first.getByText('changed five by the first page').waitFor();
    await second.press('ControlOrMeta+Shift+z');
    await first.getByText('by the second page: changed fifteen').waitFor();

    await one.accept('a.txt');
    expect(await answer).toEqual({ kind: 'accepted', content: both });
    await other.waitForEnd('a.txt', 'Accepted with your edits.');
  });

  it('have the same documents open, with the same text', exhaustive, async () => {
    const stage = await Stage.open();
    await stage.put('a.txt', 'one\ntwo\n');
    const page = await ReviewPage.open(stage.tandem, { isAlone: true });
    const other = await ReviewPage.open(stage.tandem);
    await page.page.clock.install();
    const first = await page.openFile('a.txt');
    await other.documentTab('a.txt').click();
    const second = other.document('a.txt');
    await first.getByText('one').click();
    await page.page.keyboard.press('End');
    await page.page.keyboard.type('!');
    await second.getByText('one!').waitFor();
    await second.getByText('two').click();
    await other.page.keyboard.press('End');
    await other.page.keyboard.type('?');
    await first.getByText('two?').waitFor();
    await page.page.keyboard.press('ControlOrMeta+s');
    await page.waitForMessage('Saved a.txt');
    expect(await stage.read('a.txt')).toBe('one!\ntwo?\n');
    // The tab of the other page is marked as well.
    await other.page.getByRole('tab', { name: 'a.txt', exact: true }).waitFor();
    // Input in the other page is not a change on disk.
    await page.page.clock.fastForward(2_000);
    await page.waitForMessage('Saved a.txt');
  });

  it('never leave a review that the user types in when the other page decides it', exhaustive, async () => {
    const stage = await Stage.open();
    const [a, b] = [await stage.put('a.txt', 'one\n'), await stage.put('b.txt', 'one\n')];
    const agent = await connectClaudeAgent(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    const first = await agent.propose(a, 'two\n');
    await agent.propose(b, 'two\n');
    await page.openReview('a.txt');
    const other = await ReviewPage.open(stage.tandem);
    const text = await other.openReview('a.txt');
    await text.getByText('two').click();
    await other.page.keyboard.press('End');
    await other.page.keyboard.type(' of mine');
    await page.waiting('a.txt').filter({ hasText: 'Edited' }).waitFor();
    await page.reject('a.txt');
    expect(await first.answer).toEqual({ kind: 'rejected' });
    // The page that decided shows the next review; the page with the input keeps showing its text.
    await page.proposal('b.txt').waitFor();
    await other.waitForEnd('a.txt', 'Your text is kept below.');
    await other.page.keyboard.type(' and more');
    expect(await linesOf(text)).toEqual(['two of mine', '']);
    await other.review('a.txt').getByRole('button', { name: 'Next review' }).click();
    await other.proposal('b.txt').getByText('two', { exact: true }).waitFor();
  });
});
