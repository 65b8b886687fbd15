import { type Editor, type FileMerge, isWithin, mergeWithFile, type Path } from '@tandem/core';
import { RpcError } from '@tandem/rpc';
import { commandName } from './control/thisMachine.js';
import type { InterruptedReview, InterruptedReviews } from './interruptedReviews.js';
import type { SavedReview } from './savedReview.js';
import type { WorkspaceFiles } from './workspaceFiles.js';

interface Services {
  readonly interrupted: InterruptedReviews;
  readonly editor: Editor;
  readonly files: WorkspaceFiles;
  readonly writeFile?: (path: Path, text: string) => Promise<void>;
}

/** Merges interrupted reviews with their files. Rejects with `RpcError` or `DocumentError`. */
export class InterruptedFiles {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** How its file relates to it now. Rejects with `DocumentError` when the file cannot be read. */
  async compare({ path, original, content }: SavedReview): Promise<FileMerge> {
    return mergeWithFile(original, content, await this.#services.files.read(path), 'your text');
  }

  /**
   * Writes it into its file, merged with what the file holds by now, and lets it go. Resolves to how many conflicts stand
   * marked in the file. Without `marksConflicts` it rejects when there are some, and has then written nothing.
   */
  async apply(id: string, how: { readonly marksConflicts?: boolean } = {}): Promise<number> {
    const { interrupted, editor, writeFile } = this.#services;
    const review = requireInterrupted(interrupted, id);
    const { path } = review;
    if (writeFile === undefined) {
      throw new RpcError('refused', `${editor.info.displayName} cannot write files. Copy the text instead.`);
    }
    await this.#requireInside(path);
    if (editor.documents.state(path)?.isDirty) {
      throw new RpcError(
        'refused',
        `${path} has unsaved changes in ${editor.info.displayName}. Save or revert it first.`,
      );
    }
    const merge = await this.compare(review);
    if (merge.kind === 'binary') {
      throw new RpcError('refused', `${path} is not a text file. Copy the text of ${id} instead.`);
    }
    if (how.marksConflicts !== true) refuseUnclear(merge, review);
    if (merge.kind !== 'applied') await this.#write(writeFile, path, merge.text);
    interrupted.remove(id);
    return merge.kind === 'conflict' ? merge.conflicts : 0;
  }

  /** Lets those go that their files hold already: decided in a terminal, or written a moment before the end. */
  async sweep(reviews: readonly InterruptedReview[] = this.#services.interrupted.all): Promise<void> {
    for (const review of reviews) {
      const kind = await this.compare(review).then(
        (found) => found.kind,
        () => undefined,
      );
      // What was accepted and changes nothing looks as if it was written, and may be owed to its agent all the same.
      const isOwed = review.isAccepted && !review.isTold && changesNothing(review);
      const isElsewhere = review.isAccepted && kind !== undefined && kind !== 'unchanged';
      const isOver = (kind === 'applied' && !isOwed) || isElsewhere;
      const isSame = this.#services.interrupted.get(review.id)?.content === review.content;
      if (isOver && isSame) this.#services.interrupted.remove(review.id);
    }
  }

  /**
   * A session went away. Of what was accepted a moment before it may not have heard: where the file is still as it was,
   * nobody has written the text that a person accepted, and it is kept. So it is where the file cannot be read.
   */
  async keepUnheard(reviews: readonly SavedReview[]): Promise<void> {
    for (const saved of reviews) {
      const merge = await this.compare(saved).catch(() => undefined);
      if (merge === undefined || merge.kind === 'unchanged') this.#services.interrupted.add([saved]);
    }
  }

  async #write(writeFile: NonNullable<Services['writeFile']>, path: Path, text: string): Promise<void> {
    try {
      await writeFile(path, text);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new RpcError('refused', message, { cause });
    }
  }

  async #requireInside(path: Path): Promise<void> {
    const { editor, files } = this.#services;
    const real = await files.realPath(path);
    const folders = await Promise.all(editor.workspace.folders().map((folder) => files.realPath(folder)));
    if (folders.some((folder) => isWithin(folder, real))) return;
    throw new RpcError(
      'refused',
      `${path} lies outside the workspace folders and cannot be written from here. Copy the text instead.`,
    );
  }
}

/** The interrupted review of this id. Throws `RpcError` when there is none. */
export function requireInterrupted(interrupted: InterruptedReviews, id: string): InterruptedReview {
  const review = interrupted.get(id);
  if (review !== undefined) return review;
  const known = interrupted.all.map((each) => each.id).join(', ') || 'none';
  throw new RpcError('not-found', `There is no interrupted review ${id}. Interrupted: ${known}.`);
}

function changesNothing({ original, content }: SavedReview): boolean {
  return original.kind === 'text' && original.text === content;
}

/** A conflict is shown, never guessed. */
function refuseUnclear(merge: FileMerge, { id, path }: InterruptedReview): void {
  if (merge.kind === 'deleted') {
    throw new RpcError('refused', `${path} has been deleted. To create it again: ${markingCommand(id)}`);
  }
  if (merge.kind !== 'conflict') return;
  const places = merge.conflicts === 1 ? 'in one place' : `in ${merge.conflicts} places`;
  throw new RpcError(
    'refused',
    `${path} has changed on the same lines, ${places}. To write both versions with conflict markers: ${markingCommand(id)}`,
  );
}

function markingCommand(id: string): string {
  return `${commandName} review apply ${id} --conflicts`;
}
