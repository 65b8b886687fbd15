import { readFile, writeFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { useBrowser } from '../../src/browser.js';
import { linesOf, ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

const before = 'one\r\ntwo\r\nthree\r\nfour\r\n';
const onDisk = 'one\r\ntwo\r\nthree\r\nFOUR on disk\r\n';

const choices = [
  {
    choice: 'Your text',
    button: 'Save your text',
    saved: 'one mine\r\ntwo\r\nthree\r\nfour\r\n',
    other: 'FOUR on disk',
  },
  { choice: 'On disk', button: 'Use the text on disk', saved: onDisk, other: 'one mine' },
  {
    choice: 'Merged',
    button: 'Save merged',
    saved: 'one mine\r\ntwo\r\nthree\r\nFOUR on disk\r\n',
    other: undefined,
  },
];

describe('a file that changed on disk while it was edited', () => {
  it.each(choices)(
    'takes the chosen version, and undo restores the other: $choice',
    exhaustive,
    async (chosen) => {
      const { page, path, text } = await openConflict();
      await page.page.getByRole('button', { name: 'Compare and choose' }).click();
      const view = page.page.getByRole('region', { name: 'Conflict in a.txt' });
      await view.getByRole('radio', { name: new RegExp(`^${chosen.choice}`) }).check();
      await view.getByText('FOUR on disk').first().waitFor();
      await view.getByRole('button', { name: chosen.button }).click();
      await view.waitFor({ state: 'detached' });
      await page.page.getByRole('tab', { name: 'a.txt', exact: true }).waitFor();
      expect(await readFile(path, 'utf8')).toBe(chosen.saved);
      expect(await linesOf(text)).toEqual(chosen.saved.split('\r\n'));
      if (chosen.other === undefined) return;
      await page.page.keyboard.press('ControlOrMeta+z');
      await text.getByText(chosen.other).waitFor();
    },
  );

  it('is not overwritten by saving', async () => {
    const { page, path } = await openConflict();
    await page.page.keyboard.press('ControlOrMeta+s');
    await page.waitForMessage('a.txt was not saved: the file changed on disk');
    expect(await readFile(path, 'utf8')).toBe(onDisk);
  });

  it('is merged by hand where both changed the same line', exhaustive, async () => {
    const { page, path } = await openConflict('one on disk\r\ntwo\r\nthree\r\nfour\r\n');
    await page.page.getByRole('button', { name: 'Compare and choose' }).click();
    const view = page.page.getByRole('region', { name: 'Conflict in a.txt' });
    await view.getByText('You and the file changed the same lines. Combine the texts by hand.').waitFor();
    await view.getByRole('radio', { name: 'Merged' }).check();
    const merged = view.getByRole('textbox', { name: 'Merged (editable)' });
    await merged.getByText('one mine').click();
    await page.page.keyboard.press('End');
    await page.page.keyboard.type(' and on disk');
    // Showing another choice does not discard it.
    await view.getByRole('radio', { name: /^On disk/ }).check();
    await view.getByRole('radio', { name: 'Merged' }).check();
    await merged.getByText('one mine and on disk').waitFor();
    await view.getByRole('button', { name: 'Save merged' }).click();
    await view.waitFor({ state: 'detached' });
    expect(await readFile(path, 'utf8')).toBe('one mine and on disk\r\ntwo\r\nthree\r\nfour\r\n');
  });
});

/** A document whose first line the user edited, and whose file has changed on disk since. */
async function openConflict(disk = onDisk): Promise<{ page: ReviewPage; path: string; text: Locator }> {
  const stage = await Stage.open();
  const path = await stage.put('a.txt', before);
  const page = await ReviewPage.open(stage.tandem);
  const text = await page.openFile('a.txt');
  await text.getByText('one').click();
  await page.page.keyboard.press('End');
  await page.page.keyboard.type(' mine');
  await page.page.getByRole('tab', { name: 'a.txt, unsaved changes' }).waitFor();
  await writeFile(path, disk);
  await page.page
    .getByRole('region', { name: 'Changed on disk' })
    .getByText('This file changed on disk while you were editing it.')
    .waitFor();
  return { page, path, text };
}
