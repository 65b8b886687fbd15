import {
  type Disposable,
  DisposableStore,
  describeError,
  Emitter,
  type Event,
  type FileContent,
  type FileRelation,
  followFile,
  type Logger,
  logListenerError,
  mergeText,
  onceDecided,
  type Review,
} from '@tandem/core';
import { RpcError } from '@tandem/rpc';
import { type DiskFile, readDiskFile } from './diskFile.js';
import type { DocumentServices } from './openDocument.js';
import { TouchDelay } from './touchDelay.js';

/**
 * Applies `followFile` to a pending review whenever its file changes on disk, until the review ends. The creator disposes
 * it.
 */
export class ReviewFileFollower implements Disposable {
  /** `relation` or `canUndoMerge` changed. */
  readonly onDidChange: Event<void>;

  readonly #review: Review;
  readonly #logger: Logger;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;
  #relation: FileRelation = 'unchanged';
  /** The text before and after the last merge. */
  #merge: { readonly before: string; readonly after: string } | undefined;

  constructor(review: Review, { logger, watches }: DocumentServices) {
    this.#review = review;
    this.#logger = logger;
    this.#didChange = this.#owned.add(new Emitter<void>(logListenerError(logger, 'the file of a review')));
    this.onDidChange = this.#didChange.event;
    const delay = this.#owned.add(new TouchDelay(() => this.check()));
    this.#owned.add(watches.watch(review.proposal.path, () => delay.touch()));
    // Merging with conflict markers, or an edit, may resolve the conflict.
    this.#owned.add(review.onDidChange(() => this.isInConflict && delay.touch()));
    this.#owned.add(onceDecided(review, () => this.dispose()));
  }

  /** What happened to the file, as of the last check. */
  get relation(): FileRelation {
    return this.#relation;
  }

  /** Whether accepting would undo a change of the file. */
  get isInConflict(): boolean {
    return this.#relation === 'conflict' || this.#relation === 'deleted';
  }

  /** Whether the file's last change was merged into the text and can be taken out of it again. */
  get canUndoMerge(): boolean {
    return this.#merge !== undefined;
  }

  /** Reads the file now. A file that cannot be read counts as unchanged: the agent reports it when it writes. */
  async check(): Promise<void> {
    const file = await this.#read();
    const review = this.#review;
    if (file === undefined || this.#owned.isDisposed || review.state !== 'pending') return;
    const [last, before] = [this.#relation, review.content];
    this.#relation = followFile(review, file);
    const isMerged = this.#relation === 'merged';
    if (isMerged) this.#merge = { before, after: review.content };
    if (isMerged || this.#relation !== last) this.#didChange.fire();
  }

  /** Merges the file with conflict markers. Rejects as `Review.mergeFile`, and with `refused` if it cannot be read. */
  async markConflicts(): Promise<void> {
    const file = await this.#read();
    if (file === undefined) throw new RpcError('refused', 'The file cannot be read.');
    this.#review.mergeFile(file, { marksConflicts: true });
    await this.check();
  }

  /** Takes the last merged change out of the text. Throws `refused` if its lines were edited since. */
  undoMerge(): void {
    if (this.#merge === undefined) return;
    const { before, after } = this.#merge;
    const undone = mergeText(after, this.#review.content, before);
    if (!undone.ok) {
      throw new RpcError(
        'refused',
        'The merge cannot be undone, because you edited the merged lines. Remove its changes by hand.',
      );
    }
    this.#merge = undefined;
    this.#review.edit(undone.text);
    this.#didChange.fire();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #read(): Promise<FileContent | undefined> {
    let disk: DiskFile;
    try {
      disk = await readDiskFile(this.#review.proposal.path);
    } catch (error) {
      this.#logger.warn('the file of a review cannot be read', { error: describeError(error) });
      return undefined;
    }
    return disk.kind === 'text' || disk.kind === 'missing' ? disk : { kind: 'binary', size: disk.size };
  }
}
