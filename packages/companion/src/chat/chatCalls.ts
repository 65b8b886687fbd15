import type { chatContract, Handlers } from '@tandem/rpc';
import type { CompanionChat } from './companionChat.js';
import { type PromptFiles, promptBlocks } from './promptBlocks.js';

/** The methods `chat.*` that a panel calls, for any transport. */
export function chatCalls(chat: CompanionChat, files: PromptFiles): Handlers<typeof chatContract> {
  return {
    'chat.start': () => done(chat.start()),
    'chat.reconnect': () => done(chat.reconnect()),
    'chat.disconnect': () => done(chat.disconnect()),
    'chat.send': async (prompt) => {
      const blocks = await promptBlocks(prompt, files);
      const { replaces } = prompt;
      const how = await chat.chat.send(blocks, replaces === undefined ? {} : { replaces });
      return { isRewound: how === 'rewound' };
    },
    'chat.retry': () => done(chat.chat.retry()),
    'chat.unqueue': async ({ id }) => ({
      isRemoved: (await chat.chat.removeQueued(id)) === 'removed',
    }),
    'chat.cancel': () => done(chat.chat.cancel()),
    'chat.setModel': ({ id }) => done(chat.chat.setModel(id)),
    'chat.setMode': ({ id }) => done(chat.chat.setApprovalMode(id)),
    'chat.new': () => done(chat.chat.newSession()),
    'chat.open': ({ id }) => done(chat.chat.openSession(id)),
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

async function done(task: Promise<void>): Promise<null> {
  await task;
  return null;
}
