import { chatModel, chatPatches } from '@tandem/chat/model';
import {
  chatStatus,
  range,
  reviewComment,
  reviewFacts,
  reviewSummary,
  sharingStatus,
} from '@tandem/rpc/schemas';
import * as z from 'zod';
import { pageAgent, pageDocument, pageSessionSummary, textUpdate, workspaceFolder } from './values.js';

const listedIds = z.array(z.string()).optional();

/**
 * What the host sends to the page: one JSON object per message of the WebSocket at `/live`. After `hello` the page receives
 * `decided`, `reviews`, `sessions`, `changes`, `interrupted`, `documents`, `agents`, `sharing` and `chat-status`, and each again when it changes.
 */
export const pageEvent = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('hello'),
    /** It changes when the companion restarts, which loses the state of the last one. */
    instance: z.string(),
    /** The secret of this tab from now on, also after a restart of the companion. It is in no address. */
    token: z.string(),
    /** Identifies this page in `connectionHeader`. */
    connection: z.string(),
    /** If the page has another build, it reloads. */
    build: z.string(),
    version: z.string(),
    folders: z.array(workspaceFolder),
    isTrusted: z.boolean(),
    /** The name of the machine. */
    machine: z.string(),
    /** How this user runs the command: `tandem`, or `npx tandem` in a checkout. */
    command: z.string(),
  }),
  /** The demo is over: all answers were delivered, and the companion ends. */
  z.object({ event: z.literal('demo-ended') }),
  // Lists that can be long: `reviews` are those that are new or changed since the last such event of this connection, and
  // `ids` are all in their order, unless that is the same.
  /** The history, the newest first. The last ones are also in `reviews`. */
  z.object({ event: z.literal('decided'), ids: listedIds, reviews: z.array(reviewFacts) }),
  /** The pending ones, the oldest first, then the last ones that ended, the newest first. */
  z.object({ event: z.literal('reviews'), ids: listedIds, reviews: z.array(reviewSummary) }),
  /** The sessions that proposed changes, in the order of their first one. */
  z.object({ event: z.literal('sessions'), sessions: z.array(pageSessionSummary) }),
  /** `changes.list` may have another answer. */
  z.object({ event: z.literal('changes'), revision: z.int() }),
  /** The oldest first. */
  z.object({ event: z.literal('interrupted'), reviews: z.array(reviewFacts) }),
  /** The open tabs, in the order they were opened. */
  z.object({ event: z.literal('documents'), documents: z.array(pageDocument) }),
  z.object({ event: z.literal('agents'), agents: z.array(pageAgent) }),
  z.object({ event: z.literal('sharing'), sharing: sharingStatus }),
  /** Which hunks of a review are kept. */
  z.object({ event: z.literal('hunks'), id: z.string(), kept: z.array(z.boolean()) }),
  /** The comments on a review, and their lines, changed. */
  z.object({ event: z.literal('comments'), id: z.string(), comments: z.array(reviewComment) }),
  /** Updates of a text that this connection opened; the first one leads from `version` to `version + 1`. */
  z.object({
    event: z.literal('text'),
    text: z.string(),
    version: z.int(),
    updates: z.array(textUpdate),
  }),
  /** An agent or `tandem focus` shows a file, which is open already; `count`: how many such requests took the focus so far. */
  z.object({
    event: z.literal('show'),
    path: z.string(),
    range: range.optional(),
    takesFocus: z.boolean(),
    count: z.int(),
  }),
  /** Files were created or removed in these folders. */
  z.object({ event: z.literal('files'), folders: z.array(z.string()) }),
  z.object({ event: z.literal('chat-status'), status: chatStatus }),
  /** The whole chat, for a connection that follows it. */
  z.object({ event: z.literal('chat'), model: chatModel }),
  /** Changes of the chat since the last event about it. */
  z.object({ event: z.literal('chat-patches'), patches: chatPatches }),
  /** Sent every 15 s. */
  z.object({ event: z.literal('alive') }),
]);

/** A list after its event. What did not change stays the same object, so that its row is not rendered again. */
export function afterListEvent<Item extends { readonly id: string }>(
  before: readonly Item[],
  { ids, reviews }: { readonly ids?: readonly string[] | undefined; readonly reviews: readonly Item[] },
): Item[] {
  const known = new Map([...before, ...reviews].map((item) => [item.id, item]));
  return (ids ?? before.map(({ id }) => id)).flatMap((id) => known.get(id) ?? []);
}

export type PageEvent = z.infer<typeof pageEvent>;
