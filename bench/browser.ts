import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { chromiumPath } from '../e2e/src/chromiumPath.js';

/** The driver is installed for the browser tests in e2e; the benchmark uses that copy. */
const fromE2e = createRequire(fileURLToPath(new URL('../../e2e/package.json', import.meta.url)));

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
];

/** The part of playwright-core's `Page` that is used here. */
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

/** A Chromium for one case. The caller closes it. */
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
    throw new Error('The page cases need the browser that e2e/ installs. Run "npm test" once first.', {
      cause,
    });
  }
  return driver.chromium.launch({ executablePath: chromiumPath, args: flags });
}

/** The cost of typing, in milliseconds: from each key to the next drawn frame, and the page's longest task. */
export type TypingCost = z.infer<typeof typingCost>;
const typingCost = z.object({
  frames: z.array(z.number()),
  /** 0 if no task took 50 ms; browsers do not report shorter ones. */
  longestTask: z.number(),
});

/** A message posted during a frame is handled after that frame is drawn. */
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

/** Types into the focused element; each key waits for the frame of the previous one. */
export async function measureTyping(page: BenchPage, keys: string): Promise<TypingCost> {
  await page.evaluate(observe);
  for (const [at, key] of [...keys].entries()) {
    await page.keyboard.press(key);
    // Without waitForFunction, which the page's content security policy blocks.
    await page.evaluate(`window.tandemBench.drawn(${at + 1})`);
  }
  // Includes the work that the last keys cause, also debounced work.
  await page.waitForTimeout(1_000);
  return typingCost.parse(await page.evaluate(result));
}
