import { createHash } from 'node:crypto';
import type { Path } from '@tandem/core';
import {
  concernsOf,
  countLines,
  type FileContent,
  finishWithPauses,
  type HistoryEntry,
  hunksInSteps,
  isSameContent,
  type StandingChanges,
  type Steps,
  standingChanges,
  textOf,
  toDocumentText,
} from '@tandem/reviews';
import { linkIn } from '../files/exactContent.js';
import { pausing } from '../files/pausing.js';
import { fileChanges, foundBy, hasCopy } from '../reviews/entryChanges.js';
import { isUncertain, isWaiting } from './changeGroups.js';

/** A file with entries of the history, and its content. */
export interface FileWithEntries {
  readonly path: Path;
  /** Those to show, the oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** Those of all sessions that changed it, the oldest first. */
  readonly all: readonly HistoryEntry[];
  readonly now: FileContent;
  /** The entries are perhaps not the agent's work: they count all the same. */
  readonly isUncertain?: boolean;
  /** Only those of the entries count that wait for the user. */
  readonly onlyWaiting?: boolean;
}

/** What stands of the changes that agents made to one file, in numbers and sentences. */
export interface ChangeFacts {
  /** How many lines these changes added and removed, as far as they still stand. */
  readonly added: number;
  readonly removed: number;
  /** The file has none of these changes, and there is nothing to undo. */
  readonly isAbsent: boolean;
  /** What the user has to know of edits that no review showed, in sentences. Files with warnings come first. */
  readonly warnings: readonly string[];
  /** What the counts and the diff leave out, in sentences. */
  readonly notes: readonly string[];
  /** The undo after which the file has none of these changes: to redo it brings them back. */
  readonly undoable?: string;
}

/** What agents changed in one file, as far as it still stands. */
export interface ChangedFile extends ChangeFacts {
  readonly path: Path;
  /** The file without what stands of these changes. What anything else wrote is also here, so the difference is theirs alone. */
  readonly before: FileContent;
  readonly now: FileContent;
  /** The accepted reviews and the restorations, the oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** Changes when either content changes. */
  readonly stamp: string;
}

/** The same without the contents: cheap to send and to keep. */
export interface ChangedFileSummary extends Omit<ChangedFile, 'before' | 'now'> {
  /** What the file is without these changes, and now. */
  readonly before: FileContent['kind'];
  readonly now: FileContent['kind'];
}

/** Identifies what `describeChanges` says about a file. */
export function* stampOf(file: FileWithEntries): Steps<string> {
  const { all, entries, now, isUncertain, onlyWaiting } = file;
  const hash = createHash('sha256');
  for (const { key } of [...all, ...entries]) hash.update(`${key}\n`);
  hash.update(
    `${entries.length} ${isUncertain === true} ${onlyWaiting === true} ${now.kind} ${now.kind === 'binary' ? `${now.size} ${now.is ?? ''}` : ''}\n`,
  );
  if (now.kind !== 'missing') hash.update(`${now.mode ?? ''}\n`);
  if (now.kind === 'text') hash.update(`${now.encoding ?? ''}\n`);
  const text = textOf(now);
  for (let at = 0; at < text.length; at += unitsPerStep) {
    hash.update(text.slice(at, at + unitsPerStep));
    yield undefined;
  }
  return hash.digest('base64url');
}

/** How many code units are hashed in one step; some milliseconds. */
const unitsPerStep = 1_000_000;

/** Tells the changes of these entries from everything else in their file. */
function* describeChanges(file: FileWithEntries): Steps<ChangeFacts & Pick<ChangedFile, 'before'>> {
  const { all, now } = file;
  if (!file.entries.some(hasCopy)) {
    return {
      before: now,
      added: 0,
      removed: 0,
      isAbsent: false,
      warnings: warningsOf(file.entries),
      notes: [noCopyNote],
    };
  }
  const hasUnkept = !file.entries.every(hasCopy);
  const last = file.entries.at(-1)?.decided;
  // An undo that belongs to no turn has nothing of its own to show.
  const areUndos = file.entries.every(({ decided }) => decided.reversed !== undefined);
  const entries = areUndos ? file.entries : countedOf(file);
  const changes = fileChanges(all, new Set(entries), now);
  const standing = yield* standingChanges(changes, now);
  const { before, kind } = standing;
  if (areUndos) {
    const undoable = kind === 'none' ? undefined : last?.id;
    const nothing = { added: 0, removed: 0, isAbsent: true, warnings: [], notes: [] };
    return { before: now, ...nothing, ...(undoable !== undefined && { undoable }) };
  }
  const isRestored = last?.how === 'restored';
  const [first] = changes;
  const isUndone =
    isRestored || (first !== undefined && isSameContent(first.before, changes.at(-1)?.after ?? now));
  const isText = before.kind !== 'binary' && now.kind !== 'binary';
  const counts = isText
    ? countLines(yield* hunksInSteps(textOf(before), textOf(now)))
    : { added: 0, removed: 0 };
  const notes = [
    ...(kind === 'none' && !isUndone ? [absentNote] : []),
    ...(kind === 'deleted' ? [deletedNote] : []),
    ...(kind === 'some' ? [overlapNote] : []),
    ...(hasUnkept ? [noCopyNote] : []),
    ...exactNotes(before, now),
    ...((yield* hasOtherChanges(file, standing)) ? [otherNote] : []),
  ];
  const isAbsent = kind === 'none';
  const warnings = isAbsent ? [] : warningsOf(file.entries);
  return {
    before,
    ...counts,
    isAbsent,
    warnings,
    notes,
    ...(isAbsent && isRestored && last.reversed !== 'redone' && { undoable: last.id }),
  };
}

