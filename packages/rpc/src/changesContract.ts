import * as z from 'zod';
import { lineRange, sessionTurn } from './reviewText.js';
import { id, path } from './values.js';

/** An accepted review, a restoration, or an edit that was written without a review; without its texts. */
export const historyEntry = z.object({
  id: z.string(),
  agent: z.string(),
  session: z.string(),
  how: z.enum(['accepted', 'rejected', 'restored', 'written']),
  at: z.number(),
  /** For the user, such as `review 3, accepted`. Empty from a companion of an earlier version. */
  label: z.string().default(''),
  /** For the user: how it is known that the agent made the change. Absent if the user decided. */
  evidence: z.string().optional(),
  /** What takes it back: `Redo` for an undo, otherwise `Undo`. */
  verb: z.enum(['Undo', 'Redo']).default('Undo'),
  /** Perhaps something else made the change: it is undone only by its id. */
  isUncertain: z.boolean().optional(),
  /** The user kept it: it does not wait any more. */
  isKept: z.boolean().optional(),
  /** No copy of its contents is kept: it cannot be undone. `label` says why. */
  isUnkept: z.boolean().optional(),
  turn: sessionTurn.optional(),
});

const kind = z.enum(['missing', 'text', 'binary']);

/** What stands of the changes that agents made to one file. */
export const changeFacts = z.object({
  /** Lines. */
  added: z.int(),
  removed: z.int(),
  /** The file has none of these changes, and there is nothing to undo. */
  isAbsent: z.boolean(),
  /** What the user has to know of edits that no review showed, in sentences. Files with warnings come first. */
  warnings: z.array(z.string()).readonly().default([]),
  /** What the counts and the diff leave out, in sentences. */
  notes: z.array(z.string()).readonly(),
});

/** The same without the contents of the file. */
export const changedFileSummary = changeFacts.extend({
  path,
  /** What the file is without these changes, and now. */
  before: kind,
  now: kind,
  /** Changes when either content changes. */
  stamp: z.string(),
  /** The undo after which the file has none of these changes: to redo it brings them back. */
  undoable: z.string().optional(),
});

export const restoredFile = z.object({
  path,
  /**
   * `nothing`: the file does not have these changes. `conflict`: it has changed on the same lines since. `refused`: it cannot be
   * restored; `reason` says why.
   */
  kind: z.enum(['nothing', 'restored', 'merged', 'removed', 'conflict', 'refused']),
  conflicts: z.int(),
  reason: z.string().optional(),
  /** What that does to the file, or has done: the end of a text that begins with its name. */
  note: z.string().default(''),
  /** How it is known that the agent made the changes, in sentences, for those that no review showed. */
  evidence: z.array(z.string()).readonly().default([]),
  /** The entry of the history that undoes this restoration, if the file was written. */
  restoration: id.optional(),
});

/** What Tandem records of what agents write in one folder of the workspace without a review, and the copies of files that it keeps for that. */
export const folderRecording = z.object({
  folder: path,
  /** Also what commands change, not only the files that hooks name. */
  isWhole: z.boolean(),
  /** What is recorded, and why not more: the end of a sentence. */
  note: z.string(),
  /** How many files it knows. */
  files: z.int().optional(),
  /** Absent if none are kept. */
  copies: z.object({ folder: z.string(), bytes: z.number(), note: z.string() }).optional(),
});

/** Which changes to undo. */
export const changeSelection = z.object({
  /** The numbers of reviews and restorations. */
  ids: z.array(id).optional(),
  session: id.optional(),
  /** The number of a turn of the session. */
  turn: z.int().optional(),
  /** The key of a group in which a view shows the changes. */
  group: z.string().optional(),
  path: path.optional(),
  /** Only what was written since then, in Unix milliseconds. */
  since: z.number().optional(),
  /** True: only what waits for the user. False: only what is accepted, kept or undone. Names nothing by itself. */
  waits: z.boolean().optional(),
  /** Everything: required if nothing else is named. */
  all: z.boolean().optional(),
});

/** Some hunks of what stands of the changes to one file: the selection needs its `path`. */
export const hunkChoice = z.object({
  /** Between the file without these changes and the present one: their indexes, from 0. */
  hunks: z.array(z.int().min(0)).optional(),
  /** Those in these lines of the present file. */
  lines: lineRange.optional(),
  /** Of the file as it was shown: another one refuses the hunks. */
  stamp: z.string().optional(),
});

/** What became of the changes to one file when they were kept, or when that was taken back. */
export const keptFile = z.object({
  path,
  /** `left`: they wait as before; `note` says why. */
  kind: z.enum(['kept', 'waits', 'left']),
  /** The numbers of these changes: with them, the call is taken back. */
  ids: z.array(id).readonly(),
  /** The end of a text that begins with the name of the file. */
  note: z.string(),
});

/** Something to do with changes, with a word for its button: `changes.keep` or `changes.restore` does it. */
export const changeAction = z.object({ id: z.enum(['keep', 'undo']), label: z.string() });

/** Lines of one document that wait for the user. */
export const waitingHunk = z.object({
  /** With `path`, `group`, `waits` and `stamp`, `hunks: [index]` selects it. */
  group: z.string(),
  index: z.int(),
  stamp: z.string(),
  /** Lines of the present file, from 0. With a `count` of 0, lines were removed before `start`. */
  start: z.int(),
  count: z.int(),
  /** The lines in their place without these changes, at most 500. */
  removed: z.array(z.string()).readonly(),
  /** How many these are. */
  removedCount: z.int(),
  agent: z.string(),
  session: z.string(),
  turn: sessionTurn.optional(),
  /** For the user: whose they are, such as `Claude Code, turn 3: Fix the parser`. */
  label: z.string(),
  /** For the user: how that is known, in sentences without an end. */
  evidence: z.array(z.string()).readonly(),
  /** Perhaps something else made the change. */
  isUncertain: z.boolean(),
  /** The agent named the file for each of these changes. Otherwise something else may have written some lines: show them before an undo. */
  isCertain: z.boolean(),
});

export type ChangeSelection = z.infer<typeof changeSelection>;
export type RestoredFile = z.infer<typeof restoredFile>;
export type FolderRecording = z.infer<typeof folderRecording>;
export type HunkChoice = z.infer<typeof hunkChoice>;
export type KeptFile = z.infer<typeof keptFile>;
export type WaitingHunk = z.infer<typeof waitingHunk>;
