import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ChatModel, emptyChat } from '@tandem/chat/model';
import type { Locator, Page } from 'playwright-core';
import { beforeAll } from 'vitest';
import { openTab, type TabOptions } from '../browser.js';
import type { EditorTheme } from './editorThemes.js';

const panelFolder = new URL('../../../hosts/vscode/dist/chat/', import.meta.url);
const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' };
const site = 'http://127.0.0.1/';

/** The size of the view, in CSS pixels. */
export interface ViewSize {
  readonly width: number;
  readonly height: number;
}

interface WebviewOptions extends TabOptions {
  readonly size: ViewSize;
  readonly theme: EditorTheme;
  readonly model: ChatModel;
}

export const connectedChat: ChatModel = {
  ...emptyChat,
  connection: { state: 'connected' },
  session: { id: 'session-1', folder: '/w' },
};

/** Builds the chat panel for the tests of a file, unless it is up to date. Call it at the top level of the file. */
export function useChatPanel(): void {
  beforeAll(async () => {
    const { buildChatPanel, isChatPanelFresh } = await import(
      new URL('../../../scripts/buildChatPanel.mjs', import.meta.url).href
    );
    if (!isChatPanelFresh()) await buildChatPanel();
  });
}

/** The built chat panel of VS Code in a tab that has the size of its view. The test takes the part of the extension. */
export class ChatWebview {
  private constructor(readonly page: Page) {}

  static async open({ size, theme, model, ...options }: WebviewOptions): Promise<ChatWebview> {
    const page = await openTab({ ...options, viewport: size });
    await page.route(`${site}**`, async (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: webviewDocument(theme) });
      const file = new URL(`.${pathname}`, panelFolder);
      const body = await readFile(fileURLToPath(file)).catch(() => undefined);
      return body === undefined
        ? route.fulfill({ status: 404 })
        : route.fulfill({ contentType: types[extname(pathname)] ?? 'text/plain', body });
    });
    await page.goto(site);
    const chat = new ChatWebview(page);
    await chat.show(model);
    await page.locator('[data-chat]').waitFor();
    return chat;
  }

  /** Sends the panel another state of the chat. */
  async show(model: ChatModel): Promise<void> {
    const setup = { isOwn: false, isStarting: false, url: 'http://127.0.0.1:4170' };
    const editor = { folders: [{ path: '/w', name: 'w' }], recent: [] };
    await this.page.evaluate(
      (message) => window.postMessage(message, '*'),
      JSON.parse(JSON.stringify({ kind: 'state', model, setup, editor })),
    );
  }

  /** The methods and parameters of the panel's calls, the oldest first. */
  calls(): Promise<readonly { readonly method: string; readonly params: unknown }[]> {
    return this.page.evaluate(() => (globalThis as unknown as { calls: [] }).calls);
  }

  get asked(): Locator {
    return this.page.getByRole('region', { name: 'Waiting for your answer' });
  }

  get field(): Locator {
    return this.page.getByRole('textbox', { name: 'Message to Qwen' });
  }
}

/** The extension's document, without its policy, in the place of what VS Code adds to it. */
function webviewDocument({ classes, colours }: EditorTheme): string {
  const values = Object.entries(colours).map(([name, value]) => `--vscode-${name}: ${value};`);
  return `<!doctype html>
<html lang="en" style="${values.join(' ')}">
  <head>
    <meta charset="utf-8">
    <title>Tandem Chat</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/chat.css">
    <script>
      const calls = [];
      globalThis.acquireVsCodeApi = () => ({
        postMessage: (message) => { if (message.kind === 'call') calls.push(message); },
        getState: () => undefined,
        setState: () => {},
      });
      globalThis.calls = calls;
    </script>
  </head>
  <body class="${classes}">
    <div id="page"></div>
    <script type="module" src="/chat.js"></script>
  </body>
</html>`;
}
