import type { Handlers } from '@tandem/rpc';
import type { chatContract } from '@tandem/rpc/schemas';
import type { CompanionChat } from './companionChat.js';
import { type PromptFiles, promptBlocks } from './promptBlocks.js';

/** The methods `chat.*` that a panel calls, for any transport. */
export function chatCalls(chat: CompanionChat, files: PromptFiles): Handlers<typeof chatContract> {
  return {
    'chat.start': () => chat.start(),
    'chat.reconnect': () => chat.reconnect(),
    'chat.disconnect': () => chat.disconnect(),
    'chat.send': async (prompt) => {
      const blocks = await promptBlocks(prompt, files);
      const { replaces } = prompt;
      const how = await chat.chat.send(blocks, replaces === undefined ? {} : { replaces });
      return { isRewound: how === 'rewound' };
    },
    'chat.retry': () => chat.chat.retry(),
    'chat.unqueue': async ({ id }) => ({
      isRemoved: (await chat.chat.removeQueued(id)) === 'removed',
    }),
    'chat.cancel': () => chat.chat.cancel(),
    'chat.setModel': ({ id }) => chat.chat.setModel(id),
    'chat.setMode': ({ id }) => chat.chat.setApprovalMode(id),
    'chat.new': () => chat.chat.newSession(),
    'chat.open': ({ id }) => chat.chat.openSession(id),
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
