import type { CompanionChat } from './companionChat.js';
import { type ChatPrompt, type PromptFiles, promptBlocks } from './promptBlocks.js';

interface Named {
  readonly id: string;
}

interface AnswerParams {
  readonly requestId: string;
  readonly optionId?: string | undefined;
  readonly answers?: Readonly<Record<string, string>> | undefined;
}

/** The methods `chat.*` that a panel calls, for any transport. */
export function chatCalls(chat: CompanionChat, files: PromptFiles) {
  return {
    'chat.start': () => done(chat.start()),
    'chat.reconnect': () => done(chat.reconnect()),
    'chat.disconnect': () => done(chat.disconnect()),
    'chat.send': async (prompt: ChatPrompt) => {
      const blocks = await promptBlocks(prompt, files);
      const { replaces } = prompt;
      const how = await chat.chat.send(blocks, replaces === undefined ? {} : { replaces });
      return { isRewound: how === 'rewound' };
    },
    'chat.retry': () => done(chat.chat.retry()),
    'chat.unqueue': async ({ id }: Named) => ({
      isRemoved: (await chat.chat.removeQueued(id)) === 'removed',
    }),
    'chat.cancel': () => done(chat.chat.cancel()),
    'chat.setModel': ({ id }: Named) => done(chat.chat.setModel(id)),
    'chat.setMode': ({ id }: Named) => done(chat.chat.setApprovalMode(id)),
    'chat.new': () => done(chat.chat.newSession()),
    'chat.open': ({ id }: Named) => done(chat.chat.openSession(id)),
    'chat.sessions': async () => ({
      sessions: (await chat.chat.listSessions()).map((each) => ({ ...each })),
    }),
    'chat.answer': async ({ requestId, optionId, answers }: AnswerParams) => {
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
