import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNewerThanSource, viteBuild } from './buildPage.mjs';

const source = fileURLToPath(new URL('../packages/chat-panel/', import.meta.url));

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
 * @returns {Promise<string[]>} the paths of all modules that the panel includes
 * @throws when the source does not compile, or Vite is not installed
 */
export function buildChatPanel() {
  return viteBuild({
    publicDir: false,
    resolve: {
      // All languages would be half of the extension's download.
      alias: { '@codemirror/language-data': join(source, 'src/webview/panelLanguages.ts') },
    },
    build: {
      outDir: chatPanelFolder,
      emptyOutDir: true,
      cssCodeSplit: false,
      // It would add elements without the nonce, which the webview's content security policy blocks.
      modulePreload: false,
      rolldownOptions: {
        input: { chat: join(source, 'src/webview/main.tsx') },
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: 'parts/[name]-[hash].js',
          assetFileNames: 'chat[extname]',
        },
      },
    },
  });
}
