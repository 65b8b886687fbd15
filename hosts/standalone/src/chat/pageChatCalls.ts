import { chatCalls, DaemonError, type PromptFiles } from '@tandem/companion/chat';
import { isWithin } from '@tandem/core';
import { readDiskFile } from '../editor/diskFile.js';
import { PageFailure } from '../page/pageAnswer.js';
import type { PageApiServices, PageCalls } from '../page/pageApi.js';

type ChatCalls = Pick<PageCalls, Extract<keyof PageCalls, `chat.${string}`>>;

/** What the chat panel of a page asks. */
export function pageChatCalls(services: PageApiServices): ChatCalls {
  const { chat, chatFeed } = services;
  return {
    ...chatCalls(chat, promptFiles(services)),
    'chat.follow': (_params, connection) => {
      if (connection === undefined) {
        throw new PageFailure('bad-request', 'Only a page that is connected can follow the chat.');
      }
      chatFeed.follow(connection);
      return null;
    },
    'chat.connect': async ({ url, token }) => {
      await chat.connect(token === undefined || token === '' ? { url } : { url, token });
      return null;
    },
  };
}

/** The files of a page's workspace, as a prompt can name them. */
export function promptFiles({
  companion,
  editor,
  paths,
}: Pick<PageApiServices, 'companion' | 'editor' | 'paths'>): PromptFiles {
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

/** What the daemon refused or could not do is no fault of ours: its words are for the person. */
export function isDaemonError(error: unknown): error is DaemonError {
  return error instanceof DaemonError;
}
