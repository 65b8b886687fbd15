import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { isNewerThanSource } from './buildPage.mjs';

const source = fileURLToPath(new URL('../packages/page/', import.meta.url));

/** Where the extension serves it from, and nothing else lies. */
const chatPanelFolder = fileURLToPath(new URL('../hosts/vscode/dist/chat', import.meta.url));

/** Whether the built panel is there and as new as its source. */
export function isChatPanelFresh() {
  return isNewerThanSource(join(chatPanelFolder, 'chat.js'));
}

/**
 * Builds the chat panel for a webview into `hosts/vscode/dist/chat`: `chat.js` and `chat.css`, which the extension names,
 * and in `parts/` the colours of each language, fetched when a code in it is shown.
 *
 * @returns {Promise<{ milliseconds: number }>}
 * @throws when the source does not compile, or Vite is not installed
 */
export async function buildChatPanel() {
  const startedAt = Date.now();
  const { build } = await import(
    pathToFileURL(createRequire(join(source, 'package.json')).resolve('vite')).href
  );
  const environment = process.env.NODE_ENV;
  try {
    // Tests set another one, and React would be built for developers.
    process.env.NODE_ENV = 'production';
    await build({
      configFile: join(source, 'vite.config.ts'),
      logLevel: 'warn',
      publicDir: false,
      build: {
        outDir: chatPanelFolder,
        emptyOutDir: true,
        cssCodeSplit: false,
        // It would add elements without the nonce, which the webview's policy refuses.
        modulePreload: false,
        rolldownOptions: {
          input: { chat: join(source, 'src/webviewChat/main.tsx') },
          output: {
            entryFileNames: '[name].js',
            chunkFileNames: 'parts/[name]-[hash].js',
            assetFileNames: 'chat[extname]',
          },
        },
      },
    });
    return { milliseconds: Date.now() - startedAt };
  } finally {
    if (environment === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = environment;
  }
}
