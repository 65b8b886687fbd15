import { type Clock, type Disposable, DisposableStore } from '@tandem/core';
import {
  type InterruptedReview,
  isUsersWork,
  type Proposal,
  type Review,
  type ReviewStates,
  type Reviews,
  type Writing,
} from '@tandem/reviews';
import type { InterruptedFiles } from './interruptedFiles.js';

/** The delays between checks of the files, in milliseconds. The last one is repeated. Agents write at once. */
const delaysMs = [100, 200, 400, 800, 1_500, 2_000] as const;

/** An accepted text that is not in its file after this time is an interrupted review, in milliseconds. */
const listedAfterMs = 5_000;

/**
 * When another accepted text for the same file contains this one, the file does not show which agent has written. After this
 * time, in milliseconds, both have.
 */
const settledAfterMs = 20_000;

/**
 * Watches whether agents write accepted texts. A text that an agent does not write becomes an interrupted review, which ends
 * by itself when the file contains the text. The creator disposes it.
 */
export class EndedReviews implements Disposable {
  readonly #clock: Clock;
  readonly #reviews: Reviews;
  readonly #states: ReviewStates;
  readonly #files: InterruptedFiles;
  /** How long the agent of an accepted review has had the answer, in milliseconds. */
  readonly #waitedMs = new WeakMap<Review, number>();
  readonly #owned = new DisposableStore();
  /** Since the last event, this many checks were scheduled. */
  #checks = 0;
  #timer: Disposable | undefined;
  #isChecking = false;

  /** `states` must receive the events of the reviews first. */
  constructor(services: {
    readonly reviews: Reviews;
    readonly states: ReviewStates;
    readonly files: InterruptedFiles;
    readonly clock: Clock;
  }) {
    this.#clock = services.clock;
    this.#reviews = services.reviews;
    this.#states = services.states;
    this.#files = services.files;
    const { onDidDecide, onDidAnswer } = services.reviews;
    this.#owned.add(
      onDidDecide(() => {
        this.#settleGone();
        this.#checkSoon();
      }),
    );
    this.#owned.add(onDidAnswer(() => this.#checkSoon()));
    this.#owned.add(
      services.states.onDidChange(() => {
        this.#settleGone();
        this.#schedule();
      }),
    );
  }

  /** An agent that repeats a proposal has not written it: its text is offered with the proposal. */
  offerAgain({ agent, path, content }: Proposal): void {
    for (const review of this.#answered) {
      const { proposal } = review;
      const isSame = proposal.agent === agent && proposal.path === path && proposal.content === content;
      if (isSame) this.#note(review, 'unwritten');
    }
  }

  /**
   * The session has ended: accepted texts that are not written are offered to the user. The agent can no longer receive an
   * answer, so its decisions are no longer pending delivery.
   */
  async endSession(session: string): Promise<void> {
    const isOf = ({ proposal }: Review): boolean => proposal.session === session;
    const accepted = this.#reviews.unwritten.filter(isOf);
    for (const review of accepted) {
      const writing = await this.#findWriting(review);
      if (this.#owned.isDisposed) return;
      if (!this.#isUnwritten(review)) continue;
      this.#note(review, writing ?? 'unwritten');
      this.#settle(review);
    }
    const rejected = this.#reviews.ended.filter((review) => isOf(review) && review.state === 'rejected');
    for (const review of [...accepted, ...rejected]) this.#reviews.noteAnswered(review);
    this.#states.endSession(session);
  }

  /** Checks all files now. Never rejects. */
  async sweep(): Promise<void> {
    await this.#checkFiles();
    if (!this.#owned.isDisposed) await this.#files.sweep(this.#others);
  }

  dispose(): void {
    this.#owned.dispose();
    this.#timer?.dispose();
  }

  /** Accepted reviews whose agents have the answer and may not have written the text, in the order of their acceptance. */
  get #answered(): readonly Review[] {
    return this.#reviews.unwritten.filter((review) => review.isAnswered);
  }

  #isUnwritten(review: Review): boolean {
    return this.#reviews.unwritten.includes(review);
  }

  /** The user may have applied or discarded a text, or a later decision has superseded it. */
  #settleGone(): void {
    for (const review of this.#reviews.unwritten)
      if (this.#states.recordOf(review) === undefined) this.#settle(review);
  }

  #checkSoon(): void {
    this.#checks = 0;
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isChecking || this.#owned.isDisposed) return;
    if (this.#answered.length === 0 && this.#offered.length === 0) return;
    const delay = delaysMs[this.#checks] ?? delaysMs[delaysMs.length - 1] ?? 0;
    this.#checks += 1;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#isChecking = true;
      void this.#check(delay).finally(() => {
        this.#isChecking = false;
        this.#schedule();
      });
    }, delay);
  }

  async #check(delayMs: number): Promise<void> {
    for (const review of this.#answered) this.#waitedMs.set(review, this.#waited(review) + delayMs);
    await this.#checkFiles();
    if (!this.#owned.isDisposed) await this.#files.sweep(this.#offered, { onlyChanged: true });
  }

  async #checkFiles(): Promise<void> {
    for (const review of this.#answered) {
      await this.#checkFile(review);
      if (this.#owned.isDisposed) return;
    }
  }

  #waited(review: Review): number {
    return this.#waitedMs.get(review) ?? 0;
  }

  async #checkFile(review: Review): Promise<void> {
    const waitedMs = this.#waited(review);
    const writing = await this.#findWriting(review);
    if (this.#owned.isDisposed || !this.#isUnwritten(review)) return;
    if (writing === 'proposal') {
      this.#note(review, writing);
      this.#settle(review);
    } else if (writing === 'written') {
      this.#note(review, writing);
      const sameFile = this.#reviews.unwritten.filter(({ realPath }) => realPath === review.realPath);
      // The agent of an earlier review may still write its text over this one.
      const isSettled = sameFile.length === 1 || (sameFile[0] === review && waitedMs >= settledAfterMs);
      if (isSettled) this.#settle(review);
    } else if (waitedMs >= listedAfterMs) this.#note(review, 'unwritten');
  }

  /** Interrupted reviews with the user's work. */
  get #offered(): readonly InterruptedReview[] {
    return this.#others.filter(isUsersWork);
  }

  /** Interrupted reviews that are not checked as accepted reviews. */
  get #others(): readonly InterruptedReview[] {
    const { all } = this.#states;
    if (all.length === 0) return all;
    const checked = new Set(this.#reviews.unwritten.map(({ key }) => key));
    return all.filter(({ key }) => !checked.has(key));
  }

  async #findWriting(review: Review): Promise<Writing | undefined> {
    const record = this.#states.recordOf(review);
    return record && (await this.#files.findWriting(record));
  }

  /** Offers what the file shows to be missing of an accepted text. */
  #note(review: Review, writing: Writing): void {
    const record = this.#states.recordOf(review);
    if (writing === 'written') this.#states.withdrawOffer(review);
    else if (writing === 'unwritten') this.#states.offer(review);
    else if (record !== undefined) this.#states.correct(record);
    this.#settleGone();
  }

  #settle(review: Review): void {
    this.#states.settle(review);
    this.#reviews.noteSettled(review);
  }
}
