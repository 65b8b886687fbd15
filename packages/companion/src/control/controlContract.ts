import type { Handlers } from '@tandem/rpc';
import {
  agentSession,
  changeFacts,
  changeSelection,
  deskContract,
  fileContent,
  folderRecording,
  historyEntry,
  hunk,
  id,
  lostSessions,
  none,
  path,
  range,
  reviewComment,
  reviewFacts,
  reviewSummary,
  sessionSummary,
  sharingStatus,
} from '@tandem/rpc/schemas';
import * as z from 'zod';

/** One review with its texts. */
const reviewDetails = reviewSummary.extend({
  /** The file's content; absent for a new file and for one that is not text. */
  original: z.string().optional(),
  proposed: z.string(),
  /** The current text: what the agent receives on acceptance, or the text at the end of the review. */
  content: z.string(),
  hunkList: z.array(hunk),
  /** Of the text, for `review.accept`. Absent for an interrupted review. */
  version: z.int().optional(),
  /** Absent from a companion of an earlier version. */
  commentList: z.array(reviewComment).default([]),
});

const agentStatus = z.object({
  id: z.string(),
  displayName: z.string(),
  url: z.string(),
  /** Absent from a companion of an earlier version. */
  takesMentions: z.boolean().default(false),
  /** It has no lasting connection: `lastMessageAt` of a session is when it asked last. */
  polls: z.boolean().optional(),
  /** Discovery files, with why one could not be written and what to do. */
  discovery: z.array(z.object({ file: z.string(), problem: z.string().optional() })),
  sessions: z.array(agentSession),
  lost: lostSessions.optional(),
});

const companionStatus = z.object({
  version: z.string(),
  pid: z.number(),
  startedAt: z.number(),
  editor: z.object({ name: z.string(), displayName: z.string(), version: z.string() }),
  workspaceFolders: z.array(z.string()),
  isTrusted: z.boolean(),
  sharing: sharingStatus,
  agents: z.array(agentStatus),
  /** The address of the host's page, without the token. */
  page: z.object({ url: z.string() }).optional(),
  /** The pending ones, the oldest first. */
  reviews: z.array(reviewSummary),
  /** The interrupted ones, the oldest first. Absent from a companion of an earlier version. */
  interrupted: z.array(reviewSummary).default([]),
  /** What is recorded in each folder of the workspace. Absent from a companion of an earlier version. */
  recording: z.array(folderRecording).default([]),
});

/** How one agent connects. Contains the token, if it has one of its own. */
const agentConnection = z.object({
  id: z.string(),
  displayName: z.string(),
  url: z.string(),
  token: z.string().optional(),
  /** Why it cannot connect. */
  problem: z.string().optional(),
  /** The discovery files that could be written. */
  discovery: z.array(z.string()),
  /** The variables that a terminal must export. */
  env: z.record(z.string(), z.string()),
  /** Those with which hooks of the agent reach the companion. Absent if it has none that Tandem uses. */
  hooks: z.record(z.string(), z.string()).optional(),
});

/** Where the user opens the host's page. Contains the token. */
const pageAddress = z.object({
  url: z.string(),
  /** For a program that opens a browser: works once, for a minute. */
  openingUrl: z.string(),
});

/** What agents changed in one file, as far as it still stands. */
const changedFile = z.object({
  path,
  /** Without what stands of these changes, and with all that anything else wrote. */
  before: fileContent,
  now: fileContent,
  /** The oldest first. */
  entries: z.array(historyEntry),
  /** Absent from a companion of an earlier version, which shows as `before` the file before the first change. */
  ...changeFacts.partial().shape,
});

const reviewId = z.object({ id });

/** What the `tandem` command calls on a running companion: by POST to `/control/<method>`. */
export const controlContract = {
  status: { params: none, result: companionStatus },
  connections: { params: none, result: z.array(agentConnection) },
  /** Interrupted reviews, then pending ones. With `all`, the last ended reviews come first. */
  'review.list': { params: z.object({ all: z.boolean().optional() }), result: z.array(reviewSummary) },
  'review.show': { params: reviewId, result: reviewDetails },
  /** Replaces the text without deciding. */
  'review.edit': { params: z.object({ id, content: z.string() }), result: reviewFacts },
  ...deskContract,
  /** The sessions that proposed changes, in the order of their first one. Calls take the beginning of an id. */
  'session.list': { params: none, result: z.array(sessionSummary) },
  /** The files that agents changed, of all sessions or of one, named by the beginning of its id. */
  'changes.list': {
    params: changeSelection.pick({ session: true, turn: true, since: true, waits: true }),
    result: z.array(changedFile),
  },
  /** Opens a file, gives it the focus and selects a range. */
  focus: { params: z.object({ path, range: range.optional() }), result: sharingStatus },
  page: { params: none, result: pageAddress },
  /** The recorder's last lines, redacted JSONL. */
  trace: { params: none, result: z.array(z.string()) },
  /** Ends the companion after the answer. */
  stop: { params: none, result: z.unknown() },
} as const;

export type ControlContract = typeof controlContract;
export type ControlHandlers = Handlers<ControlContract>;
export type PageAddress = z.infer<typeof pageAddress>;
export type CompanionStatus = z.infer<typeof companionStatus>;
export type ReviewDetails = z.infer<typeof reviewDetails>;
export type ChangedFile = z.infer<typeof changedFile>;
export type AgentConnection = z.infer<typeof agentConnection>;
