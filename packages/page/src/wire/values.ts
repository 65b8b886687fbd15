import * as z from 'zod';

/**
 * What the page and its host tell each other about reviews, documents, agents and sharing. Plain data. Paths are
 * absolute, times Unix milliseconds, lines and characters 0-based, characters UTF-16 code units.
 */

const lineSpan = z.object({ start: z.int(), count: z.int() });

const position = z.object({ line: z.int().min(0), character: z.int().min(0) });
export const range = z.object({ start: position, end: position });

/** What closing the tab of a pending review means. A review that was edited is never rejected without a question. */
export const closingMeans = z.enum(['reject', 'ask', 'keep']);

export const workspaceFolder = z.object({ path: z.string(), name: z.string() });

/** One review in the queue, or one that ended not long ago. */
export const pageReview = z.object({
  id: z.string(),
  /** Identifier of the agent, such as `claude`. */
  agent: z.string(),
  /** What a person calls it, such as `Claude Code`. */
  agentName: z.string(),
  session: z.string(),
  /** What the agent calls the change, where its protocol gives it a name. */
  title: z.string().optional(),
  path: z.string(),
  /** The path as a person reads it: below its workspace folder where it lies in one. */
  label: z.string(),
  state: z.enum(['pending', 'accepted', 'rejected', 'withdrawn']),
  /** `replaced`, `agent`, `disconnected`, `not-shown` or `stopped`. */
  withdrawReason: z.string().optional(),
  openedAt: z.number(),
  decidedAt: z.number().optional(),
  isNewFile: z.boolean(),
  isOutsideWorkspace: z.boolean(),
  /** The file lies in a `.git` folder: Git runs programs that such files name. */
  isInGitFolder: z.boolean().optional(),
  /** Why the file is held back from the agent that proposes. */
  heldBack: z.string().optional(),
  /** The file changed on disk on the same lines, or was deleted: accepting would undo that. */
  isFileChanged: z.boolean(),
  /** Changes of the file were merged into the text, which `review.undoMerge` undoes. */
  canUndoMerge: z.boolean().optional(),
  /** The text contains conflict markers that are not in the file or the proposal. */
  hasConflictMarkers: z.boolean().optional(),
  /** How often the file's changes were taken in: with each, the text of the file and the proposal are others. */
  basis: z.int().optional(),
  /** The file is not UTF-8 text; the proposal is decided whole and cannot be shown beside it. */
  isBinary: z.boolean(),
  /** The agent cannot take an empty text as an answer. */
  cannotAnswerEmpty: z.boolean(),
  isEdited: z.boolean(),
  /** Why a crash would lose it and what was typed into it, in a few words; absent while it is saved. */
  notKept: z.string().optional(),
  hunks: z.int(),
  /** Lines of the proposal that the file does not have, and the reverse. */
  added: z.int(),
  removed: z.int(),
});

/** A text that the page edits together with its host: the whole of it at one version. Lines end in `\n` here. */
export const textState = z.object({ version: z.int(), content: z.string() });

/** The `clientId` of what the host itself changes in a text: it came from the disk, an agent or a command. */
export const hostClientId = 'host';

/** Changes that were made to a text by one client, in the form of CodeMirror's `ChangeSet.toJSON()`. */
export const textUpdate = z.object({ clientId: z.string(), changes: z.unknown() });

/** A hunk of the proposal against the file: fixed for the review's life, apart from whether it is kept. */
const pageHunk = z.object({ original: lineSpan, proposed: lineSpan, isKept: z.boolean() });

/** One review with all its text. Texts have `\n` line ends and no byte order mark. */
export const pageReviewDetails = z.object({
  review: pageReview,
  /** What the file held, when this was proposed or taken in last; empty for a new file and for one that is not text. */
  original: z.string(),
  proposed: z.string(),
  hunks: z.array(pageHunk),
  /** What no line of a diff shows, in sentences for a person. */
  notes: z.array(z.string()),
  /** The text as it stands: what accepting answers. */
  text: textState,
});

