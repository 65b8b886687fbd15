import { describe, expect, it } from 'vitest';
import { describeMatrix } from '../../../test/describeMatrix.js';
import { exhaustive } from '../../../test/exhaustive.js';
import { expectAccessible } from '../../src/accessibility.js';
import { breakableLine } from '../../src/brokenLine.js';
import { pageAddress, useBrowser } from '../../src/browser.js';
import { busyPage, connectionBar, keptTexts, messageBar, notes } from '../../src/busyPage.js';
import { connectClaudeAgent, connectHttpAgent } from '../../src/mcpAgents.js';
import { linesOf, ReviewPage } from '../../src/reviewPage.js';
import { Stage, serve } from '../../src/stage.js';
import { takePictures } from '../../src/takePicture.js';

useBrowser();

describeMatrix(
  ['stop', 'kill'],
  ['kill'],
  'a companion that is restarted under an open page by %s',
  (end) => {
    it('is found again, and no typed text is lost', async () => {
      const { stage, page, document } = await busyPage();
      await stage.tandem[end]();
      await connectionBar(page).getByText('The companion cannot be reached.').waitFor();
      const restarted = await serve(stage.sandbox, stage.workspace);
      expect(new URL(pageAddress(restarted)).origin).toBe(new URL(pageAddress(stage.tandem)).origin);
      await messageBar(page)
        .filter({
          hasText: 'The companion was restarted. One proposal has lost its agent. Your edits are kept.',
        })
        .filter({ hasText: 'Your unsaved changes are still here: notes.txt.' })
        .waitFor();
      expect(await connectionBar(page).count()).toBe(0);

      // The document is still unsaved, and saving keeps the format of the file.
      await page.documentTab('notes.txt').click();
      await expect.poll(() => linesOf(document)).toEqual(['first of mine', 'second', '']);
      await page.page.getByRole('tab', { name: 'notes.txt, unsaved changes' }).waitFor();
      await document.getByText('second').click();
      await page.page.keyboard.type('2');
      await document.getByText('2').waitFor();
      await page.page.keyboard.press('ControlOrMeta+z');
      await expect.poll(() => linesOf(document)).toEqual(['first of mine', 'second', '']);
      // Undo never goes back before the user's text.
      await page.page.keyboard.press('ControlOrMeta+z');
      expect((await linesOf(document)).at(1)).toBe('second');
      await page.page.keyboard.press('ControlOrMeta+Shift+z');
      await page.page.keyboard.press('ControlOrMeta+Shift+z');
      await page.page.keyboard.press('ControlOrMeta+z');
      await expect.poll(() => linesOf(document)).toEqual(['first of mine', 'second', '']);
      await page.page.keyboard.press('ControlOrMeta+s');
      await page.waitForMessage('Saved notes.txt');
      expect(await stage.read('notes.txt')).toBe('\uFEFFfirst of mine\r\nsecond\r\n');

      // The edited review is restored as well.
      const text = keptTexts(page).filter({ hasText: 'src/a.txt' });
      await text.filter({ hasText: 'proposed by Claude Code, edited by you' }).waitFor();
      await text.getByRole('button', { name: 'Copy the text of src/a.txt' }).click();
      await text.getByText('Copied.').waitFor();
      expect(await page.clipboard()).toBe('one\nTWO of mine\n');
      await text.getByRole('button', { name: 'Open src/a.txt with this text' }).click();
      await page.page.getByRole('tab', { name: 'src/a.txt, unsaved changes' }).click();
      await page.document('src/a.txt').getByText('TWO of mine').waitFor();
      await text.waitFor({ state: 'detached' });
      await page.page.keyboard.press('ControlOrMeta+s');
      await page.waitForMessage('Saved src/a.txt');
      expect(await stage.read('src/a.txt')).toBe('one\nTWO of mine\n');
    });

    it('receives what was typed while there was none', exhaustive, async () => {
      const { stage, page, document, review } = await busyPage();
      await stage.tandem[end]();
      await connectionBar(page).waitFor();
      await page.page.keyboard.type(', late');
      await review.getByText('TWO of mine, late').waitFor();
      await page.documentTab('notes.txt').click();
      await document.getByText('first of mine').click();
      await page.page.keyboard.press('End');
      await page.page.keyboard.type(', late');
      // Saving is impossible now, and the page reports that.
      await page.page.keyboard.press('ControlOrMeta+s');
      await page.waitForMessage('notes.txt is not saved: the companion cannot be reached.');

      const restarted = await serve(stage.sandbox, stage.workspace);
      await messageBar(page).filter({ hasText: 'Your unsaved changes are still here: notes.txt.' }).waitFor();
      await expect.poll(() => linesOf(document)).toEqual(['first of mine, late', 'second', '']);
      await keptTexts(page).getByRole('button', { name: 'Copy the text of src/a.txt' }).click();
      await keptTexts(page).getByText('Copied.').waitFor();
      expect(await page.clipboard()).toBe('one\nTWO of mine, late\n');
      await document.press('ControlOrMeta+s');
      await page.waitForMessage('Saved notes.txt');
      expect(await stage.read('notes.txt')).toBe('\uFEFFfirst of mine, late\r\nsecond\r\n');

      // The page works fully with the new companion.
      const agent = await connectHttpAgent(restarted, 'qwen');
      const { answer } = await agent.propose(stage.path('src/a.txt'), 'one\nthree\n');
      await page.openReview('src/a.txt');
      await page.accept('src/a.txt');
      expect(await answer).toEqual({ kind: 'accepted', content: 'one\nthree\n' });
    });
  },
);

