import { type FileContent, mergeWithFile } from './mergeWithFile.js';
import type { Review } from './review.js';
import { FileConflictError } from './reviewErrors.js';
import { toDocumentText } from './text/documentText.js';

/**
 * How the file on disk relates to a pending review: `unchanged`; `merged`, its changes were merged into the review just
 * now; `conflict`, it changed on the same lines or is no longer text; `deleted`.
 */
export type FileRelation = 'unchanged' | 'merged' | 'conflict' | 'deleted';

/**
 * The rule for a file that changes on disk while it is under review: changes that merge cleanly are merged into the
 * review at once; for everything else the user decides. Call it with the current content of the file.
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

/** * Which change of the file since the proposal would be overwritten by accepting `content`. Line endings do not count: agents
 * normalise them before they propose. Neither does the proposal itself: the agent may write it before it ends the review.
 */
export function findOverwritten(
  { original, proposal }: Pick<Review, 'original' | 'proposal'>,
  content: string,
  file: FileContent,
): 'changed' | 'deleted' | undefined {
  if (original.kind === 'binary') return undefined;
  const mine = toDocumentText(content);
  const merge = mergeWithFile(asDocument(original), mine, asDocument(file));
  if (merge.kind === 'deleted') return 'deleted';
  if (file.kind === 'text' && toDocumentText(file.text) === toDocumentText(proposal.content))
    return undefined;
  return merge.kind !== 'binary' && merge.text === mine ? undefined : 'changed';
}

function asDocument(file: FileContent): FileContent {
  return file.kind === 'text' ? { kind: 'text', text: toDocumentText(file.text) } : file;
}

/** Whether accepting would write conflict markers that are neither in the file nor in the agent's proposal. */
export function hasConflictMarkers({
  content,
  original,
  proposal,
}: Pick<Review, 'content' | 'original' | 'proposal'>): boolean {
  const before = original.kind === 'text' ? original.text : '';
  return hasMarkers(content) && !hasMarkers(proposal.content) && !hasMarkers(before);
}

function hasMarkers(text: string): boolean {
  const begin = text.startsWith('<<<<<<< ') ? 0 : text.indexOf('\n<<<<<<< ');
  const middle = begin < 0 ? -1 : text.indexOf('\n=======', begin);
  return middle >= 0 && text.indexOf('\n>>>>>>> ', middle) >= 0;
}
