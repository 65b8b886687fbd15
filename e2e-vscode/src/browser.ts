import { type BrowserContext, chromium } from 'playwright-core';
import { chromiumPath } from './pinnedEditors.js';

/** Wide enough that a diff is drawn in two columns, and high enough for a terminal below it. */
const viewport = { width: 1500, height: 1000 };

/** How long the page may take for anything, on a machine that does other things too. */
const limit = 60_000;

/**
 * Starts Chromium without a window, without a sandbox of its own and without any talk to the outside. It keeps its files
 * in a folder, so that the second window of an editor finds the workbench compiled. The caller closes it.
 */
export async function launchBrowser(folder: string): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: chromiumPath,
    viewport,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    args: [
      '--no-sandbox',
      '--disable-gpu',
      // Containers give /dev/shm 64 MB, and a workbench needs more.
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--password-store=basic',
      // What was compiled is kept at the first time, and whole: usually that needs several visits.
      '--blink-settings=v8CacheOptions=4',
    ],
  });
  context.setDefaultTimeout(limit);
  return context;
}