/** A review that nobody waits for any more and nobody has decided: its agent or its companion ended. */
export const pageInterrupted = z.object({
  id: z.string(),
  agentName: z.string(),
  path: z.string(),
  label: z.string(),
  /** Whether a person made something else of the proposal. */
  isEdited: z.boolean(),
});

/** One open document: a tab. */
export const pageDocument = z.object({
  path: z.string(),
  /** The path below its workspace folder. */
  label: z.string(),
  /** `text` can be edited; the others are named to agents and not shown. */
  kind: z.enum(['text', 'binary', 'too-large']),
  isDirty: z.boolean(),
  /** The file on disk is not the one that the unsaved changes were made to. */
  hasConflict: z.boolean(),
  /** It lies on disk no more; saving makes it again. */
  isMissing: z.boolean(),
  isReadOnly: z.boolean(),
  lineEnds: z.enum(['lf', 'crlf', 'cr', 'mixed', 'none']),
  /** Why agents do not hear of it, where that is so. */
  heldBack: z.string().optional(),
});

const pageSession = z.object({
  id: z.string(),
  /** What to call it: the agent's name, with a number where there are several. */
  name: z.string(),
  client: z.object({ name: z.string(), version: z.string() }),
  connectedAt: z.number(),
  /** When it sent its last message. */
  lastHeardAt: z.number().optional(),
  pid: z.number().optional(),
});

/** One agent that this companion serves, connected or not. */
export const pageAgent = z.object({
  id: z.string(),
  displayName: z.string(),
  sessions: z.array(pageSession),
  /** What to type in a terminal to start it connected. */
  command: z.string(),
  /** The same without `tandem`: the agent's own command, and what to type in it then. */
  byHand: z.object({ command: z.string(), connect: z.string() }).optional(),
  /** Whether it takes mentions. */
  takesMentions: z.boolean(),
  /** Why its discovery file could not be written, and what to do. */
  problem: z.string().optional(),
  /** How many were connected before the companion was restarted and did not come back, and what to type in them. */
  lost: z.object({ count: z.int(), connect: z.string() }).optional(),
});

/** What agents see now. */
export const pageSharing = z.object({
  isPaused: z.boolean(),
  /** The file that agents see as the active one, if any does, and how much of it is selected. */
  activeFile: z.object({ path: z.string(), label: z.string(), selectedCharacters: z.int() }).optional(),
  /** The file that has the focus but is held back from all or some agents, and why. */
  heldBack: z
    .object({
      path: z.string(),
      label: z.string(),
      agents: z.array(z.string()),
      isFromAll: z.boolean(),
      reason: z.string(),
    })
    .optional(),
});

export const treeEntry = z.object({
  name: z.string(),
  path: z.string(),
  kind: z.enum(['file', 'folder']),
  /** Why agents do not hear of it, where that is so. */
  heldBack: z.string().optional(),
});

/** Unsaved changes beside what lies on disk now. Texts have `\n` line ends. */
export const documentConflict = z.object({
  mine: z.string(),
  theirs: z.string(),
  /** Both changes in one text, where they do not touch the same lines. */
  merged: z.string().optional(),
});

export type ClosingMeans = z.infer<typeof closingMeans>;
export type WorkspaceFolder = z.infer<typeof workspaceFolder>;
export type PageReview = z.infer<typeof pageReview>;
export type PageHunk = z.infer<typeof pageHunk>;
export type PageReviewDetails = z.infer<typeof pageReviewDetails>;
export type PageInterrupted = z.infer<typeof pageInterrupted>;
export type TextState = z.infer<typeof textState>;
export type TextUpdate = z.infer<typeof textUpdate>;
export type PageDocument = z.infer<typeof pageDocument>;
export type PageSession = z.infer<typeof pageSession>;
export type PageAgent = z.infer<typeof pageAgent>;
export type PageSharing = z.infer<typeof pageSharing>;
export type TreeEntry = z.infer<typeof treeEntry>;
export type DocumentConflict = z.infer<typeof documentConflict>;
