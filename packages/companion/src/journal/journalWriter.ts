import {
  type Clock,
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  messageOf,
} from '@tandem/core';
import {
  type InterruptedReview,
  pendingRecord,
  type Review,
  type ReviewRecords,
  type Reviews,
} from '@tandem/reviews';
import type { CompanionEvent } from '../control/companionEvent.js';
import type { Journal } from './journal.js';
import type { CompanionState } from './journalContents.js';

/** Changes are written once none has followed for this many milliseconds. */
const quietMs = 250;
/** They are written after this many milliseconds at the latest, also while the user types without a pause. */
const maxDelayMs = 1_000;
/** Agents and users wait no longer than this for the journal, in milliseconds. */
const confirmLimitMs = 2_000;
/** The delay after a write that failed, in milliseconds. */
const retryMs = 5_000;

interface Services {
  readonly records: ReviewRecords;
  readonly reviews: Reviews;
  readonly onEvent: Event<CompanionEvent>;
  /** What the companion would leave besides its reviews if it ended now. */
  readonly state: () => CompanionState;
  /** Without a journal nothing is written. */
  readonly journal: Journal | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Keeps the journal of a companion up to date. It measures delays with timers and compares no times, so a clock that jumps
 * delays nothing. The creator stops it.
 */
export class JournalWriter {
  /** The result of `problemWith` changed for some review. */
  readonly onDidChange: Event<void>;

  readonly #services: Services;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;
  #isStarted = false;
  #quiet: Disposable | undefined;
  #limit: Disposable | undefined;
  /** Number of changes so far. Those up to `#taken` are written or being written; writes up to `#tried` have ended. */
  #changes = 0;
  #taken = 0;
  #tried = 0;
  /** Callers of `written`, each with the change that it waits for. */
  #waiting: { readonly changes: number; readonly resolve: () => void }[] = [];
  /** By their keys: the reviews that changed since the last write began, and those that it writes. */
  #unwritten = new Map<string, Review | undefined>();
  #underWay: ReadonlySet<string> = new Set();
  #problems: ReadonlyMap<string, string> = new Map();
  #isFailing = false;
  /** The disk has not completed a write within `confirmLimitMs`. */
  #isStuck = false;
  #wasStuck = false;
  #isSoon = false;
  #writing = 0;
  #isDue = false;

  constructor(services: Services) {
    this.#services = services;
    this.#didChange = this.#owned.add(new Emitter<void>(logListenerError(services.logger, 'the journal')));
    this.onDidChange = this.#didChange.event;
  }

