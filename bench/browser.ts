import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** The browser tests' package holds the driver; the bench is no second reason to install it. */
const fromE2e = createRequire(fileURLToPath(new URL('../../e2e/package.json', import.meta.url)));

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
];

/** Chromium for one case. The caller closes it. */
export async function startBrowser(): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }> {
  let playwright: typeof import('playwright-core');
  try {
    playwright = fromE2e('playwright-core');
  } catch (cause) {
    throw new Error('The page is measured with what e2e/ installs. Run "npm test" once before this.', {
      cause,
    });
  }
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  const browser = await playwright.chromium.launch({ executablePath, args: flags });
  return {
    newPage: () => browser.newPage({ viewport: { width: 1400, height: 900 } }),
    close: () => browser.close(),
  };
}

/** What typing cost: in milliseconds, from each key to the next frame that was drawn, and the page's longest task. */
export interface TypingCost {
  readonly frames: readonly number[];
  /** 0 when no task took 50 ms, below which browsers do not report them. */
  readonly longestTask: number;
}

/** Types into whatever has the focus, one key after the frame of the one before. */
export async function measureTyping(page: Page, keys: string): Promise<TypingCost> {
  await page.evaluate(() => {
    const tasks: number[] = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    }).observe({ type: 'longtask' });
    Object.assign(window, { benchTasks: tasks, benchFrames: [] });
    window.addEventListener(
      'keydown',
      () => {
        const startedAt = performance.now();
        requestAnimationFrame(() => {
          // After the frame: a message is handled once it has been drawn.
          const channel = new MessageChannel();
          channel.port1.onmessage = () => {
            (window as unknown as { benchFrames: number[] }).benchFrames.push(performance.now() - startedAt);
          };
          channel.port2.postMessage(undefined);
        });
      },
      { capture: true },
    );
  });
  let typed = 0;
  for (const key of keys) {
    typed += 1;
    await page.keyboard.press(key);
    await page.waitForFunction(
      (count) => (window as unknown as { benchFrames: number[] }).benchFrames.length >= count,
      typed,
    );
  }
  // What the last keys set off, the debounced work included, counts as well.
  await page.waitForTimeout(1_000);
  return page.evaluate(() => {
    const { benchFrames, benchTasks } = window as unknown as { benchFrames: number[]; benchTasks: number[] };
    return { frames: benchFrames, longestTask: Math.max(0, ...benchTasks) };
  });
}