describe('a review of an agent whose session continues', () => {
  it('is pending again after a kill, with what was typed while no companion ran', async () => {
    const { stage, page, review } = await busyPage('gemini');
    await stage.tandem.kill();
    await connectionBar(page).waitFor();
    await page.page.keyboard.type(', late');
    await review.getByText('TWO of mine, late').waitFor();
    await serve(stage.sandbox, stage.workspace);
    await messageBar(page).filter({ hasText: 'One pending review was restored as you left it.' }).waitFor();
    expect(await keptTexts(page).count()).toBe(0);
    await page.waiting('src/a.txt').filter({ hasText: 'Edited' }).waitFor();
    const again = await page.openReview('src/a.txt');
    await again.getByText('TWO of mine, late').waitFor();
  });
});

describe('a page that was closed before the companion was killed', () => {
  it(
    'is not needed: another page offers the typed text, and discards it on request',
    exhaustive,
    async () => {
      const { stage, page } = await busyPage();
      await expect.poll(() => stage.journal()).toContain('TWO of mine');
      await page.page.close();
      await stage.tandem.kill();
      const restarted = await serve(stage.sandbox, stage.workspace);
      const other = await ReviewPage.open(restarted);
      const text = keptTexts(other).filter({ hasText: 'src/a.txt' });
      await text.filter({ hasText: 'proposed by Claude Code, edited by you' }).waitFor();
      await text.getByRole('button', { name: 'Copy the text of src/a.txt' }).click();
      await text.getByText('Copied.').waitFor();
      expect(await other.clipboard()).toBe('one\nTWO of mine\n');
      await text
        .getByRole('button', { name: /^src.a.txt Not sent *, proposed by Claude Code, edited by you/ })
        .click();
      const view = other.page.getByRole('tabpanel', { name: 'Interrupted review of src/a.txt' });
      await view.getByRole('textbox', { name: 'Interrupted: src/a.txt' }).getByText('TWO of mine').waitFor();
      await view
        .getByRole('region', { name: 'Interrupted review of src/a.txt' })
        .and(other.page.locator(':focus'))
        .waitFor();
      await view.getByRole('textbox', { name: 'File when proposed: src/a.txt' }).getByText('two').waitFor();
      await expectAccessible(other.page);
      await takePictures(other.page, 'interrupted');
      await text.getByRole('button', { name: 'Discard the text of src/a.txt' }).click();
      await other.page.getByRole('button', { name: 'Discard', exact: true }).click();
      await text.waitFor({ state: 'detached' });
      await view.waitFor({ state: 'detached' });
      expect(await stage.read('src/a.txt')).toBe('one\ntwo\n');
    },
  );
});

