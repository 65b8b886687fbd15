import {
  agentSession,
  changedFileSummary,
  historyEntry,
  hunk,
  lostSessions,
  reviewComment,
  reviewSummary,
  sessionSummary,
  sessionTurn,
} from '@tandem/rpc/schemas';
import * as z from 'zod';

/** Values of the page's contract, beside those of `@tandem/rpc`. A label is a path for the user: below its workspace folder. */

export const workspaceFolder = z.object({ path: z.string(), name: z.string() });

/** A file that agents changed, in one group: by one turn of a session, or outside of its turns. */
export const pageChange = changedFileSummary.extend({
  label: z.string(),
  /** Files of one group follow each other. */
  group: z.string(),
  /** The group is of those that wait for the user; these come first. */
  isWaiting: z.boolean(),
  /** With `path` and `group`, selects its entries. */
  waits: z.boolean().optional(),
  session: z.string(),
  agent: z.string(),
  agentName: z.string(),
  turn: sessionTurn.optional(),
  /** Perhaps not by the agent: in no action for several files. */
  isUncertain: z.boolean(),
  /** What led there, the oldest first. */
  entries: z.array(historyEntry.extend({ agentName: z.string() })),
});

/** A text that the page and its host edit together, at one version. Lines end in `\n`. */
export const textState = z.object({ version: z.int(), content: z.string() });

/** Changes of a text by one client, as CodeMirror's `ChangeSet.toJSON()`. */
export const textUpdate = z.object({ clientId: z.string(), changes: z.unknown() });

/** One review with its texts, which have `\n` line ends and no byte order mark. */
export const pageReviewDetails = z.object({
  review: reviewSummary,
  /** The file's text at the proposal or the last merge; empty for a new file and for one that is not text. */
  original: z.string(),
  proposed: z.string(),
  hunks: z.array(hunk),
  comments: z.array(reviewComment),
  /** The current text: what the agent receives on acceptance. */
  text: textState,
});

/** A session that proposed changes. `label`: its title, or else the file of its first review. */
export const pageSessionSummary = sessionSummary.extend({ label: z.string() });

/** One open document: a tab. */
export const pageDocument = z.object({
  path: z.string(),
  label: z.string(),
  /** `text` can be edited; agents see the others, but the page does not show them. */
  kind: z.enum(['text', 'binary', 'too-large']),
  isDirty: z.boolean(),
  /** The file on disk is not the one that the unsaved changes are based on. */
  hasConflict: z.boolean(),
  /** It was deleted from disk; saving creates it again. */
  isMissing: z.boolean(),
  isReadOnly: z.boolean(),
  lineEnds: z.enum(['lf', 'crlf', 'cr', 'mixed', 'none']),
  /** Absent for UTF-8. */
  encoding: z.string().optional(),
  /** Why it is hidden from agents. */
  heldBack: z.string().optional(),
});

/** `name`: the agent's display name, with a number if there are several. */
const pageSession = agentSession.extend({ name: z.string() });

/** One agent that this companion serves, connected or not. */
export const pageAgent = z.object({
  id: z.string(),
  displayName: z.string(),
  sessions: z.array(pageSession),
  /** The command line that starts it connected. */
  command: z.string(),
  /** The same without `tandem`: the agent's command line, and what to type in the agent. */
  byHand: z.object({ command: z.string(), connect: z.string().optional() }).optional(),
  takesMentions: z.boolean(),
  /** It has no lasting connection, but asks before each prompt. */
  polls: z.boolean(),
  /** What it receives, in words, if it proposes no changes. */
  receivesOnly: z.string().optional(),
  /** Why its discovery file could not be written, and what to do. */
  problem: z.string().optional(),
  lost: lostSessions.optional(),
});

export const treeEntry = z.object({
  name: z.string(),
  path: z.string(),
  kind: z.enum(['file', 'folder']),
  /** Why it is hidden from agents. */
  heldBack: z.string().optional(),
});

/** Unsaved changes and the file on disk. Texts have `\n` line ends. */
export const documentConflict = z.object({
  mine: z.string(),
  theirs: z.string(),
  /** Both changes in one text; absent if they change the same lines. */
  merged: z.string().optional(),
});

export type WorkspaceFolder = z.infer<typeof workspaceFolder>;
export type PageChange = z.infer<typeof pageChange>;
export type PageHunk = z.infer<typeof hunk>;
export type PageReviewDetails = z.infer<typeof pageReviewDetails>;
export type PageComment = z.infer<typeof reviewComment>;
export type TextState = z.infer<typeof textState>;
export type TextUpdate = z.infer<typeof textUpdate>;
export type PageDocument = z.infer<typeof pageDocument>;
export type PageSessionSummary = z.infer<typeof pageSessionSummary>;
export type PageSession = z.infer<typeof pageSession>;
export type PageAgent = z.infer<typeof pageAgent>;
export type TreeEntry = z.infer<typeof treeEntry>;
export type DocumentConflict = z.infer<typeof documentConflict>;
