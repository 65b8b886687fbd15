import { conformInSteps } from '../text/conform.js';
import { droppedHunks, reapplyDropped } from '../text/droppedHunks.js';
import { composeInSteps, type Hunk, hunksInSteps } from '../text/hunks.js';
import type { KnownMerges } from '../text/knownMerges.js';
import { mergeInSteps } from '../text/merge.js';
import { type FileContent, isSameContent, mergeWithFileInSteps, textOf } from '../text/mergeWithFile.js';
import type { Steps } from '../text/steps.js';
import { FileConflictError, HunkConflictError } from './reviewErrors.js';

/** In proposals with more hunks, an undone decision stays an edit by hand: the search for it takes too long. */
const undoableHunks = 20;

/** What a review compares: the same object until its file is merged. */
export interface Basis {
  /** How many times the file was merged. */
  readonly number: number;
  readonly original: FileContent;
  /** The agent's proposal, with what was merged into it. */
  readonly proposed: string;
  /** Found when they are first needed. */
  hunks?: readonly Hunk[];
}

/** The text of a review, and what it is made of: another object after each change. */
export interface ReviewTexts {
  readonly basis: Basis;
  /** For each hunk whether it is kept; `undefined` until the first hunk is dropped. */
  readonly kept?: readonly boolean[] | undefined;
  /** The proposal without the dropped hunks. */
  readonly composed: string;
  /** `composed` with the edits by hand, if there are any. */
  readonly edited?: string | undefined;
}

/** A change of a review: the user's edit of its text, a decision on a hunk, or the present file, to merge. */
export type ReviewChange =
  | { readonly kind: 'edit'; readonly text: string }
  | { readonly kind: 'hunk'; readonly index: number; readonly isKept: boolean }
  | { readonly kind: 'file'; readonly path: string; readonly file: FileContent; readonly marks: boolean };

/** What a change comes to. `texts` are the same object if nothing changes. */
export type ChangedTexts =
  | { readonly texts: ReviewTexts; readonly conflicts?: number }
  | { readonly error: HunkConflictError | FileConflictError };

/** Whether two changes are the same. */
export function isSameChange(one: ReviewChange, other: ReviewChange): boolean {
  if (one.kind === 'edit') return other.kind === 'edit' && one.text === other.text;
  if (one.kind === 'hunk')
    return other.kind === 'hunk' && one.index === other.index && one.isKept === other.isKept;
  return other.kind === 'file' && one.marks === other.marks && isSameContent(one.file, other.file);
}

/** The texts after a change. */
export function changeTexts(
  from: ReviewTexts,
  change: ReviewChange,
  merges: KnownMerges,
): Steps<ChangedTexts> {
  if (change.kind === 'edit') return edit(from, change.text);
  return change.kind === 'hunk' ? setHunk(from, change) : mergeFile(from, change, merges);
}

/** The current text. */
export function contentOf({ edited, composed }: ReviewTexts): string {
  return edited ?? composed;
}

/** Where the proposal differs from the file; the same array each time. */
export function* hunksOf(basis: Basis): Steps<readonly Hunk[]> {
  if (basis.hunks !== undefined) return basis.hunks;
  const { original, proposed } = basis;
  const hunks = original.kind === 'binary' ? [] : yield* hunksInSteps(textOf(original), proposed);
  basis.hunks ??= hunks;
  return basis.hunks;
}

/** The texts with a decision for each hunk, and with the text `content`. */
export function* decideHunks(
  basis: Basis,
  kept: readonly boolean[] | undefined,
  content?: string,
): Steps<ReviewTexts> {
  const { original, proposed } = basis;
  const composed =
    kept === undefined
      ? proposed
      : yield* composeInSteps(textOf(original), proposed, yield* hunksOf(basis), kept);
  return withContent({ basis, kept, composed }, content ?? composed);
}

function withContent(texts: ReviewTexts, content: string): ReviewTexts {
  return { ...texts, edited: content === texts.composed ? undefined : content };
}