describe('a page', () => {
  it(
    'keeps its frame in place beside many interrupted reviews, and shows the open one in its tab',
    exhaustive,
    async () => {
      const stage = await Stage.open();
      const agent = await connectClaudeAgent(stage.tandem);
      for (let count = 1; count <= 20; count += 1)
        await agent.propose(await stage.put(`file${count}.txt`, 'one\n'), 'two\n');
      const page = await ReviewPage.open(stage.tandem);
      const text = await page.openReview('file9.txt');
      await text.getByText('two').click();
      await page.page.keyboard.type('typed ');
      await expect.poll(() => stage.journal()).toContain('typed ');
      await stage.tandem.kill();
      await serve(stage.sandbox, stage.workspace);
      await messageBar(page).filter({ hasText: '20 proposals have lost their agents.' }).waitFor();
      await keptTexts(page).nth(19).waitFor({ state: 'attached' });
      await page.page.getByRole('textbox', { name: 'Interrupted: file9.txt' }).getByText('typed ').waitFor();
      await page.page.setViewportSize({ width: 900, height: 420 });
      const scrolled = await page.page.evaluate(() => {
        const frame = document.getElementById('page');
        window.scrollBy(0, 500);
        frame?.scrollBy(0, 500);
        return [
          window.scrollY,
          frame?.scrollTop,
          document.documentElement.scrollTop,
          document.body.scrollTop,
        ];
      });
      expect(scrolled).toEqual([0, 0, 0, 0]);
    },
  );

  it('reports that a restart lost nothing', exhaustive, async () => {
    const stage = await Stage.open();
    await stage.put('notes.txt', notes);
    const page = await ReviewPage.open(stage.tandem);
    const document = await page.openFile('notes.txt');
    await stage.tandem.stop();
    await connectionBar(page).waitFor();
    await serve(stage.sandbox, stage.workspace);
    await messageBar(page).filter({ hasText: 'Nothing was lost.' }).waitFor();
    await messageBar(page).getByRole('button', { name: 'Dismiss' }).click();
    await messageBar(page).waitFor({ state: 'detached' });
    await document.getByText('second').click();
    await page.page.keyboard.press('End');
    await page.page.keyboard.type('!');
    await document.press('ControlOrMeta+s');
    await page.waitForMessage('Saved notes.txt');
    expect(await stage.read('notes.txt')).toBe('\uFEFFfirst\r\nsecond!\r\n');
  });

  it('distinguishes the reviews of a new companion from those of the previous one', exhaustive, async () => {
    const { stage, page, review } = await busyPage();
    const line = await breakableLine(page.page);
    await page.page.reload();
    await review.getByText('TWO of mine').waitFor();
    await line.cut();
    await connectionBar(page).waitFor();
    await stage.tandem.stop();
    const restarted = await serve(stage.sandbox, stage.workspace);
    const agent = await connectHttpAgent(restarted, 'qwen');
    // It has the same number as the previous one.
    const { answer } = await agent.propose(stage.path('b.txt'), 'new\n');
    await connectionBar(page).getByRole('button', { name: 'Retry' }).click();
    line.mend();
    await keptTexts(page).filter({ hasText: 'src/a.txt' }).waitFor();
    const text = await page.openReview('b.txt');
    await text.getByText('new').waitFor();
    await page.accept('b.txt');
    expect(await answer).toEqual({ kind: 'accepted', content: 'new\n' });
  });
});

it('shows a rejected review of the last companion as it was: read-only, with its comments and its feedback', async () => {
  const stage = await Stage.open();
  const path = await stage.put('a.ts', 'one\ntwo\n');
  const agent = await connectHttpAgent(stage.tandem, 'gemini');
  const page = await ReviewPage.open(stage.tandem);
  const { answer } = await agent.propose(path, 'one\nTWO\n');
  const text = await page.openReview('a.ts');
  await text.getByText('TWO').click();
  await page.page.keyboard.press('Alt+Shift+C');
  await page.page.keyboard.type('Why in capitals?');
  await page.page.keyboard.press('ControlOrMeta+Enter');
  const comment = page.page.getByRole('article', { name: 'Comment on line 2', exact: true });
  await comment.getByRole('paragraph').waitFor();
  await page.reject('a.ts');
  expect(await answer).toEqual({ kind: 'rejected' });
  await page.waitForEnd('a.ts', 'Rejected');
  await stage.tandem.stop();
  await serve(stage.sandbox, stage.workspace);

  // Its tab is still open.
  await page.waitForEnd('a.ts', /^Rejected on \w+ \d+, 20\d\d/);
  await comment.getByText('Why in capitals?').waitFor();
  expect(await page.proposal('a.ts').getAttribute('aria-readonly')).toBe('true');
  await page.documentTab('Review of a.ts').press('Delete');
  await page.page.getByText('Decided').click();
  const decided = page.page.getByRole('list', { name: 'Decided reviews' }).getByRole('button');
  await decided.filter({ hasText: 'a.ts' }).filter({ hasText: 'Rejected' }).click();
  await comment.getByText('Why in capitals?').waitFor();
  await expectAccessible(page.page);
  await takePictures(page.page, 'decided-earlier');
  await page.page.getByRole('button', { name: 'Send feedback…' }).click();
  const dialog = page.page.getByRole('dialog', { name: 'Feedback to Gemini CLI' });
  await dialog.getByRole('button', { name: 'Send feedback' }).click();
  await expect.poll(() => page.clipboard()).toContain('│ TWO\nWhy in capitals?');
});
