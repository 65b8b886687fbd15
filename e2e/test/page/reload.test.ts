import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeMatrix } from '../../../test/describeMatrix.js';
import { useBrowser } from '../../src/browser.js';
import { connectionBar, messageBar } from '../../src/busyPage.js';
import { connectHttpAgent } from '../../src/mcpAgents.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage, serve } from '../../src/stage.js';

useBrowser();

const lines = Array.from({ length: 300 }, (_, line) => `line ${line}, ${'and so on '.repeat(60)}`);
const inReview = { top: 2_340, left: 320 };
const inNotes = { top: 4_320, left: 0 };
const text = `${lines.join('\n')}\n`;

/** A page with user state: three scrolled tabs, one of them active, and a wider side bar. */
async function usedPage(layout: string) {
  const stage = await Stage.open();
  const agent = await connectHttpAgent(stage.tandem, 'gemini');
  // The next companion gives its reviews other numbers.
  await agent.propose(await stage.put('gone.txt', 'a\n'), 'b\n');
  await agent.withdraw(stage.path('gone.txt'));
  await stage.put('notes.txt', text);
  for (const name of ['a.txt', 'b.txt'])
    await agent.propose(await stage.put(name, text), text.replace('line 20,', 'line twenty,'));
  // CodeMirror logs a warning if the focused side is scrolled while line heights are still estimates.
  const page = await ReviewPage.open(stage.tandem, { expectedFaults: /Measure loop restarted/ });
  await page.openReview('b.txt');
  await page.page.getByRole('button', { name: 'Hide unchanged lines' }).click();
  await page.page.getByRole('button', { name: layout }).click();
  await page.openFile('notes.txt');
  await page.openReview('a.txt');
  await page.page.getByRole('separator', { name: 'Width of the side bar' }).press('ArrowRight');
  return { stage, page };
}

/** The visible state of the page, without what changes by itself. */
async function lookOf({ page }: ReviewPage, layout: string) {
  const width = page.getByRole('separator', { name: 'Width of the side bar' });
  return {
    tabs: await page.getByRole('tab').allTextContents(),
    active: await page.getByRole('tab', { selected: true }).allTextContents(),
    width: await width.getAttribute('aria-valuenow'),
    chosen: await page.getByRole('button', { name: layout }).getAttribute('aria-pressed'),
  };
}

interface Place {
  readonly top: number;
  readonly left: number;
}

/** Scrolls the container of a text; side by side, both texts share one scroll bar. */
async function scrollTo(editor: Locator, place: Place): Promise<void> {
  await editor.evaluate((element, { top, left }) => {
    const scroller = element.closest('.cm-scroller');
    (element.closest('.cm-mergeView') ?? scroller)?.scrollTo({ top });
    scroller?.scrollTo({ left });
  }, place);
  await isAt(editor, place);
}

/** Waits until it is scrolled to that line: the height of lines differs by fractions of a pixel. */
async function isAt(editor: Locator, place: Place): Promise<void> {
  const look = (): Promise<Place> =>
    editor.evaluate((element) => {
      const scroller = element.closest('.cm-scroller');
      const inTens = (pixels = 0): number => Math.round(pixels / 10) * 10;
      return {
        top: inTens((element.closest('.cm-mergeView') ?? scroller)?.scrollTop),
        left: inTens(scroller?.scrollLeft),
      };
    });
  await expect.poll(look).toEqual(place);
}

describeMatrix(['Unified', 'Side by side'], ['Side by side'], 'a page that is reloaded, %s', (layout) => {
  it('restores tabs, active tab, scroll positions and layout, also after a restart', async () => {
    const { stage, page } = await usedPage(layout);
    await scrollTo(page.proposal('a.txt'), inReview);
    await page.documentTab('notes.txt').click();
    await scrollTo(page.document('notes.txt'), inNotes);
    await page.openReview('a.txt');
    await isAt(page.proposal('a.txt'), inReview);
    const before = await lookOf(page, layout);
    expect(before).toMatchObject({ tabs: ['a.txt', 'notes.txt'], active: ['a.txt'], chosen: 'true' });

    const isAsBefore = async (): Promise<void> => {
      await page.proposal('a.txt').waitFor();
      await expect.poll(() => lookOf(page, layout)).toEqual(before);
      await isAt(page.proposal('a.txt'), inReview);
      await page.documentTab('notes.txt').click();
      await isAt(page.document('notes.txt'), inNotes);
      await page.openReview('a.txt');
    };
    await page.page.reload();
    await isAsBefore();

    await stage.tandem.kill();
    await connectionBar(page).waitFor();
    const second = await serve(stage.sandbox, stage.workspace);
    await messageBar(page).filter({ hasText: '2 pending reviews were restored as you left them.' }).waitFor();
    await isAsBefore();

    // Reload only after another restart, when the new companion knows of no open file.
    await page.page.goto('about:blank');
    await second.kill();
    await serve(stage.sandbox, stage.workspace);
    await page.page.goBack();
    await isAsBefore();
  });
});
