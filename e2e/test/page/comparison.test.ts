import { writeFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { describeMatrix } from '../../../test/describeMatrix.js';
import { exhaustive } from '../../../test/exhaustive.js';
import { useBrowser } from '../../src/browser.js';
import { connectHttpAgent } from '../../src/mcpAgents.js';
import { linesOf, ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

/** A page with one proposal for a file, in this layout. */
async function reviewOf(name: string, before: string, after: string, layout: string) {
  const stage = await Stage.open();
  const agent = await connectHttpAgent(stage.tandem, 'gemini');
  await agent.propose(await stage.put(name, before), after);
  const page = await ReviewPage.open(stage.tandem);
  const text = await page.openReview(name);
  await page.page.getByRole('button', { name: layout }).click();
  return { stage, page, text };
}

/** Waits until the whole element is inside the visible part of the review, also horizontally. */
async function isInView(part: Locator): Promise<void> {
  const look = (): Promise<boolean> =>
    part.evaluate((element) => {
      const box = element.getBoundingClientRect();
      const scroller = element.closest('.cm-mergeView') ?? element.closest('.cm-scroller');
      const column = element.closest('.cm-scroller')?.getBoundingClientRect();
      const view = scroller?.getBoundingClientRect();
      if (view === undefined || column === undefined || box.width === 0) return false;
      const isWithin = box.left >= column.left && box.right <= column.right;
      return isWithin && box.top >= view.top && box.bottom <= view.bottom;
    });
  await part.waitFor();
  await expect.poll(look).toBe(true);
}

describeMatrix(
  ['Side by side', 'Unified'],
  ['Side by side'],
  'a change within a line of 35 kB, %s',
  (layout) => {
    it('is marked by word and visible, also when the line is wrapped', async () => {
      const words = Array.from({ length: 3_500 }, (_none, at) => `word${at}`.padEnd(9)).join(' ');
      const { page, text } = await reviewOf(
        'long.txt',
        `${words}\n`,
        words.replace('word2000', 'CHANGED2'),
        layout,
      );
      const marked = text.locator('.cm-line .cm-changedText');
      await isInView(marked.first());
      expect((await marked.allTextContents()).join('')).toBe('CHANGED2');
      await page.page.getByRole('button', { name: 'Wrap long lines' }).click();
      await page.page.getByRole('button', { name: 'Next change' }).click();
      await isInView(marked.first());
      const { width } = await text.evaluate((element) => ({
        width: element.scrollWidth - (element.closest('.cm-scroller')?.clientWidth ?? 0),
      }));
      expect(width).toBeLessThanOrEqual(0);
    });
  },
);

describe('a unified view', () => {
  it.each([false, true])(
    'has a sign and a number beside every line that goes, wrapped: %s',
    exhaustive,
    async (wraps) => {
      const line = (at: number): string => `line ${at} ${'and so on '.repeat(at === 4 ? 40 : 1)}`;
      const before = Array.from({ length: 12 }, (_none, at) => line(at + 1));
      const after = [...before.slice(0, 2), 'new', ...before.slice(5, 10)];
      const { page, text } = await reviewOf(
        'a.txt',
        `${before.join('\n')}\n`,
        `${after.join('\n')}\n`,
        'Unified',
      );
      if (wraps) await page.page.getByRole('button', { name: 'Wrap long lines' }).click();
      const editor = page.review('a.txt').locator('.cm-editor');
      const gutter = (name: string): Locator => editor.locator(`.${name} .cm-removedRows > div > div`);
      await expect
        .poll(() => gutter('cm-lineNumbers').allTextContents())
        .toEqual(['3', '4', '5', '11', '12']);
      expect(await gutter('cm-changeGutter').allTextContents()).toEqual(['−', '−', '−', '−', '−']);
      const tops = (rows: Locator): Promise<number[]> =>
        rows.evaluateAll((all) => all.map((row) => Math.round(row.getBoundingClientRect().top)));
      for (const name of ['cm-changeGutter', 'cm-lineNumbers']) {
        const isAligned = async (): Promise<boolean> => {
          const [rows, lines] = [await tops(gutter(name)), await tops(text.locator('.cm-deletedLine'))];
          return (
            rows.length === lines.length && rows.every((top, at) => Math.abs(top - (lines[at] ?? 0)) <= 1)
          );
        };
        await expect.poll(isAligned).toBe(true);
      }
      expect(await editor.locator('.cm-changeGutter .cm-changedLineGutter').count()).toBe(1);
    },
  );

  it(
    'is unavailable for a change that removes 20,000 lines, which says so and is coloured to its end',
    exhaustive,
    async () => {
      const stage = await Stage.open();
      const agent = await connectHttpAgent(stage.tandem, 'gemini');
      const lines = (name: string): string =>
        Array.from({ length: 20_000 }, (_none, at) => `const ${name}${at} = 'line ${at}'; // and so on`).join(
          '\n',
        );
      await agent.propose(await stage.put('small.ts', 'const a = 1;\n'), 'const a = 2;\n');
      await agent.propose(await stage.put('big.ts', lines('before')), lines('after'));
      const page = await ReviewPage.open(stage.tandem);
      await page.openReview('small.ts');
      await page.page.getByRole('button', { name: 'Unified' }).click();
      const text = await page.openReview('big.ts');
      await page.page.getByText('Shown side by side: one change removes more than 1,500 lines').waitFor();
      await text.press('ControlOrMeta+End');
      const file = page.page.getByRole('textbox', { name: 'File: big.ts' });
      for (const side of [text, file]) {
        // A word in its own element is highlighted.
        await side.locator('.cm-line').last().getByText('const', { exact: true }).waitFor();
      }
      await page.openReview('small.ts');
      await page.page.getByRole('button', { name: 'Unified', pressed: true }).waitFor();
    },
  );

  it('shows a merged change of the file, and undoes the merge', exhaustive, async () => {
    const lines = Array.from({ length: 20 }, (_none, at) => `line ${at}`);
    const text = (of: readonly string[]): string => `${of.join('\n')}\n`;
    const { stage, page } = await reviewOf(
      'a.txt',
      text(lines),
      text(lines.with(3, 'proposed')),
      'Side by side',
    );
    const file = page.page.getByRole('textbox', { name: 'File: a.txt' });
    await page.page.getByRole('button', { name: 'Hide unchanged lines' }).click();
    await writeFile(stage.path('a.txt'), text(lines.with(15, 'theirs')));
    await page.page.getByText('Its changes are merged into this text.').waitFor();
    await expect.poll(() => linesOf(file)).toEqual([...lines.with(15, 'theirs'), '']);
    await expect
      .poll(() => linesOf(page.proposal('a.txt')))
      .toEqual([...lines.with(3, 'proposed').with(15, 'theirs'), '']);
    await page.page.getByText('Current file', { exact: true }).waitFor();
    await page.page.getByText('Change 1 of 1').waitFor();
    await page.page.getByRole('button', { name: 'Undo the merge' }).click();
    await expect.poll(() => linesOf(page.proposal('a.txt'))).toEqual([...lines.with(3, 'proposed'), '']);
    await page.page
      .getByText("The merge is undone. The text no longer contains the file's changes.")
      .waitFor();
  });

  it('shows a conflict with the file in place, and accepts its markers only deliberately', async () => {
    const { stage, page } = await reviewOf('a.txt', 'one\n', 'proposed\n', 'Side by side');
    await writeFile(stage.path('a.txt'), 'theirs\n');
    await page.waiting('a.txt').getByText('Changed on disk').waitFor();
    await page.page.getByRole('button', { name: 'Show both versions' }).click();
    await expect
      .poll(() => linesOf(page.proposal('a.txt')))
      .toEqual(['<<<<<<< the proposal', 'proposed', '=======', 'theirs', '>>>>>>> the file', '']);
    const dialog = page.page.getByRole('dialog', { name: 'Accept a.txt with conflict markers?' });
    await page.accept('a.txt');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.accept('a.txt');
    await dialog.getByRole('button', { name: 'Accept with conflict markers' }).click();
    await page.waitForEnd('a.txt', 'Accepted with your edits.');
  });
});
