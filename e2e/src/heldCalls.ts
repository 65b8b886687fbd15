import type { Page, Route } from 'playwright-core';

/** Calls of a page that the test delays. */
export interface HeldCalls {
  /** Resolves when a call is held. */
  readonly held: Promise<void>;
  /** Forwards the held calls, and from then on all others immediately. */
  release(): Promise<void>;
}

/** Delays a page's calls of one method, as a slow connection would, so that something else arrives first. */
export async function holdCalls(page: Page, method: string): Promise<HeldCalls> {
  const routes: Route[] = [];
  let isHolding = true;
  let onHeld = (): void => {};
  const held = new Promise<void>((resolve) => {
    onHeld = resolve;
  });
  await page.route(`**/api/${method}`, async (route) => {
    if (!isHolding) return route.continue();
    routes.push(route);
    onHeld();
  });
  return {
    held,
    async release() {
      isHolding = false;
      for (const route of routes.splice(0)) await route.continue();
    },
  };
}