function* edit(from: ReviewTexts, text: string): Steps<ChangedTexts> {
  const { basis, composed } = from;
  // An emptied text has no line ends to follow; the proposal has.
  const model = composed === '' ? basis.proposed : composed;
  const edited = yield* conformInSteps(text, model, textOf(basis.original));
  if (edited === contentOf(from)) return { texts: from };
  const kept = yield* keptHunksIn(edited, from);
  return { texts: kept === undefined ? withContent(from, edited) : { basis, kept, composed: edited } };
}

/**
 * Which hunks are kept in `text`, if `text` is the result of toggling hunks: an editor undoes a toggle like any other
 * change. Searches only when a hunk was dropped, and only for all kept or for one toggle.
 */
function* keptHunksIn(text: string, { basis, kept }: ReviewTexts): Steps<readonly boolean[] | undefined> {
  if (kept === undefined) return undefined;
  const { original, proposed } = basis;
  if (text === proposed) return kept.map(() => true);
  if (kept.length > undoableHunks) return undefined;
  const hunks = yield* hunksOf(basis);
  for (const [index, isKept] of kept.entries()) {
    const next = kept.with(index, !isKept);
    if ((yield* composeInSteps(textOf(original), proposed, hunks, next)) === text) return next;
    yield undefined;
  }
  return undefined;
}

function* setHunk(
  from: ReviewTexts,
  { index, isKept }: Extract<ReviewChange, { kind: 'hunk' }>,
): Steps<ChangedTexts> {
  const hunks = yield* hunksOf(from.basis);
  const kept = from.kept ?? hunks.map(() => true);
  if (kept[index] === undefined || kept[index] === isKept) return { texts: from };
  const next = yield* decideHunks(from.basis, kept.with(index, isKept));
  if (from.edited === undefined) return { texts: next };
  const merged = yield* mergeInSteps(from.composed, from.edited, next.composed);
  if (merged.ok) return { texts: withContent(next, merged.text) };
  const error = new HunkConflictError('The change overlaps lines that you edited. Edit the text instead.');
  return { error };
}

function* mergeFile(
  from: ReviewTexts,
  { path, file, marks }: Extract<ReviewChange, { kind: 'file' }>,
  merges: KnownMerges,
): Steps<ChangedTexts> {
  const { number, original, proposed } = from.basis;
  const base = textOf(original);
  const content = contentOf(from);
  const failed = (message: string, canBeMarked?: boolean) => ({
    error: new FileConflictError(message, canBeMarked),
  });
  const merge = yield* mergeWithFileInSteps(original, content, file, undefined, merges.merge);
  if (merge.kind === 'deleted') return failed(`${path} was deleted from disk.`);
  if (merge.kind === 'binary' || original.kind === 'binary') return failed(`${path} is binary.`);
  if (merge.kind === 'unchanged' || file.kind !== 'text') return { texts: from };
  if (original.kind === 'text' && file.text === base) return { texts: from };
  const conflicts = merge.kind === 'conflict' ? merge.conflicts : 0;
  if (conflicts > 0 && !marks) {
    const where = conflicts === 1 ? 'in one place' : `in ${conflicts} places`;
    return failed(`${path} and the proposal changed the same lines, ${where}.`, true);
  }
  const isUnedited = content === proposed && conflicts === 0;
  const basis: Basis = {
    number: number + 1,
    original: file,
    proposed: isUnedited ? merge.text : (yield* merges.merge(base, proposed, file.text)).text,
  };
  const kept = yield* reapply(from, basis);
  return { texts: yield* decideHunks(basis, kept, merge.text), conflicts };
}

/** The decisions to drop hunks, for the hunks of the next texts. */
function* reapply({ basis, kept }: ReviewTexts, next: Basis): Steps<readonly boolean[] | undefined> {
  if (kept?.includes(false) !== true) return undefined;
  const dropped = yield* droppedHunks(textOf(basis.original), basis.proposed, yield* hunksOf(basis), kept);
  const found = yield* reapplyDropped(textOf(next.original), next.proposed, yield* hunksOf(next), dropped);
  return found.includes(false) ? found : undefined;
}
