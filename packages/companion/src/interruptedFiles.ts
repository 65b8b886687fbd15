import { type Editor, type FileContent, isWithin, mergeText, type Path } from '@tandem/core';
import { RpcError } from '@tandem/rpc';
import { commandName } from './control/thisMachine.js';
import type { InterruptedReview, InterruptedReviews } from './interruptedReviews.js';
import type { SavedReview } from './savedReview.js';
import type { WorkspaceFiles } from './workspaceFiles.js';

/** What putting an interrupted review into its file comes to now. */
export type Standing =
  /** The file already contains it. */
  | { readonly kind: 'applied' }
  /** The file is as it was when this was proposed. */
  | { readonly kind: 'untouched'; readonly text: string }
  /** It was changed elsewhere. */
  | { readonly kind: 'merges'; readonly text: string }
  /** Both changed the same lines; `text` has both, between marks. */
  | { readonly kind: 'conflicts'; readonly text: string; readonly conflicts: number }
  /** The file was deleted since; `text` would make it again. */
  | { readonly kind: 'gone'; readonly text: string }
  /** There is no text to merge with. */
  | { readonly kind: 'binary' };

interface Services {
  readonly interrupted: InterruptedReviews;
  readonly editor: Editor;
  readonly files: WorkspaceFiles;
  readonly writeFile?: (path: Path, text: string) => Promise<void>;
}

/** Brings interrupted reviews and their files together, when a person asks for it. Rejects with `RpcError` or `DocumentError`. */
export class InterruptedFiles {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Rejects with `DocumentError` when the file cannot be read. */
  async standing(review: SavedReview): Promise<Standing> {
    return standingOf(review, await this.#services.files.read(review.path));
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
    const standing = await this.standing(review);
    if (standing.kind === 'binary') {
      throw new RpcError('refused', `${path} is not a text file. Copy the text of ${id} instead.`);
    }
    if (how.marksConflicts !== true) refuseUnclear(standing, review);
    if (standing.kind !== 'applied') await this.#write(writeFile, path, standing.text);
    interrupted.remove(id);
    return standing.kind === 'conflicts' ? standing.conflicts : 0;
  }

  /** Lets those go that their files hold already: decided in a terminal, or written a moment before the end. */
  async sweep(reviews: readonly InterruptedReview[] = this.#services.interrupted.all): Promise<void> {
    for (const review of reviews) {
      const kind = await this.standing(review).then(
        (standing) => standing.kind,
        () => undefined,
      );
      // What was accepted and changes nothing looks as if it was written, and may be owed to its agent all the same.
      const isOwed = review.isAccepted && !review.isTold && changesNothing(review);
      const isElsewhere = review.isAccepted && kind !== undefined && kind !== 'untouched';
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
      const standing = await this.standing(saved).catch(() => undefined);
      if (standing === undefined || standing.kind === 'untouched') this.#services.interrupted.add([saved]);
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

function standingOf({ original, content }: SavedReview, file: FileContent): Standing {
  if (file.kind === 'binary') return { kind: 'binary' };
  const base = original.kind === 'text' ? original.text : '';
  if (file.kind === 'missing') {
    return original.kind === 'missing'
      ? { kind: 'untouched', text: content }
      : { kind: 'gone', text: content };
  }
  if (file.text === content) return { kind: 'applied' };
  if (original.kind === 'text' && file.text === base) return { kind: 'untouched', text: content };
  const merged = mergeText(base, content, file.text, { mine: 'your text', theirs: 'the file' });
  if (!merged.ok) return { kind: 'conflicts', text: merged.text, conflicts: merged.conflicts.length };
  return merged.text === file.text ? { kind: 'applied' } : { kind: 'merges', text: merged.text };
}

function changesNothing({ original, content }: SavedReview): boolean {
  return original.kind === 'text' && original.text === content;
}

/** A conflict is shown, never guessed. */
function refuseUnclear(standing: Standing, { id, path }: InterruptedReview): void {
  if (standing.kind === 'gone') {
    throw new RpcError('refused', `${path} has been deleted. To create it again: ${markingCommand(id)}`);
  }
  if (standing.kind !== 'conflicts') return;
  const places = standing.conflicts === 1 ? 'in one place' : `in ${standing.conflicts} places`;
  throw new RpcError(
    'refused',
    `${path} has changed on the same lines, ${places}. To write both versions with conflict markers: ${markingCommand(id)}`,
  );
}

function markingCommand(id: string): string {
  return `${commandName} review apply ${id} --conflicts`;
}
