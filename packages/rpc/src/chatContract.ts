import * as z from 'zod';
import { lineRange } from './reviewText.js';
import { id, none, nothing, path } from './values.js';

/** The daemon of a chat. The state of the connection to it is in the chat's model. */
export const chatSetup = z.object({
  /** The daemon's address. Absent before one is chosen. */
  url: z.string().optional(),
  /** The host started the daemon, and ends it. */
  isOwn: z.boolean(),
  isStarting: z.boolean(),
  /** Why a daemon could not be started, and what to do. */
  problem: z.string().optional(),
  /** Why no daemon may be started, and what to do. */
  obstacle: z.string().optional(),
});

/** What is known of the chat without following it. */
export const chatStatus = z.object({
  setup: chatSetup,
  connection: z.enum(['disconnected', 'connecting', 'connected', 'reconnecting']),
  isRunning: z.boolean(),
  /** Number of pending permissions and questions. */
  waiting: z.int(),
});

/** A file, or some of its lines. */
const chatMention = z.object({ path, lines: lineRange.optional() });

const image = z.object({ mimeType: z.string().regex(/^image\/(png|jpeg|gif|webp)$/), data: z.base64() });

const chatPrompt = z.object({
  text: z.string(),
  mentions: z.array(chatMention).max(50),
  images: z.array(image).max(20),
  /** The `promptId` of the message that it replaces. The chat is rewound to before that message, if possible. */
  replaces: id.optional(),
});

const chatSession = z.object({
  id: z.string(),
  title: z.string(),
  updatedAt: z.number().optional(),
  isRunning: z.boolean(),
  isWaiting: z.boolean(),
});

const byId = z.object({ id });

/** What every chat panel calls. The daemon's token stays in the host. */
export const chatContract = {
  /** Starts a daemon for the workspace and connects to it. It ends with the host. */
  'chat.start': { params: none, result: nothing },
  /** Connects to the last daemon again, and to the session that is shown, if any. */
  'chat.reconnect': { params: none, result: nothing },
  /** Disconnects, and ends the daemon if the host started it. */
  'chat.disconnect': { params: none, result: nothing },
  /** `isRewound`: the chat was rewound to before the message that the prompt replaces. */
  'chat.send': { params: chatPrompt, result: z.object({ isRewound: z.boolean() }) },
  'chat.retry': { params: none, result: nothing },
  /** Removes a queued prompt, by its `promptId`. A prompt that is being answered is not removed. */
  'chat.unqueue': { params: byId, result: z.object({ isRemoved: z.boolean() }) },
  'chat.cancel': { params: none, result: nothing },
  'chat.setModel': { params: byId, result: nothing },
  'chat.setMode': { params: byId, result: nothing },
  'chat.new': { params: none, result: nothing },
  'chat.sessions': { params: none, result: z.object({ sessions: z.array(chatSession) }) },
  'chat.open': { params: byId, result: nothing },
  /** Answers a permission or questions; without an option it cancels the request. */
  'chat.answer': {
    params: z.object({
      requestId: id,
      optionId: z.string().optional(),
      answers: z.record(z.string(), z.string()).optional(),
    }),
    result: z.object({ isElsewhere: z.boolean() }),
  },
} as const;

export type ChatSetup = z.infer<typeof chatSetup>;
export type ChatStatus = z.infer<typeof chatStatus>;
export type ChatMention = z.infer<typeof chatMention>;
export type ChatPrompt = z.infer<typeof chatPrompt>;
export type ChatSession = z.infer<typeof chatSession>;
