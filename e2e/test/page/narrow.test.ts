import { describe, expect, it } from 'vitest';
import { expectAccessible, findUnreachable } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import { openQueue } from '../../src/reviewQueue.js';

useBrowser();

describe('a page of 360 pixels', () => {
  it('shows everything, accessibly, without horizontal scrolling', async () => {
    const { page } = await openQueue({ viewport: { width: 360, height: 640 }, hasTouch: true });
    const views = page.page.getByRole('navigation', { name: 'Views' });
    const check = async (): Promise<void> => {
      expect(await page.page.evaluate(() => document.scrollingElement?.scrollWidth)).toBe(360);
      expect(await findUnreachable(page.page)).toEqual([]);
      await expectAccessible(page.page);
    };
    await page.review('src/a.ts').waitFor();
    for (const name of [/^Accept/, /^Reject/]) {
      const box = await page.review('src/a.ts').getByRole('button', { name }).boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
      expect(box?.height).toBeGreaterThanOrEqual(24);
    }
    await check();
    await views.getByRole('button', { name: 'Reviews' }).click();
    await page.waiting('b.py').waitFor();
    await check();
    await views.getByRole('button', { name: 'Files' }).click();
    await page.treeItem('d.txt').click();
    await page.document('d.txt').waitFor();
    await check();
    await views.getByRole('button', { name: 'Agents' }).click();
    await page.page.getByRole('region', { name: 'Agents' }).waitFor();
    await check();
  });
});
