import type { Caller, chatContract } from '@tandem/rpc';
import type { ChatHost } from './chatHost.js';

type RemoteChat = Pick<
  ChatHost,
  | 'start'
  | 'reconnect'
  | 'disconnect'
  | 'send'
  | 'retry'
  | 'unqueue'
  | 'cancel'
  | 'setModel'
  | 'setMode'
  | 'newChat'
  | 'sessions'
  | 'openSession'
  | 'answer'
>;

/** The calls of a chat that are the same in the page and in a webview. */
export function remoteChat(call: Caller<typeof chatContract>): RemoteChat {
  return {
    start: async () => void (await call('chat.start', {})),
    reconnect: async () => void (await call('chat.reconnect', {})),
    disconnect: async () => void (await call('chat.disconnect', {})),
    send: async (prompt) => ((await call('chat.send', prompt)).isRewound ? 'rewound' : 'sent'),
    retry: async () => void (await call('chat.retry', {})),
    unqueue: async (id) => ((await call('chat.unqueue', { id })).isRemoved ? 'removed' : 'started'),
    cancel: async () => void (await call('chat.cancel', {})),
    setModel: async (id) => void (await call('chat.setModel', { id })),
    setMode: async (id) => void (await call('chat.setMode', { id })),
    newChat: async () => void (await call('chat.new', {})),
    sessions: async () => (await call('chat.sessions', {})).sessions,
    openSession: async (id) => void (await call('chat.open', { id })),
    answer: async (requestId, { optionId, answers }) => {
      const { isElsewhere } = await call('chat.answer', {
        requestId,
        optionId,
        answers: answers && { ...answers },
      });
      return isElsewhere ? 'elsewhere' : 'answered';
    },
  };
}
