import type { Page, WebSocketRoute } from 'playwright-core';

/** The line between a page and its companion, which a test can cut while both live on. */
export interface BreakableLine {
  /** Ends the page's connection, and lets none of its calls through from now on. */
  cut(): Promise<void>;
  mend(): void;
}

/** Puts such a line under a page. What is open when this is called stays as it is: load the page after it. */
export async function breakableLine(page: Page): Promise<BreakableLine> {
  let isCut = false;
  const open = new Set<WebSocketRoute>();
  await page.routeWebSocket('**/live', async (socket) => {
    if (isCut) return socket.close();
    open.add(socket);
    const server = socket.connectToServer();
    // Both ends close as they would without anybody between them.
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
