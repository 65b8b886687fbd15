import { DaemonError } from '@tandem/companion/daemon';
import { PageFailure } from '../page/pageAnswer.js';
import type { PageApiServices, PageCalls } from '../page/pageApi.js';
import { promptBlocks } from './promptBlocks.js';

type ChatCalls = Pick<PageCalls, Extract<keyof PageCalls, `chat.${string}`>>;

/** What the chat panel asks. */
export function chatCalls(services: PageApiServices): ChatCalls {
  const { chat, chatFeed } = services;
  return {
    'chat.follow': (_params, connection) => {
      if (connection === undefined) {
        throw new PageFailure('bad-request', 'Only a page that is connected can follow the chat.');
      }
      chatFeed.follow(connection);
      return null;
    },
    'chat.connect': ({ url, token }) =>
      asked(chat.connect(token === undefined || token === '' ? { url } : { url, token })),
    'chat.start': () => asked(chat.start()),
    'chat.reconnect': () => asked(chat.reconnect()),
    'chat.disconnect': () => asked(chat.disconnect()),
    'chat.send': async (prompt) => {
      const blocks = await promptBlocks(prompt, services);
      return asked(chat.chat.send(blocks));
    },
    'chat.retry': () => asked(chat.chat.retry()),
    'chat.cancel': () => asked(chat.chat.cancel()),
    'chat.setModel': ({ id }) => asked(chat.chat.setModel(id)),
    'chat.setMode': ({ id }) => asked(chat.chat.setApprovalMode(id)),
    'chat.new': () => asked(chat.chat.newSession()),
    'chat.open': ({ id }) => asked(chat.chat.openSession(id)),
    'chat.sessions': async () => ({
      sessions: (await chat.chat.listSessions()).map((each) => ({ ...each })),
    }),
    'chat.answer': async ({ requestId, optionId, answers }) => {
      const answer = {
        ...(optionId !== undefined && { optionId }),
        ...(answers !== undefined && { answers }),
      };
      return { isElsewhere: (await chat.chat.answer(requestId, answer)) === 'elsewhere' };
    },
  };
}

async function asked(task: Promise<void>): Promise<null> {
  await task;
  return null;
}

/** What the daemon refused or could not do is no fault of ours: its words are for the person. */
export function isDaemonError(error: unknown): error is DaemonError {
  return error instanceof DaemonError;
}
