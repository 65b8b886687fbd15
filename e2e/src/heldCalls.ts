import type { Page, Route } from 'playwright-core';

/** Calls of a page that are on their way for as long as the test wants. */
export interface HeldCalls {
  /** Resolves when one is on its way. */
  readonly held: Promise<void>;
  /** Lets those that were held arrive, and all later ones at once. */
  release(): Promise<void>;
}

/** Holds a page's calls of one method back, as a slow line would, so that something else comes first. */
export async function holdCalls(page: Page, method: string): Promise<HeldCalls> {
  const routes: Route[] = [];
  let isHolding = true;
  let tellHeld = (): void => {};
  const held = new Promise<void>((resolve) => {
    tellHeld = resolve;
  });
  await page.route(`**/api/${method}`, async (route) => {
    if (!isHolding) return route.continue();
    routes.push(route);
    tellHeld();
  });
  return {
    held,
    async release() {
      isHolding = false;
      for (const route of routes.splice(0)) await route.continue();
    },
  };
}
