import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, it, onTestFinished } from 'vitest';
import { chromiumPath } from './chromiumPath.js';
import { pickText } from './json.js';
import { TabContexts } from './tabContexts.js';
import type { TandemServer } from './tandem.js';

/** A separate Chromium, without features that use the network. The pages of a site in a context share a process. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--process-per-site',
  // No page stays open long enough for optimised code to pay off.
  '--js-flags=--no-maglev --no-turbofan --single-threaded-gc',
];

/** The limit of each step in the page, on a machine that is busy starting a CLI. */
const pageLimit = 60_000;

export interface TabOptions extends BrowserContextOptions {
  /** Faults of the page that the test causes on purpose. */
  readonly expectedFaults?: RegExp;
  /** Whether no other test may use its context, for example because it replaces the clock. */
  readonly isAlone?: boolean;
}

let current: TabContexts | undefined;

const launch = (moreFlags: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath, args: [...flags, ...moreFlags] });

/** A test API with the browser that the files of a worker share: they run one after the other in its process. */
const withBrowser = it.extend(
  'browser',
  { scope: 'worker' },
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of other fixtures from this pattern.
  async ({}, { onCleanup }) => {
    const browser = await launch();
    onCleanup(() => browser.close());
    return new TabContexts(browser);
  },
);

/** Gives the tests of this file the Chromium of their worker; call this at the top level. */
export function useBrowser(): void {
  withBrowser.beforeAll(({ browser }) => {
    current = browser;
  });
}

/** Starts a Chromium with more flags for the tests of this file; call this at the top level. */
export function useOwnBrowser(moreFlags: readonly string[]): void {
  let own: Browser | undefined;
  beforeAll(async () => {
    own = await launch(moreFlags);
    current = new TabContexts(own);
  });
  afterAll(() => own?.close());
}

/**
 * A new tab with its own storage. It closes with the test. The test fails if a script of the page failed, the content
 * security policy was violated, or the page sent a request to another server.
 */
export async function openTab({ expectedFaults, isAlone, ...options }: TabOptions = {}): Promise<Page> {
  const contexts = current;
  if (contexts === undefined) throw new Error('The test file does not call useBrowser.');
  const context = await contexts.take(options, isAlone);
  const page = await context.newPage();
  page.setDefaultTimeout(pageLimit);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (isFault(message.type(), message.text())) faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    const isLocal = hostname === '127.0.0.1' || protocol === 'data:' || protocol === 'blob:';
    if (!isLocal) faults.push(`asked ${request.url()}`);
  });
  onTestFinished(async ({ task }) => {
    // The content of the page explains more than a timeout.
    if (task.result?.state === 'fail') console.error(await describe(page));
    const hasPassed = task.result?.state !== 'fail';
    await contexts.giveBack(context, page, hasPassed);
    const unexpected = faults.filter((fault) => expectedFaults?.test(fault) !== true);
    if (hasPassed && unexpected.length > 0) {
      throw new Error(`The page had faults:\n${unexpected.join('\n')}`);
    }
  });
  return page;
}

/** The page's address, token included, from the `ready` event of `tandem serve`. */
export function pageAddress(tandem: TandemServer): string {
  return pickText(tandem.events[0], 'page', 'url');
}

/** The page's accessibility tree. */
async function describe(page: Page): Promise<string> {
  return page.locator('body').ariaSnapshot({ timeout: 5_000 }).catch(String);
}

/** Chromium reports every failed request and every lost connection; the tests cause these on purpose. */
function isFault(type: string, text: string): boolean {
  if (/Content Security Policy/i.test(text)) return true;
  if (type !== 'error' && type !== 'warning') return false;
  return !/^Failed to load resource|^WebSocket connection to/.test(text);
}
