import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { isNewerThanSource } from './buildPage.mjs';

const source = fileURLToPath(new URL('../packages/page/', import.meta.url));

/** The extension serves the panel from this folder, which contains nothing else. */
const chatPanelFolder = fileURLToPath(new URL('../hosts/vscode/dist/chat', import.meta.url));

/** Whether the panel is built and up to date. */
export function isChatPanelFresh() {
  return isNewerThanSource(join(chatPanelFolder, 'chat.js'));
}

/**
 * Builds the chat panel for a webview into `hosts/vscode/dist/chat`: `chat.js` and `chat.css`, which the extension
 * references, and in `parts/` the highlighting of each language, loaded when such code is shown.
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
    // Tests set another value, with which the development build of React would be bundled.
    process.env.NODE_ENV = 'production';
    await build({
      configFile: join(source, 'vite.config.ts'),
      logLevel: 'warn',
      publicDir: false,
      build: {
        outDir: chatPanelFolder,
        emptyOutDir: true,
        cssCodeSplit: false,
        // It would add elements without the nonce, which the webview's content security policy blocks.
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