  /** From now on, changes are written. */
  start(): void {
    const { journal, reviews, records, onEvent } = this.#services;
    if (journal === undefined || this.#owned.isDisposed) return;
    this.#isStarted = true;
    for (const key of [...journal.keys, ...records.keys]) this.#unwritten.set(key, undefined);
    for (const review of reviews.open) this.#unwritten.set(review.key, review);
    const touch = (): void => this.#touch();
    this.#owned.add(onEvent(touch));
    this.#owned.add(
      records.onDidChange((key) => {
        this.#unwritten.set(key, this.#unwritten.get(key));
        this.#touch();
      }),
    );
    this.#owned.add(
      reviews.onDidChange((review) => {
        this.#unwritten.set(review.key, review);
        this.#touch();
      }),
    );
    for (const event of [reviews.onDidOpen, reviews.onDidDecide, reviews.onDidAnswer]) {
      this.#owned.add(
        event((review) => {
          this.#unwritten.set(review.key, review);
          this.#writeSoon();
        }),
      );
    }
  }

  /** Writes the journal now. Resolves to whether all of it is on the disk: `false` without a journal. */
  async write(): Promise<boolean> {
    const { journal, state, clock } = this.#services;
    if (journal === undefined || !this.#isStarted) return false;
    this.#stopWaiting();
    const changes = this.#changes;
    this.#taken = changes;
    this.#underWay = new Set([...this.#underWay, ...this.#unwritten.keys()]);
    this.#pass(journal);
    this.#writing += 1;
    const isWritten = await journal.write(state());
    this.#writing -= 1;
    if (this.#writing === 0) this.#underWay = new Set();
    this.#isStuck = false;
    this.#isFailing = !isWritten;
    this.#tried = Math.max(this.#tried, changes);
    this.#updateProblems(journal);
    this.#resolveWaiting(changes);
    if (this.#owned.isDisposed) return isWritten;
    if (this.#isDue) this.#writeWhenIdle();
    else if (!isWritten) this.#quiet ??= clock.setTimeout(() => void this.write(), retryMs);
    return isWritten;
  }

  /**
   * Resolves when the state is saved, or cannot be saved: after two seconds on a slow disk, and at once while the
   * disk has not completed an earlier write. Never rejects.
   */
  async written(): Promise<void> {
    const { journal, clock } = this.#services;
    // The caller may be in the middle of a change.
    await Promise.resolve();
    const changes = this.#changes;
    if (journal === undefined || !this.#isStarted) return;
    if (this.#tried >= changes || this.#isStuck || this.#owned.isDisposed) return;
    await new Promise<void>((resolve) => {
      const limit = clock.setTimeout(() => {
        this.#isStuck = this.#writing > 0;
        this.#updateProblems(journal);
        resolve();
      }, confirmLimitMs);
      const finish = (): void => {
        limit.dispose();
        resolve();
      };
      this.#waiting.push({ changes, resolve: finish });
      if (this.#taken < changes) this.#writeWhenIdle();
    });
  }

  /**
   * Why a crash now would lose a review and the user's edits, in a few words; undefined while the journal has them. A write
   * that is under way counts as done.
   */
  problemWith(review: Review | InterruptedReview): string | undefined {
    if (this.#services.journal === undefined) {
      // By its shape: it may be of another copy of the class.
      return 'proposal' in review && review.outcome !== undefined ? undefined : 'there is no journal';
    }
    if (!this.#isStuck && this.#problems.size === 0) return undefined;
    const { key } = review;
    const isLate = this.#isStuck && (this.#unwritten.has(key) || this.#underWay.has(key));
    return isLate ? 'the disk does not answer' : this.#problems.get(key);
  }

  /**
   * Stops writing. The returned function writes the contents of this moment, marked as the end of the companion, and
   * closes the journal. Call it when no socket is open.
   */
  stop(): () => Promise<void> {
    const { journal, reviews, state } = this.#services;
    const last = this.#isStarted ? state() : undefined;
    if (journal !== undefined && last !== undefined) {
      for (const review of reviews.open) this.#unwritten.set(review.key, review);
      this.#pass(journal);
    }
    this.#stopWaiting();
    this.#resolveWaiting(this.#changes);
    this.#owned.dispose();
    return async () => {
      if (last !== undefined) await journal?.write(last, { hasEnded: true });
      journal?.close();
    };
  }

  /** Gives the journal the present state of the reviews that changed. */
  #pass(journal: Journal): void {
    const { records } = this.#services;
    for (const [key, review] of this.#unwritten) {
      const record = records.get(key) ?? (review?.state === 'pending' ? pendingRecord(review) : undefined);
      if (record === undefined) journal.delete(key);
      else journal.put(record);
    }
    this.#unwritten.clear();
  }

  #touch(): void {
    if (this.#owned.isDisposed) return;
    this.#changes += 1;
    const write = (): void => this.#writeWhenIdle();
    this.#quiet?.dispose();
    const { clock } = this.#services;
    this.#quiet = clock.setTimeout(write, quietMs);
    this.#limit ??= clock.setTimeout(write, maxDelayMs);
  }

  #resolveWaiting(changes: number): void {
    const isOver = (each: { readonly changes: number }): boolean => each.changes <= changes;
    for (const { resolve } of this.#waiting.filter(isOver)) resolve();
    this.#waiting = this.#waiting.filter((each) => !isOver(each));
  }

  #updateProblems(journal: Journal): void {
    const before = this.#problems;
    this.#problems = new Map([...journal.failed].map(([key, error]) => [key, reasonOf(error)]));
    if (before.size > 0 || this.#problems.size > 0 || this.#isStuck !== this.#wasStuck)
      this.#didChange.fire();
    this.#wasStuck = this.#isStuck;
  }

  /** Writes in a microtask, after the synchronous work in progress. */
  #writeSoon(): void {
    this.#changes += 1;
    if (this.#isSoon || this.#owned.isDisposed) return;
    this.#isSoon = true;
    queueMicrotask(() => {
      this.#isSoon = false;
      if (!this.#owned.isDisposed) this.#writeWhenIdle();
    });
  }

  /** One write at a time: on a slow disk, the next one starts when it ends. */
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

/** Such as `no space left on device`: the system's message without code, call and path. */
function reasonOf(error: unknown): string {
  return /^E[A-Z]+: ([^,]+)/.exec(messageOf(error))?.[1] ?? 'the journal cannot be written';
}
