import { toDocumentText } from '../text/documentText.js';
import { type FileContent, mergeWithFileInSteps, textOf } from '../text/mergeWithFile.js';
import { finish, finishWithPauses, type Pause, type Steps } from '../text/steps.js';
import type { Review } from './review.js';
import { FileConflictError } from './reviewErrors.js';

/**
 * How the file on disk relates to a pending review: `unchanged`; `merged`, its changes were merged into the review;
 * `conflict`, it changed on the same lines or is no longer text; `deleted`.
 */
export type FileRelation = 'unchanged' | 'merged' | 'conflict' | 'deleted';

/**
 * What stops an acceptance: the file, as in `FileRelation`, or conflict `markers` in the text. The user can overrule all
 * but `merged`, which they have not seen yet.
 */
export type Stop = Exclude<FileRelation, 'unchanged'> | 'markers';

/**
 * The rule for a file that changes on disk while it is under review: changes that merge cleanly are merged into the
 * review at once, and are `merged` only this time; for everything else the user decides. Call it with the current
 * content of the file.
 */
export function followFile(review: Review, file: FileContent): FileRelation {
  const undone = findOverwritten(review, review.content, file);
  if (undone !== 'changed') return undone ?? 'unchanged';
  try {
    review.mergeFile(file);
    return 'merged';
  } catch (error) {
    if (!(error instanceof FileConflictError)) throw error;
    return 'conflict';
  }
}

/**
 * Which change of the file since the proposal would be overwritten by accepting `content`. Line endings do not count: agents
 * normalise them before they propose. Neither does the proposal itself: the agent may write it before it ends the review.
 * A text that was accepted in another review of the file counts as written (`Review.expect`).
 */
export function findOverwritten(
  review: Review,
  content: string,
  onDisk: FileContent,
): 'changed' | 'deleted' | undefined {
  return finish(findOverwrittenInSteps(review, content, onDisk));
}

/** `findOverwritten`, with other work between its steps. */
function* findOverwrittenInSteps(
  review: Review,
  content: string,
  onDisk: FileContent,
): Steps<'changed' | 'deleted' | undefined> {
  const { original, proposal, merges } = review;
  const file = yield* review.expectInSteps(onDisk);
  if (original.kind === 'binary') return undefined;
  const mine = toDocumentText(content);
  const documents = [asDocument(original), mine, asDocument(file)] as const;
  const merge = yield* mergeWithFileInSteps(...documents, undefined, merges.merge);
  if (merge.kind === 'deleted') return 'deleted';
  if (file.kind === 'text' && toDocumentText(file.text) === toDocumentText(proposal.content))
    return undefined;
  return merge.kind !== 'binary' && merge.text === mine ? undefined : 'changed';
}

function asDocument(file: FileContent): FileContent {
  return file.kind === 'text' ? { kind: 'text', text: toDocumentText(file.text) } : file;
}

/**
 * The rule for what stops an acceptance now. Applies `followFile` to the current content of the file, which is undefined
 * if it cannot be read: the agent reports that when it writes the file. Nothing stops a review that has ended.
 */
export function findStop(review: Review, file: FileContent | undefined): Stop | undefined {
  if (review.state !== 'pending') return undefined;
  const relation = file === undefined ? 'unchanged' : followFile(review, file);
  if (relation !== 'unchanged') return relation;
  return hasConflictMarkers(review) ? 'markers' : undefined;
}

/** What is done with the file of a review after `prepareToFollow`. */
export interface Following {
  /** It is merged with conflict markers. */
  readonly marksConflicts?: boolean | undefined;
  /** The text to accept, if that is not the review's. */
  readonly content?: string | undefined;
}

/**
 * Does in short steps what the functions above do at once: what they are going to merge. The user may type meanwhile; if that
 * does not end, they merge the other text at once.
 */
export async function prepareToFollow(
  review: Review,
  onDisk: FileContent,
  pause: Pause,
  { marksConflicts = false, content: accepted }: Following = {},
): Promise<void> {
  if (review.state !== 'pending') return;
  if (accepted !== undefined) await review.prepare({ kind: 'edit', text: accepted }, pause);
  const file = await finishWithPauses(review.expectInSteps(onDisk), pause);
  const { original, proposal } = review;
  const content = accepted ?? review.content;
  if (file.kind !== 'text' || original.kind === 'binary' || file.text === content) return;
  if (original.kind === 'text' && file.text === original.text) return;
  await finishWithPauses(findOverwrittenInSteps(review, content, onDisk), pause);
  if (accepted === undefined)
    await review.prepare({ kind: 'file', path: proposal.path, file, marks: marksConflicts }, pause);
}

/** Whether accepting would write conflict markers that are neither in the file nor in the agent's proposal. */
export function hasConflictMarkers({
  content,
  original,
  proposal,
}: Pick<Review, 'content' | 'original' | 'proposal'>): boolean {
  return hasMarkers(content) && !hasMarkers(proposal.content) && !hasMarkers(textOf(original));
}

function hasMarkers(text: string): boolean {
  const begin = text.startsWith('<<<<<<< ') ? 0 : text.indexOf('\n<<<<<<< ');
  const middle = begin < 0 ? -1 : text.indexOf('\n=======', begin);
  return middle >= 0 && text.indexOf('\n>>>>>>> ', middle) >= 0;
}
