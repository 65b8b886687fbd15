import {
  type FileContent,
  type FileMerge,
  inFileForm,
  mergeWithFile,
  textOf,
  toDocumentText,
} from '@tandem/core';
import { RpcError } from '@tandem/rpc';
import { commandName } from './control/thisMachine.js';
import type { InterruptedReview, InterruptedReviews } from './interruptedReviews.js';
import { hasComments, type SavedReview } from './savedReview.js';
import type { WorkspaceFiles } from './workspaceFiles.js';
import type { WorkspaceWriter } from './workspaceWriter.js';

interface Services {
  readonly interrupted: InterruptedReviews;
  readonly files: WorkspaceFiles;
  readonly writer: WorkspaceWriter;
}

/** Merges interrupted reviews with their files. Rejects with `RpcError` or `DocumentError`. */
export class InterruptedFiles {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Compares a review with its file as it is now. Rejects with `DocumentError` if the file cannot be read. */
  async compare(review: SavedReview): Promise<FileMerge> {
    return mergeInto(await this.#services.files.read(review.path), review);
  }

  /**
   * Writes a review into its file, merged with the file's current content, and removes it. Resolves to the number of
   * conflicts that are marked in the file. Without `marksConflicts`, rejects if there are conflicts and writes nothing.
   */
  async apply(id: string, how: { readonly marksConflicts?: boolean } = {}): Promise<number> {
    const { interrupted, writer } = this.#services;
    const review = requireInterrupted(interrupted, id);
    const { path } = review;
    await writer.requireWritable(path);
    const file = await this.#services.files.read(path);
    const merge = mergeInto(file, review);
    if (merge.kind === 'binary') {
      throw new RpcError('refused', `${path} is not a text file. Copy the text of ${id} instead.`);
    }
    if (how.marksConflicts !== true) refuseUnclear(merge, review);
    if (merge.kind !== 'applied') await writer.write(path, merge.text, file);
    interrupted.remove(id);
    return merge.kind === 'conflict' ? merge.conflicts : 0;
  }

  /** Removes reviews whose text is already in the file: decided in a terminal, or written a moment before the end. */
  async sweep(reviews: readonly InterruptedReview[] = this.#services.interrupted.all): Promise<void> {
    for (const review of reviews) {
      // Comments are nowhere else, unless the review was decided.
      if (!review.isAccepted && hasComments(review)) continue;
      if (review.writesOwnText) {
        if (await this.isWritten(review)) this.#services.interrupted.replace(review.id, correctionOf(review));
        continue;
      }
      const kind = await this.compare(review).then(
        (found) => found.kind,
        () => undefined,
      );
      // An accepted text that changes nothing looks as if it was written, but its agent may still expect the answer.
      const isOwed = review.isAccepted && !review.isAnswered && changesNothing(review);
      const isElsewhere = review.isAccepted && kind !== undefined && kind !== 'unchanged';
      const isOver = (kind === 'applied' && !isOwed) || isElsewhere;
      const isSame = this.#services.interrupted.get(review.id)?.content === review.content;
      if (isOver && isSame) this.#services.interrupted.remove(review.id);
    }
  }

  /**
   * Called when a session ends: its agent may not have received what was accepted a moment before. Keeps an accepted
   * text if the file is still unchanged, because then nothing has written it, or if the file cannot be read.
   */
  async keepUndelivered(reviews: readonly SavedReview[]): Promise<void> {
    for (const saved of reviews) {
      const merge = await this.compare(saved).catch(() => undefined);
      if (merge === undefined || merge.kind === 'unchanged') this.#services.interrupted.add([saved]);
    }
  }

  /** Whether the file contains exactly what the agent proposed. Never rejects. */
  async isWritten({ path, proposed }: SavedReview): Promise<boolean> {
    const file = await this.#services.files.read(path).catch(() => undefined);
    return file?.kind === 'text' && file.text === proposed;
  }
}

/**
 * The text gets the line ends and the byte order mark of the file, as they were at the proposal. An agent may have written it with
 * other line ends: then it counts as applied.
 */
function mergeInto(file: FileContent, { original, content }: SavedReview): FileMerge {
  const model = original.kind === 'text' ? original : file;
  const merge = mergeWithFile(original, inFileForm(content, textOf(model)), file, 'your text');
  const isWritten = merge.kind === 'merged' && toDocumentText(merge.text) === toDocumentText(textOf(file));
  return isWritten ? { kind: 'applied', text: textOf(file) } : merge;
}

/** The user's corrections to a proposal that the agent has written: from now on, changes to that text. */
export function correctionOf(review: SavedReview): SavedReview {
  const { isAccepted: _accepted, isAnswered: _told, writesOwnText: _own, ...saved } = review;
  return { ...saved, original: { kind: 'text', text: review.proposed }, keptHunks: [] };
}

/** The interrupted review with this id. Throws `RpcError` if there is none. */
export function requireInterrupted(interrupted: InterruptedReviews, id: string): InterruptedReview {
  const review = interrupted.get(id);
  if (review !== undefined) return review;
  const known = interrupted.all.map((each) => each.id).join(', ') || 'none';
  throw new RpcError('not-found', `There is no interrupted review ${id}. Interrupted: ${known}.`);
}

function changesNothing({ original, content }: SavedReview): boolean {
  return original.kind === 'text' && original.text === content;
}

/** Conflicts are shown, never resolved by a guess. */
function refuseUnclear(merge: FileMerge, { id, path }: InterruptedReview): void {
  if (merge.kind === 'deleted') {
    throw new RpcError('refused', `${path} has been deleted. To create it again: ${markingCommand(id)}`);
  }
  if (merge.kind !== 'conflict') return;
  const places = merge.conflicts === 1 ? 'in one place' : `in ${merge.conflicts} places`;
  throw new RpcError(
    'refused',
    `${path} has changed on lines that this review also changes, ${places}. To write both versions with conflict markers: ${markingCommand(id)}`,
  );
}

function markingCommand(id: string): string {
  return `${commandName} review apply ${id} --conflicts`;
}
