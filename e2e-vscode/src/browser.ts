import { type Browser, chromium } from 'playwright-core';
import { chromiumPath } from '../../e2e/src/chromiumPath.js';

/** Starts Chromium without a window, without a sandbox of its own and without any talk to the outside. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      // Containers give /dev/shm 64 MB, and a workbench needs more.
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      // Windows share a process, so that what one has compiled need not be compiled for the next.
      '--process-per-site',
      // None stays open for long enough that optimised code would pay off.
      '--js-flags=--no-maglev --no-turbofan --single-threaded-gc',
      '--password-store=basic',
    ],
  });
}
