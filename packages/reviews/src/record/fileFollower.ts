import {
  type Clock,
  type Disposable,
  DisposableStore,
  DocumentError,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  TouchDelay,
  Turns,
} from '@tandem/core';
import type { FileContent } from '../text/mergeWithFile.js';
import { finish, type Pause } from '../text/steps.js';
import { type FileRelation, type Following, findStop, type Stop } from './fileUnderReview.js';
import { onceDecided, type Review } from './review.js';
import { HunkConflictError } from './reviewErrors.js';

/** A file is often written in several steps. */
const quietMs = 100;

/** What a `FileFollower` needs from its host. */
export interface FileFollowerOptions {
  /** Reads the file. Does not reject. Undefined if the file cannot be read: the agent reports that when it writes it. */
  readonly read: (how?: Following) => Promise<FileContent | undefined>;
  /** Calls `onTouched` whenever the file, which need not exist, may have changed. */
  readonly watch: (onTouched: () => void) => Disposable;
  /** Applies what the user has not finished typing, before a change of the file is merged. */
  readonly flush?: () => void;
  /** Delays checks until the file is written. */
  readonly clock: Clock;
  /** Receives the errors of listeners. */
  readonly logger: Logger;
  /** The pauses of one merge. Without it, that is done at once. */
  readonly pausing?: () => Pause;
}

/**
 * Applies `followFile` to a pending review whenever its file changes on disk, until the review ends. The creator disposes
 * it.
 */
export class FileFollower implements Disposable {
  /** The file was merged, or `relation` or `canUndoMerge` changed. */
  readonly onDidChange: Event<void>;

  readonly #review: Review;
  readonly #options: FileFollowerOptions;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;
  #conflict: 'conflict' | 'deleted' | undefined;
  #isText = false;
  /** The text before and after the last merge. */
  #merge: { readonly before: string; readonly after: string } | undefined;
  /** A file that was read earlier must not be applied after one that was read later. */
  readonly #turns = new Turns();

  constructor(review: Review, options: FileFollowerOptions) {
    const { clock, logger, watch } = options;
    this.#review = review;
    this.#options = options;
    this.#didChange = this.#owned.add(new Emitter<void>(logListenerError(logger, 'the file of a review')));
    this.onDidChange = this.#didChange.event;
    const delay = this.#owned.add(new TouchDelay(() => this.check(), { quietMs, clock }));
    this.#owned.add(watch(() => delay.touch()));
    // Merging with conflict markers, or an edit, may resolve the conflict.
    this.#owned.add(review.onDidChange(() => this.isInConflict && delay.touch()));
    this.#owned.add(onceDecided(review, () => this.dispose()));
  }

  /** As of the last check. `merged` from the first merge on, while there is no conflict. */
  get relation(): FileRelation {
    return this.#conflict ?? (this.#review.basis > 0 ? 'merged' : 'unchanged');
  }

  /** Whether accepting would undo a change of the file. */
  get isInConflict(): boolean {
    return this.#conflict !== undefined;
  }

  /** Whether `markConflicts` can show the conflict: the file is still text. */
  get canMarkConflicts(): boolean {
    return this.#conflict === 'conflict' && this.#isText;
  }

  /** Whether the file's last change was merged into the text and can be taken out of it again. */
  get canUndoMerge(): boolean {
    return this.#merge !== undefined;
  }

  /**
   * Reads the file now. Resolves to what stops an acceptance, as `findStop`: `merged` if the file was merged during this
   * call. If the file cannot be read, the last relation is still valid.
   */
  check(): Promise<Stop | undefined> {
    const { basis } = this.#review;
    return this.#turns.run(async () => {
      const stop = this.#follow(await this.#options.read());
      if (this.#review.state !== 'pending') return undefined;
      return this.#conflict ?? (this.#review.basis > basis ? 'merged' : stop);
    });
  }

  /**
   * Adds both versions of conflicting lines to the text, with conflict markers. Resolves to how many are marked. Rejects as
   * `Review.mergeFile`, and with `DocumentError` if the file cannot be read.
   */
  markConflicts(): Promise<number> {
    return this.#turns.run(async () => {
      const file = await this.#options.read({ marksConflicts: true });
      if (file === undefined) throw new DocumentError('failed', 'The file cannot be read.');
      this.#options.flush?.();
      const conflicts = this.#review.mergeFile(file, { marksConflicts: true });
      this.#conflict = undefined;
      this.#didChange.fire();
      return conflicts;
    });
  }

  /** Takes the last merged change out of the text. Rejects with `HunkConflictError` if its lines were edited since. */
  undoMerge(): Promise<void> {
    return this.#review.inTurn(async () => {
      if (this.#merge === undefined) return;
      this.#options.flush?.();
      const { before, after } = this.#merge;
      const { merges } = this.#review;
      const newest = () => ({ base: after, mine: this.#review.content, theirs: before });
      const pause = this.#options.pausing?.() ?? (() => undefined);
      const preparing = merges.prepare(newest, pause);
      if (preparing !== undefined) await preparing;
      // The file was merged again meanwhile.
      if (this.#merge?.after !== after) return;
      this.#options.flush?.();
      const undone = finish(merges.merge(after, this.#review.content, before));
      if (!undone.ok) {
        throw new HunkConflictError(
          'The merge cannot be undone, because you edited the merged lines. Remove its changes by hand.',
        );
      }
      this.#merge = undefined;
      this.#review.edit(undone.text);
      this.#didChange.fire();
    });
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #follow(file: FileContent | undefined): Stop | undefined {
    const review = this.#review;
    if (file === undefined || this.#owned.isDisposed) return findStop(review, undefined);
    this.#options.flush?.();
    const [last, before] = [this.#conflict, review.content];
    const stop = findStop(review, file);
    this.#isText = file.kind === 'text';
    this.#conflict = stop === 'conflict' || stop === 'deleted' ? stop : undefined;
    if (stop === 'merged') this.#merge = { before, after: review.content };
    if (stop === 'merged' || this.#conflict !== last) this.#didChange.fire();
    return stop;
  }
}
