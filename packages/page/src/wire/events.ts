import * as z from 'zod';
import { chatModel, chatPatches, chatStatus } from './chat.js';
import {
  closingMeans,
  pageAgent,
  pageDocument,
  pageInterrupted,
  pageReview,
  pageSharing,
  range,
  textUpdate,
  workspaceFolder,
} from './values.js';

/**
 * What the host tells the page. In the browser: one JSON object per message of the WebSocket at `/live`. After
 * `hello` come `reviews`, `interrupted`, `documents`, `agents`, `sharing` and `chat-status` at once, and each again, whole, when it changed.
 */
export const pageEvent = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('hello'),
    /** Another one than before: the companion was restarted, and what it held is gone. */
    instance: z.string(),
    /** Opens this tab from here on, also at the companion that follows. Stands in no address. */
    token: z.string(),
    /** Names this connection in `x-tandem-connection`, so that the host knows which page asks. */
    connection: z.string(),
    /** Another one than the page was built with: it should be loaded again. */
    build: z.string(),
    version: z.string(),
    folders: z.array(workspaceFolder),
    isTrusted: z.boolean(),
    /** The name of the machine, to tell several apart. */
    machine: z.string(),
    whenClosed: closingMeans,
    /** How this user runs the command: `tandem`, or `npx tandem` in a checkout. */
    command: z.string(),
  }),
  /** The demo is over: all its answers were delivered, and the companion ends now. */
  z.object({ event: z.literal('demo-ended') }),
  /** Those that wait, the oldest first, then the last ones that ended, the newest first. */
  z.object({ event: z.literal('reviews'), reviews: z.array(pageReview) }),
  /** Those that can be put into their files or thrown away, the oldest first. */
  z.object({ event: z.literal('interrupted'), reviews: z.array(pageInterrupted) }),
  /** The open tabs, in the order they were opened. */
  z.object({ event: z.literal('documents'), documents: z.array(pageDocument) }),
  z.object({ event: z.literal('agents'), agents: z.array(pageAgent) }),
  z.object({ event: z.literal('sharing'), sharing: pageSharing }),
  /** Which hunks of a review are kept. */
  z.object({ event: z.literal('hunks'), id: z.string(), kept: z.array(z.boolean()) }),
  /** Updates of a text that this connection opened; the first one leads from `version` to `version + 1`. */
  z.object({
    event: z.literal('text'),
    text: z.string(),
    version: z.int(),
    updates: z.array(textUpdate),
  }),
  /** Somebody outside the page, an agent or `tandem focus`, asks to see a file. It is open already. */
  z.object({ event: z.literal('show'), path: z.string(), range: range.optional(), takesFocus: z.boolean() }),
  /** Files came or went in these folders. */
  z.object({ event: z.literal('files'), folders: z.array(z.string()) }),
  /** How the chat stands. Like the topics above, told at once and again when it changed. */
  z.object({ event: z.literal('chat-status'), status: chatStatus }),
  /** The chat, whole, for a connection that asked to follow it. */
  z.object({ event: z.literal('chat'), model: chatModel }),
  /** How the chat becomes what it is now, from what it was after the last such event. */
  z.object({ event: z.literal('chat-patches'), patches: chatPatches }),
  /** Nothing happened for a while, and the connection lives. Sent every 15 s. */
  z.object({ event: z.literal('alive') }),
]);

export type PageEvent = z.infer<typeof pageEvent>;

/** WebSocket subprotocol of `/live`. */
export const liveProtocol = 'tandem.page';
/** The token goes as a second subprotocol: a browser sends no other header of ours with a WebSocket. */
export const liveTokenPrefix = 'token.';
/** Where the page says which connection is its own. */
export const connectionHeader = 'x-tandem-connection';
