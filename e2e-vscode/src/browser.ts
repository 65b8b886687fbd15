import { type Browser, chromium } from 'playwright-core';
import { chromiumPath } from '../../e2e/src/chromiumPath.js';

/** Starts a headless Chromium, without its own sandbox and without network access. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      // Containers limit /dev/shm to 64 MB; a workbench needs more.
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      // Windows share a process, so compiled code is reused.
      '--process-per-site',
      // No window stays open long enough for optimised code to pay off.
      '--js-flags=--no-maglev --no-turbofan --single-threaded-gc',
      '--password-store=basic',
    ],
  });
}
