import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** What the page that is kept shows: an empty document of the site to which all companions belong. */
const emptyDocument = 'http://127.0.0.1/';

const isKeeper = (page: Page): boolean => page.url() === emptyDocument;

/**
 * The contexts of one Chromium. A test that needs nothing special gets the context of the test before it, emptied: Chromium
 * then starts no process and compiles no script again, which is half of the cost of a page.
 */
export class TabContexts {
  /** Two tabs at the same time have two contexts, as two users do. */
  #idle: BrowserContext | undefined;
  readonly #plain = new WeakSet<BrowserContext>();

  constructor(private readonly browser: Browser) {}

  /** A context without any data. */
  async take(options: BrowserContextOptions = {}, isAlone = false): Promise<BrowserContext> {
    const isPlain = !isAlone && Object.keys(options).length === 0;
    if (isPlain && this.#idle !== undefined) {
      const context = this.#idle;
      this.#idle = undefined;
      return context;
    }
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      ...options,
    });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    if (isPlain) this.#plain.add(context);
    return context;
  }

  /** Closes a tab. `isClean`: whether it is in order, so that its context can serve another test. */
  async giveBack(context: BrowserContext, page: Page, isClean: boolean): Promise<void> {
    const isWanted = isClean && this.#idle === undefined && this.#plain.has(context);
    if (!isWanted || !(await isEmptied(page))) return context.close();
    this.#idle = context;
    if (!context.pages().some(isKeeper)) {
      // Without a page of the site, its process would end with the tab.
      const keeper = await context.newPage();
      await keeper.route(emptyDocument, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
      await keeper.goto(emptyDocument);
    }
    for (const each of context.pages()) if (!isKeeper(each)) await each.close();
  }
}

/** Empties the storage that outlives a tab. False for a page that cannot do it. */
function isEmptied(page: Page): Promise<boolean> {
  const empty = page.evaluate(() => {
    localStorage.clear();
    return localStorage.length === 0;
  });
  return empty.catch(() => false);
}
