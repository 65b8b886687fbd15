import {
  type Clock,
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
} from '@tandem/core';
import type { Companion } from '../companion.js';
import { settlingMs } from '../endedReviews.js';
import { keyOf } from '../savedReview.js';
import type { Journal } from './journal.js';

/** What changed is written when nothing has changed for so long, in milliseconds. */
const quietMs = 250;
/** It is written after this long at the latest: what is typed without a pause is not much older on the disk. */
const maxWaitMs = 1_000;
/** Agents and users wait no longer than this for what they are to know to be written down. */
const patienceMs = 2_000;
/** After a write that failed. */
const retryMs = 5_000;

/**
 * Keeps a companion's journal at what it would leave if it ended now. Time is only ever waited for, never compared: a
 * clock that jumps delays nothing. Whoever creates it disposes it.
 */
export class JournalWriter implements Disposable {
  /** `problemWith` has another answer for some review. */
  readonly onDidChange: Event<void>;

  readonly #companion: Companion;
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;
  #quiet: Disposable | undefined;
  #limit: Disposable | undefined;
  #settled: Disposable | undefined;
  /** How many changes there were; those up to `#taken` are written or being written, those up to `#tried` are done with. */
  #changes = 0;
  #taken = 0;
  #tried = 0;
  /** Who waits for so many of them. */
  #waiting: { readonly changes: number; readonly tell: () => void }[] = [];
  /** Keys of the reviews that changed since the last write began, and of those that it writes. */
  #unwritten = new Set<string>();
  #underWay: ReadonlySet<string> = new Set();
  #problems: ReadonlyMap<string, string> = new Map();
  #isFailing = false;
  /** The disk has not taken a write for longer than anybody waits for it. */
  #isStuck = false;
  #wasStuck = false;
  #isSoon = false;
  #writing = 0;
  #isDue = false;

  constructor(of: {
    readonly companion: Companion;
    readonly journal: Journal;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#companion = of.companion;
    this.#journal = of.journal;
    this.#clock = of.clock;
    this.#didChange = this.#owned.add(new Emitter<void>(logListenerError(of.logger, 'the journal')));
    this.onDidChange = this.#didChange.event;
    const { reviews, interrupted, ended, onEvent } = of.companion;
    const touch = (): void => this.#touch();
    this.#owned.add(onEvent(touch));
    this.#owned.add(interrupted.onDidChange(touch));
    this.#owned.add(ended.onDidChange(touch));
    this.#owned.add(
      reviews.onDidChange((review) => {
        this.#unwritten.add(keyOf(review));
        this.#touch();
      }),
    );
    for (const event of [reviews.onDidOpen, reviews.onDidDecide, reviews.onDidAnswer]) {
      this.#owned.add(
        event((review) => {
          this.#unwritten.add(keyOf(review));
          this.#writeSoon();
        }),
      );
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
    const saved = this.#companion.save();
    this.#underWay = new Set([...this.#underWay, ...this.#unwritten]);
    this.#unwritten = new Set();
    this.#writing += 1;
    const isWritten = await this.#journal.write(saved);
    this.#writing -= 1;
    if (this.#writing === 0) this.#underWay = new Set();
    this.#isStuck = false;
    this.#isFailing = !isWritten;
    this.#tried = Math.max(this.#tried, changes);
    this.#tellProblems();
    this.#tellWaiting(changes);
    if (this.#owned.isDisposed) return isWritten;
    if (this.#isDue) this.#writeWhenIdle();
    else if (!isWritten) this.#quiet ??= this.#clock.setTimeout(() => void this.write(), retryMs);
    return isWritten;
  }

  /**
   * Resolves when what is so now outlives the end of this process, or cannot be written. Nobody waits longer than two
   * seconds for a slow disk, and not at all while it has not taken what was written before. Never rejects.
   */
  async written(): Promise<void> {
    // Whoever tells us of a change may be in the middle of it.
    await Promise.resolve();
    const changes = this.#changes;
    if (this.#tried >= changes || this.#isStuck || this.#owned.isDisposed) return;
    await new Promise<void>((resolve) => {
      const limit = this.#clock.setTimeout(() => {
        this.#isStuck = this.#writing > 0;
        this.#tellProblems();
        resolve();
      }, patienceMs);
      const tell = (): void => {
        limit.dispose();
        resolve();
      };
      this.#waiting.push({ changes, tell });
      if (this.#taken < changes) this.#writeWhenIdle();
    });
  }

  /** Why the end of this process would lose a review as it is now; undefined while it would not. In a few words. */
  problemWith(key: string): string | undefined {
    const isLate = this.#isStuck && (this.#unwritten.has(key) || this.#underWay.has(key));
    return isLate ? 'the disk does not answer' : this.#problems.get(key);
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

  #tellProblems(): void {
    const before = this.#problems;
    this.#problems = new Map([...this.#journal.failed].map(([key, error]) => [key, reasonOf(error)]));
    if (before.size > 0 || this.#problems.size > 0 || this.#isStuck !== this.#wasStuck)
      this.#didChange.fire();
    this.#wasStuck = this.#isStuck;
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
}

/** Such as `no space left on device`: what the system says without its code, the call and the path. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /^E[A-Z]+: ([^,]+)/.exec(message)?.[1] ?? 'the journal cannot be written';
}
