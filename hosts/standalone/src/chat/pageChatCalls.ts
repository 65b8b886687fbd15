import { chatCalls, type PromptFiles } from '@tandem/companion/chat';
import { isWithin } from '@tandem/core';
import { RpcError } from '@tandem/rpc';
import { readDiskFile } from '../editor/diskFile.js';
import type { PageHandlers, PageServices } from '../page/pageServices.js';

type ChatCalls = Pick<PageHandlers, Extract<keyof PageHandlers, `chat.${string}`>>;

/** What the chat panel of a page asks. */
export function pageChatCalls(services: PageServices): ChatCalls {
  const { chat, chatFeed } = services;
  return {
    ...chatCalls(chat, promptFiles(services)),
    'chat.follow': (_params, connection) => {
      if (connection === undefined) {
        throw new RpcError('bad-params', 'Only a page that is connected can follow the chat.');
      }
      chatFeed.follow(connection);
    },
    'chat.connect': async ({ url, token }) =>
      chat.connect(token === undefined || token === '' ? { url } : { url, token }),
  };
}

/** The files of a page's workspace, as a prompt can name them. */
export function promptFiles({
  companion,
  editor,
  paths,
}: Pick<PageServices, 'companion' | 'editor' | 'paths'>): PromptFiles {
  return {
    require: (path) => paths.require(path),
    label: (path) => paths.label(path),
    nameOf(path) {
      const [folder] = companion.editor.workspace.folders();
      return folder !== undefined && isWithin(folder, path) ? paths.label(path) : path;
    },
    heldBack: (asked) => companion.sharing.heldBackFiles(asked),
    async textOf(path) {
      const document = editor.document(path);
      if (document?.kind === 'text') return document.text.content;
      const found = await readDiskFile(path);
      return found.kind === 'text' ? found.text.replace(/\r\n?/g, '\n') : undefined;
    },
  };
}
