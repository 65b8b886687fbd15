import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

/** The browser tests' package holds the driver; the bench is no second reason to install it. */
const fromE2e = createRequire(fileURLToPath(new URL('../../e2e/package.json', import.meta.url)));

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
];

/** As much of playwright-core's `Page` as is used here. */
export interface BenchPage {
  goto(url: string): Promise<unknown>;
  getByRole(role: string, options: { readonly name: string | RegExp }): BenchLocator;
  locator(selector: string): BenchLocator;
  evaluate(script: string): Promise<unknown>;
  addInitScript(script: { readonly content: string }): Promise<unknown>;
  waitForTimeout(ms: number): Promise<void>;
  close(): Promise<void>;
  readonly keyboard: { press(key: string): Promise<void> };
}

interface BenchLocator {
  locator(selector: string): BenchLocator;
  nth(index: number): BenchLocator;
  last(): BenchLocator;
  click(): Promise<void>;
  waitFor(): Promise<void>;
}

/** Chromium for one case. The caller closes it. */
export interface BenchBrowser {
  newPage(options: {
    readonly viewport: { readonly width: number; readonly height: number };
  }): Promise<BenchPage>;
  close(): Promise<void>;
}

interface Driver {
  readonly chromium: { launch(options: { executablePath: string; args: string[] }): Promise<BenchBrowser> };
}

export async function startBrowser(): Promise<BenchBrowser> {
  let driver: Driver;
  try {
    driver = fromE2e('playwright-core');
  } catch (cause) {
    throw new Error('The page is measured with what e2e/ installs. Run "npm test" once before this.', {
      cause,
    });
  }
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  return driver.chromium.launch({ executablePath, args: flags });
}

/** What typing cost: in milliseconds, from each key to the next frame that was drawn, and the page's longest task. */
export type TypingCost = z.infer<typeof typingCost>;
const typingCost = z.object({
  frames: z.array(z.number()),
  /** 0 when no task took 50 ms, below which browsers do not report them. */
  longestTask: z.number(),
});

/** A message that is posted in a frame is handled once that frame has been drawn. */
const observe = `(() => {
  const waiting = [];
  const bench = (window.tandemBench = {
    frames: [],
    tasks: [],
    drawn: (count) => new Promise((resolve) => {
      if (bench.frames.length >= count) resolve();
      else waiting.push(resolve);
    }),
  });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) bench.tasks.push(duration);
  }).observe({ type: 'longtask' });
  addEventListener('keydown', () => {
    const startedAt = performance.now();
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        bench.frames.push(performance.now() - startedAt);
        for (const resolve of waiting.splice(0)) resolve();
      };
      channel.port2.postMessage(undefined);
    });
  }, { capture: true });
})()`;
const result = `({
  frames: window.tandemBench.frames,
  longestTask: Math.max(0, ...window.tandemBench.tasks),
})`;

/** Types into whatever has the focus, one key after the frame of the one before. */
export async function measureTyping(page: BenchPage, keys: string): Promise<TypingCost> {
  await page.evaluate(observe);
  for (const [at, key] of [...keys].entries()) {
    await page.keyboard.press(key);
    // Not by waitForFunction: the page's policy refuses what that does.
    await page.evaluate(`window.tandemBench.drawn(${at + 1})`);
  }
  // What the last keys set off, the debounced work included, counts as well.
  await page.waitForTimeout(1_000);
  return typingCost.parse(await page.evaluate(result));
}
