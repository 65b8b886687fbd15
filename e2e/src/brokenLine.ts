import type { Page, WebSocketRoute } from 'playwright-core';

/** The connection between a page and its companion, which a test can cut while both keep running. */
export interface BreakableLine {
  /** Closes the page's connection, and from then on blocks all of its calls. */
  cut(): Promise<void>;
  mend(): void;
}

/** Routes a page through such a connection. Open connections are not affected, so load the page afterwards. */
export async function breakableLine(page: Page): Promise<BreakableLine> {
  let isCut = false;
  const open = new Set<WebSocketRoute>();
  await page.routeWebSocket('**/live', async (socket) => {
    if (isCut) return socket.close();
    open.add(socket);
    const server = socket.connectToServer();
    // Both ends close as they would without this relay.
    server.onClose(async (code, reason) => {
      open.delete(socket);
      await socket.close({ code: code ?? 1000, reason: reason ?? '' });
    });
  });
  await page.route('**/api/**', (route) => (isCut ? route.abort('connectionrefused') : route.continue()));
  return {
    async cut() {
      isCut = true;
      for (const socket of open) await socket.close({ code: 4000, reason: 'cut by the test' });
      open.clear();
    },
    mend() {
      isCut = false;
    },
  };
}
