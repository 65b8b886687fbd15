import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { expectAccessible, findUnreachable } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import { openQueue } from '../../src/reviewQueue.js';
import { takePicture } from '../../src/takePicture.js';

useBrowser();

describe('the settings of the page', () => {
  it('are applied at once and before the first paint of the next load', async () => {
    const { page } = await openQueue();
    const { page: tab } = page;
    const lookOf = () =>
      tab.evaluate(() => ({
        background: getComputedStyle(document.body).backgroundColor,
        size: getComputedStyle(document.documentElement).fontSize,
      }));
    await tab.emulateMedia({ colorScheme: 'light' });
    const light = await lookOf();
    await page.openReview('src/a.ts');
    await tab.getByRole('button', { name: 'Settings' }).click();
    const dialog = tab.getByRole('dialog', { name: 'Settings' });
    await expectAccessible(tab);
    await dialog.getByRole('radio', { name: 'Dark' }).check();
    await dialog.getByLabel('Text size').selectOption('130%');
    const dark = { background: 'rgb(20, 22, 27)', size: '20.8px' };
    await expect.poll(lookOf).toEqual(dark);
    expect(light.background).not.toBe(dark.background);
    await takePicture(tab, 'settings-dark');
    await tab.keyboard.press('Escape');
    await expectAccessible(tab);
    await takePicture(tab, 'large-text');
    // The style sheets are loaded, but no module of the page runs.
    await tab.route('**/assets/*.js', (route) => route.abort());
    await tab.reload();
    expect(await lookOf()).toEqual(dark);
    await tab.unroute('**/assets/*.js');
    await tab.reload();
    await tab.getByRole('button', { name: 'Settings' }).click();
    await dialog.getByRole('radio', { name: 'Same as the system' }).check();
    await dialog.getByLabel('Text size').selectOption('100%');
    await expect.poll(lookOf).toEqual(light);
  });

  it('are reachable at 360 pixels, with large text', exhaustive, async () => {
    const { page } = await openQueue();
    const { page: tab } = page;
    await tab.setViewportSize({ width: 360, height: 740 });
    await tab.getByRole('button', { name: 'Settings' }).click();
    const dialog = tab.getByRole('dialog', { name: 'Settings' });
    await dialog.getByLabel('Text size').selectOption('150%');
    await expectAccessible(tab);
    await takePicture(tab, 'settings-narrow');
    await tab.keyboard.press('Escape');
    expect(await findUnreachable(tab)).toEqual([]);
  });
});
