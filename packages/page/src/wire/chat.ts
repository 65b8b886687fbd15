import type { ChatModel, ChatPatch } from '@tandem/chat/model';
import * as z from 'zod';

/**
 * What a chat panel and its host tell each other: the same for the page, by its WebSocket and by POST, and for a webview,
 * by messages. The daemon's token and its connection are the host's; no message carries them back.
 */

/** Which daemon the chat is set to, apart from how the connection to it stands, which the model says. */
export const chatSetup = z.object({
  /** The daemon's address. Absent while none was chosen. */
  url: z.string().optional(),
  /** The host started it and ends it. */
  isOwn: z.boolean(),
  /** A daemon is being started. */
  isStarting: z.boolean(),
  /** Why a daemon could not be started, and what to do. */
  problem: z.string().optional(),
  /** Why none may be started now, and what to do. */
  obstacle: z.string().optional(),
});
export type ChatSetup = z.infer<typeof chatSetup>;

/** What is known of the chat without following it. */
export const chatStatus = z.object({
  setup: chatSetup,
  connection: z.enum(['disconnected', 'connecting', 'connected', 'reconnecting']),
  isRunning: z.boolean(),
  /** How many permissions and questions wait for an answer. */
  waiting: z.int(),
});
export type ChatStatus = z.infer<typeof chatStatus>;

/**
 * Both come from our own host, which is built together with the panel: only their outline is looked at, so that a chat of
 * thousands of messages is not gone through once more. Texts in them are never taken for markup.
 */
export const chatModel = z.custom<ChatModel>(
  (value) => isRecord(value) && Array.isArray(value.items) && isRecord(value.connection),
);
export const chatPatches = z.custom<ChatPatch[]>(
  (value) => Array.isArray(value) && value.every((patch) => isRecord(patch) && typeof patch.op === 'string'),
);

const lines = z.object({ first: z.int().min(0), last: z.int().min(0) });

/** A file, or some of its lines, counted from 0 and inclusive. Paths are absolute. */
const chatMention = z.object({ path: z.string().min(1), lines: lines.optional() });
export type ChatMention = z.infer<typeof chatMention>;

const image = z.object({ mimeType: z.string().regex(/^image\/(png|jpeg|gif|webp)$/), data: z.base64() });

const chatPrompt = z.object({
  text: z.string(),
  mentions: z.array(chatMention).max(50),
  images: z.array(image).max(20),
  /** The `promptId` of the message that it takes the place of: the chat goes back to before it, where it can. */
  replaces: z.string().min(1).optional(),
});
export type ChatPrompt = z.infer<typeof chatPrompt>;

const session = z.object({
  id: z.string(),
  title: z.string(),
  updatedAt: z.number().optional(),
  isRunning: z.boolean(),
  isWaiting: z.boolean(),
});
export type ChatSession = z.infer<typeof session>;

const nothing = z.null();
const none = z.object({});
const id = z.object({ id: z.string().min(1) });

/** What a panel asks of its host. All fail with a message for the person. */
export const chatMethods = {
  /** From here on this panel is told of the chat: `chat` at once, whole, then `chat-patches`. */
  'chat.follow': { params: none, result: nothing },
  /** Connects to a daemon that runs. The token stays with the host. */
  'chat.connect': {
    params: z.object({ url: z.string().min(1), token: z.string().optional() }),
    result: nothing,
  },
  /** Starts a daemon for the workspace and connects to it. It ends with the host. */
  'chat.start': { params: none, result: nothing },
  /** Connects again to the daemon that was connected last; to the shown session, if there is one. */
  'chat.reconnect': { params: none, result: nothing },
  /** Lets go of the daemon, and ends it if the host started it. */
  'chat.disconnect': { params: none, result: nothing },
  /** `isRewound`: the chat went back to before the message that was to be replaced. */
  'chat.send': { params: chatPrompt, result: z.object({ isRewound: z.boolean() }) },
  'chat.retry': { params: none, result: nothing },
  /** Removes a queued prompt, by its `promptId`. Not removed is one that is being answered by now. */
  'chat.unqueue': { params: id, result: z.object({ isRemoved: z.boolean() }) },
  'chat.cancel': { params: none, result: nothing },
  'chat.setModel': { params: id, result: nothing },
  'chat.setMode': { params: id, result: nothing },
  'chat.new': { params: none, result: nothing },
  'chat.sessions': { params: none, result: z.object({ sessions: z.array(session) }) },
  'chat.open': { params: id, result: nothing },
  /** Answers a permission or questions; without an option it is cancelled. */
  'chat.answer': {
    params: z.object({
      requestId: z.string().min(1),
      optionId: z.string().optional(),
      answers: z.record(z.string(), z.string()).optional(),
    }),
    result: z.object({ isElsewhere: z.boolean() }),
  },
} as const;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