/** What stands of those of its entries that count. */
export function* standingOf(file: FileWithEntries): Steps<StandingChanges> {
  return yield* standingChanges(fileChanges(file.all, new Set(countedOf(file)), file.now), file.now);
}

const noCopyNote = 'Of some changes no copy is kept: they are listed, but not shown, counted or undone.';
const absentNote = 'The file has none of these changes: they are not written yet, or were undone since.';
const deletedNote = 'The file was deleted or renamed after these changes.';
const overlapNote =
  'Lines of these changes were changed again later. Those lines are not counted, because it is not known whose they are.';
const otherNote =
  'The file also has changes that no accepted review made: yours, another program’s, or an agent’s without a review and a hook. They are not counted.';

/** What a comparison of texts does not show. */
function exactNotes(before: FileContent, now: FileContent): readonly string[] {
  const [was, is] = [linkIn(before), linkIn(now)];
  if (before.kind === 'missing' || now.kind === 'missing') return [];
  const [from, to] = [before.mode, now.mode];
  const hasOtherMode = from !== undefined && to !== undefined && from !== to;
  return [
    ...(was !== is && was !== undefined ? [`Before these changes it was a link to ${was}.`] : []),
    ...(was !== is && is !== undefined ? [`It is a link to ${is} now.`] : []),
    ...(hasOtherMode ? [`Its permissions changed from ${from.toString(8)} to ${to.toString(8)}.`] : []),
  ];
}

/** One file, with its contents. `known`: its stamp. */
export async function describe(file: FileWithEntries, known?: string): Promise<ChangedFile> {
  const pause = pausing();
  const stamp = known ?? (await finishWithPauses(stampOf(file), pause));
  const { path, entries, now } = file;
  return { path, entries, now, stamp, ...(await finishWithPauses(describeChanges(file), pause)) };
}

/** The concerns about edits that were written without a review, until the user keeps them: they were not confirmed. */
export function warningsOf(entries: readonly HistoryEntry[]): readonly string[] {
  const unseen = entries.findLast(isWaiting);
  if (unseen === undefined) return [];
  const { original } = unseen;
  const found = concernsOf({ proposal: unseen, marks: unseen, original });
  return found.filter(({ kind }) => kind !== 'binary').map(({ text }) => text);
}

/**
 * Whether an entry is only its agent's work. A mixed restoration is the user's: it also wrote what is not of its session. A change
 * during a turn is perhaps somebody else's.
 */
export function isOwn(entry: HistoryEntry): boolean {
  return entry.decided.isMixed !== true && !isUncertain(entry);
}

/** Those of its entries whose changes are shown. */
function countedOf({
  entries,
  isUncertain: countsAll,
  onlyWaiting,
}: FileWithEntries): readonly HistoryEntry[] {
  // What an undo did is not in the file any more: the rest of what waits is found without it.
  const counted = onlyWaiting ? entries.filter(isWaiting) : entries;
  return countsAll ? counted : counted.filter(isOwn);
}

/** Whether the file has changes since the first of the entries that none of all entries made. */
function* hasOtherChanges(file: FileWithEntries, { kind, before }: StandingChanges): Steps<boolean> {
  const { all, entries, now } = file;
  const [first] = entries;
  if (first === undefined || now.kind === 'binary' || kind === 'unknown' || kind === 'deleted') return false;
  const known = all.slice(all.indexOf(first));
  const areAll = known.length === countedOf(file).length;
  const rest = areAll ? before : (yield* standingChanges(fileChanges(all, new Set(known), now), now)).before;
  if (isSameContent(rest, foundBy(first))) return false;
  yield undefined;
  return toDocumentText(textOf(rest)) !== toDocumentText(textOf(first.original));
}

/** `countsAll`: also if only some of the entries are uncertain. */
export function withCertainty(
  file: FileWithEntries,
  countsAll = file.entries.every(isUncertain),
): FileWithEntries {
  return countsAll && file.entries.some(isUncertain) ? { ...file, isUncertain: true } : file;
}
