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

/** What a chat panel asks of its host, whatever carries it: the methods `chat.*` of the panel's wire. */
export function chatCalls(chat: CompanionChat, files: PromptFiles) {
  return {
    'chat.start': () => asked(chat.start()),
    'chat.reconnect': () => asked(chat.reconnect()),
    'chat.disconnect': () => asked(chat.disconnect()),
    'chat.send': async (prompt: ChatPrompt) => {
      const blocks = await promptBlocks(prompt, files);
      const { replaces } = prompt;
      const how = await chat.chat.send(blocks, replaces === undefined ? {} : { replaces });
      return { isRewound: how === 'rewound' };
    },
    'chat.retry': () => asked(chat.chat.retry()),
    'chat.unqueue': async ({ id }: Named) => ({
      isRemoved: (await chat.chat.removeQueued(id)) === 'removed',
    }),
    'chat.cancel': () => asked(chat.chat.cancel()),
    'chat.setModel': ({ id }: Named) => asked(chat.chat.setModel(id)),
    'chat.setMode': ({ id }: Named) => asked(chat.chat.setApprovalMode(id)),
    'chat.new': () => asked(chat.chat.newSession()),
    'chat.open': ({ id }: Named) => asked(chat.chat.openSession(id)),
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

async function asked(task: Promise<void>): Promise<null> {
  await task;
  return null;
}
