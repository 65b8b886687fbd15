import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const pictures = fileURLToPath(new URL('../../test-results/pictures/', import.meta.url));

/** Saves a screenshot of the page, to compare its appearance after changes. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${pictures}page-${name}.png`, animations: 'disabled' });
}

/** Saves one screenshot in light and one in dark. */
export async function takePictures(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await takePicture(page, `${name}-${colorScheme}`);
  }
}
