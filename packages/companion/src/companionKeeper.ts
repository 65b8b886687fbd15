import { type Clock, type Disposable, DisposableStore, type Logger } from '@tandem/core';
import type { Companion } from './companion.js';
import type { CompanionMemory } from './companionMemory.js';
import { settlingMs } from './savedCompanion.js';

/** What changed is written when nothing has changed for so long, in milliseconds. */
const quietMs = 250;
/** It is written after this long at the latest: what is typed without a pause is not much older on the disk. */
const maxWaitMs = 1_000;
/** An agent waits no longer than this for what it is told to be written down. */
const patienceMs = 1_000;
/** After a write that failed. */
const retryMs = 5_000;

/**
 * Keeps a companion's memory at what it would leave if it ended now. Time is only ever waited for, never compared: a
 * clock that jumps delays nothing. Whoever creates it disposes it.
 */
export class CompanionKeeper implements Disposable {
  readonly #companion: Companion;
  readonly #memory: CompanionMemory;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #owned = new DisposableStore();
  #quiet: Disposable | undefined;
  #limit: Disposable | undefined;
  #settled: Disposable | undefined;
  /** How many changes there were; those up to `#taken` are written or being written. */
  #changes = 0;
  #taken = 0;
  #written = 0;
  /** Who waits for so many of them to be written. */
  #waiting: { readonly changes: number; readonly tell: () => void }[] = [];
  #isFailing = false;
  #isSoon = false;
  #writing = 0;
  #isDue = false;
  #leftOut = 0;

  constructor(of: {
    readonly companion: Companion;
    readonly memory: CompanionMemory;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#companion = of.companion;
    this.#memory = of.memory;
    this.#clock = of.clock;
    this.#logger = of.logger;
    const { reviews, interrupted, onEvent } = of.companion;
    const touch = (): void => this.#touch();
    this.#owned.add(onEvent(touch));
    this.#owned.add(reviews.onDidChange(touch));
    this.#owned.add(interrupted.onDidChange(touch));
    for (const event of [reviews.onDidOpen, reviews.onDidDecide, reviews.onDidAnswer]) {
      this.#owned.add(event(() => this.#writeSoon()));
    }
    this.#owned.add(
      // By then an accepted text is in its file, and out of here.
      reviews.onDidDecide(() => {
        this.#settled?.dispose();
        this.#settled = this.#clock.setTimeout(touch, settlingMs + 1);
      }),
    );
  }

  /** Writes at once. Resolves to whether it stands on the disk. */
  async write(): Promise<boolean> {
    this.#stopWaiting();
    const changes = this.#changes;
    this.#taken = changes;
    const { saved, leftOut } = this.#companion.take();
    this.#tellLeftOut(leftOut);
    this.#writing += 1;
    const isWritten = await this.#memory.write(saved);
    this.#writing -= 1;
    this.#isFailing = !isWritten;
    if (isWritten) this.#written = Math.max(this.#written, changes);
    this.#tellWaiting(changes);
    if (this.#owned.isDisposed) return isWritten;
    if (this.#isDue) this.#writeWhenIdle();
    else if (!isWritten) this.#quiet ??= this.#clock.setTimeout(() => void this.write(), retryMs);
    return isWritten && leftOut === 0;
  }

  /**
   * Resolves when what is so now stands on the disk. Nobody waits for a disk that takes nothing, nor for one that is slow
   * longer than a second. Never rejects.
   */
  async written(): Promise<void> {
    // Whoever tells us of a change may be in the middle of it.
    await Promise.resolve();
    const changes = this.#changes;
    if (this.#written >= changes || this.#isFailing || this.#owned.isDisposed) return;
    await new Promise<void>((resolve) => {
      const limit = this.#clock.setTimeout(resolve, patienceMs);
      const tell = (): void => {
        limit.dispose();
        resolve();
      };
      this.#waiting.push({ changes, tell });
      if (this.#taken < changes) this.#writeWhenIdle();
    });
  }

  dispose(): void {
    this.#stopWaiting();
    this.#tellWaiting(this.#changes);
    this.#settled?.dispose();
    this.#owned.dispose();
  }

  #touch(): void {
    if (this.#owned.isDisposed) return;
    this.#changes += 1;
    const write = (): void => this.#writeWhenIdle();
    this.#quiet?.dispose();
    this.#quiet = this.#clock.setTimeout(write, quietMs);
    this.#limit ??= this.#clock.setTimeout(write, maxWaitMs);
  }

  #tellWaiting(changes: number): void {
    const isOver = (each: { readonly changes: number }): boolean => each.changes <= changes;
    for (const { tell } of this.#waiting.filter(isOver)) tell();
    this.#waiting = this.#waiting.filter((each) => !isOver(each));
  }

  /** At once, and after everything else that happens in this turn. */
  #writeSoon(): void {
    this.#changes += 1;
    if (this.#isSoon || this.#owned.isDisposed) return;
    this.#isSoon = true;
    queueMicrotask(() => {
      this.#isSoon = false;
      if (!this.#owned.isDisposed) this.#writeWhenIdle();
    });
  }

  /** A disk that is slower than we are has one write to do, and then the next. */
  #writeWhenIdle(): void {
    const isNew = this.#taken < this.#changes || this.#isFailing;
    this.#isDue = isNew && this.#writing > 0;
    if (isNew && !this.#isDue) void this.write();
  }

  #stopWaiting(): void {
    this.#quiet?.dispose();
    this.#limit?.dispose();
    this.#quiet = undefined;
    this.#limit = undefined;
  }

  #tellLeftOut(leftOut: number): void {
    if (leftOut > this.#leftOut) {
      this.#logger.warn('reviews are too large to be written down: a crash now would lose them', {
        reviews: leftOut,
      });
    }
    this.#leftOut = leftOut;
  }
}
