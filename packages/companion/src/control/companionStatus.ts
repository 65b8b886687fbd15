import * as z from 'zod';

/**
 * What a companion says of itself: plain data that crosses the control interface. No token and no file content,
 * except in `reviewDetails` and `agentConnection`, which go to the person who asks and nowhere else. Times are
 * Unix time in milliseconds.
 */

const client = z.object({ name: z.string(), version: z.string() });

const agentStatus = z.object({
  id: z.string(),
  displayName: z.string(),
  url: z.string(),
  /** Whether a person can point it at a file. A companion of an earlier version does not say. */
  takesMentions: z.boolean().default(false),
  discovery: z.array(
    z.object({
      file: z.string(),
      /** Why it could not be written, and what to do. */
      problem: z.string().optional(),
    }),
  ),
  sessions: z.array(
    z.object({
      id: z.string(),
      client,
      connectedAt: z.number(),
      /** When the agent sent its last message. A companion of an earlier version does not say. */
      lastHeardAt: z.number().optional(),
      pid: z.number().optional(),
    }),
  ),
  /** Agents that the companion before had and that have not come back, and what to type in them. */
  lost: z.object({ count: z.int(), connect: z.string() }).optional(),
});

export const sharingStatus = z.object({
  isPaused: z.boolean(),
  /** The file that agents see as the active one, if any does, and how much of it is selected. */
  activeFile: z.object({ path: z.string(), selectedCharacters: z.number() }).optional(),
  /** The file that has the focus but is held back from all or some agents, and why. */
  heldBack: z
    .object({ path: z.string(), agents: z.array(z.string()), isFromAll: z.boolean(), reason: z.string() })
    .optional(),
});

/** One review, in a line. */
export const reviewSummary = z.object({
  id: z.string(),
  agent: z.string(),
  session: z.string(),
  /** What the agent calls the change, where its protocol gives it a name. */
  title: z.string().optional(),
  path: z.string(),
  /** `interrupted`: nobody waits for it any more, and nobody has decided it. It can be applied or thrown away. */
  state: z.enum(['pending', 'accepted', 'rejected', 'withdrawn', 'interrupted']),
  /** Why it ended without a decision. */
  withdrawReason: z.string().optional(),
  openedAt: z.number(),
  isNewFile: z.boolean(),
  isOutsideWorkspace: z.boolean(),
  /** The file holds something that is not UTF-8 text; the proposal is decided whole. */
  isBinary: z.boolean(),
  isEdited: z.boolean(),
  /** Why a crash would lose it and what was typed into it, in a few words; absent while the journal has it. */
  notKept: z.string().optional(),
  hunks: z.number(),
  /** Lines of the proposal that the file does not have, and the reverse. */
  added: z.number(),
  removed: z.number(),
});

const lineSpan = z.object({ start: z.number(), count: z.number() });

/** One review with all its text. */
export const reviewDetails = reviewSummary.extend({
  /** What the file holds; absent for a new file and for one that is not text. */
  original: z.string().optional(),
  proposed: z.string(),
  /** The text as it stands: what accepting answers, or what the person had made of it when it ended. */
  content: z.string(),
  hunkList: z.array(z.object({ original: lineSpan, proposed: lineSpan, isKept: z.boolean() })),
  /** Differences that no line shows: byte order mark, line ends, the final newline. In words. */
  notes: z.array(z.string()),
});

export const companionStatus = z.object({
  version: z.string(),
  pid: z.number(),
  startedAt: z.number(),
  editor: z.object({ name: z.string(), displayName: z.string(), version: z.string() }),
  workspaceFolders: z.array(z.string()),
  isTrusted: z.boolean(),
  sharing: sharingStatus,
  agents: z.array(agentStatus),
  /** The host's page, where it has one: its address without the token. */
  page: z.object({ url: z.string() }).optional(),
  /** Those that wait, the oldest first. */
  reviews: z.array(reviewSummary),
  /** Those that nobody waits for any more, the oldest first. A companion of an earlier version has none. */
  interrupted: z.array(reviewSummary).default([]),
});

/** How one agent connects. Holds the token. */
export const agentConnection = z.object({
  id: z.string(),
  displayName: z.string(),
  url: z.string(),
  token: z.string(),
  /** The discovery files that stand. */
  discovery: z.array(z.string()),
  /** What a terminal must export. */
  env: z.record(z.string(), z.string()),
});

/** Where a person opens the host's page. Holds the token. */
export const pageAddress = z.object({
  url: z.string(),
  /** For a program that opens a browser: works once and soon. */
  openingUrl: z.string(),
});

export type PageAddress = z.infer<typeof pageAddress>;
export type CompanionStatus = z.infer<typeof companionStatus>;
export type SharingStatus = z.infer<typeof sharingStatus>;
export type ReviewSummary = z.infer<typeof reviewSummary>;
export type ReviewDetails = z.infer<typeof reviewDetails>;
export type AgentConnection = z.infer<typeof agentConnection>;
