import {
  type Clock,
  type Disposable,
  DisposableStore,
  type Proposal,
  type Review,
  type Reviews,
} from '@tandem/core';
import type { InterruptedFiles } from './interruptedFiles.js';
import { correctionOf, type InterruptedReviews } from './interruptedReviews.js';
import { type InterruptedReview, type ReviewRecord, type ReviewRecords, savedOf } from './reviewRecords.js';
import { isUsersWork, keyOf, saveReview } from './savedReview.js';

/** The delays between checks of the files, in milliseconds. The last one is repeated. Agents write at once. */
const delaysMs = [100, 200, 400, 800, 1_500, 2_000] as const;

/** An accepted text that is not in its file after this time is an interrupted review, in milliseconds. */
const listedAfterMs = 5_000;

/**
 * When another accepted text for the same file contains this one, the file does not show which agent has written. After this
 * time, in milliseconds, both have.
 */
const settledAfterMs = 20_000;

/** An accepted review whose text its agent may not have written. */
interface Unwritten {
  readonly review: Review;
  /** How long its agent has had the answer, in milliseconds. */
  waitedMs: number;
}

/**
 * Keeps the records of decided reviews that could still lose something: rejections that their agents may not have received,
 * and accepted texts that their agents may not have written. A text that an agent does not write becomes an interrupted
 * review, which ends by itself when the file contains the text. The creator disposes it.
 */
export class EndedReviews implements Disposable {
  readonly #records: ReviewRecords;
  readonly #clock: Clock;
  readonly #reviews: Reviews;
  readonly #interrupted: InterruptedReviews;
  readonly #files: InterruptedFiles;
  /** In the order of their acceptance. */
  readonly #unwritten = new Map<Review, Unwritten>();
  readonly #owned = new DisposableStore();
  /** Since the last event, this many checks were scheduled. */
  #checks = 0;
  #timer: Disposable | undefined;
  #isChecking = false;

  /** `interrupted` must receive the events of the reviews first. */
  constructor(services: {
    readonly records: ReviewRecords;
    readonly reviews: Reviews;
    readonly interrupted: InterruptedReviews;
    readonly files: InterruptedFiles;
    readonly clock: Clock;
  }) {
    this.#records = services.records;
    this.#clock = services.clock;
    this.#reviews = services.reviews;
    this.#interrupted = services.interrupted;
    this.#files = services.files;
    const { onDidDecide, onDidAnswer } = services.reviews;
    this.#owned.add(onDidDecide((review) => this.#decided(review)));
    this.#owned.add(onDidAnswer((review) => this.#answered(review)));
    this.#owned.add(
      services.interrupted.onDidChange(() => {
        this.#settleGone();
        this.#schedule();
      }),
    );
  }

  /** An agent that repeats a proposal has not written it: its text is offered with the proposal. */
  offerAgain({ agent, path, content }: Proposal): void {
    for (const { review } of this.#unwritten.values()) {
      const { proposal } = review;
      const isSame = proposal.agent === agent && proposal.path === path && proposal.content === content;
      if (isSame && this.#reviews.isAnswered(review)) this.#list(review);
    }
  }

  /**
   * The session has ended: accepted texts that are not written are offered to the user. The agent can no longer receive an
   * answer, so its decisions are no longer pending delivery.
   */
  async endSession(session: string): Promise<void> {
    const isOf = ({ proposal }: Review): boolean => proposal.session === session;
    const accepted = [...this.#unwritten.keys()].filter(isOf);
    for (const review of accepted) {
      const record = this.#recordOf(review);
      const writing = record && (await this.#files.findWriting(record));
      if (this.#owned.isDisposed) return;
      if (!this.#unwritten.has(review)) continue;
      if (writing === 'written') this.#withdrawOffer(review);
      else this.#offer(review, writing === 'proposal');
      this.#settle(review);
    }
    const rejected = this.#reviews.ended.filter((review) => isOf(review) && review.state === 'rejected');
    for (const review of [...accepted, ...rejected]) this.#reviews.noteAnswered(review);
    for (const record of this.#records.in('rejected'))
      if (record.session === session && !record.isLeft) this.#records.delete(record.key);
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

  #decided(review: Review): void {
    const { outcome, proposal, decidedAt: interruptedAt = this.#clock.now() } = review;
    if (outcome?.kind !== 'withdrawn') {
      this.#interrupted.supersede(proposal);
      this.#settleGone();
    }
    if (outcome?.kind === 'rejected')
      this.#records.put({ ...saveReview(review, { interruptedAt }), state: 'rejected', isLeft: false });
    if (outcome?.kind === 'accepted') {
      const ending = { interruptedAt, isAccepted: true, isAnswered: this.#reviews.isAnswered(review) };
      this.#records.put({ ...saveReview(review, ending), state: 'accepted' });
      this.#unwritten.set(review, { review, waitedMs: 0 });
    }
    this.#checkSoon();
  }

  #answered(review: Review): void {
    const record = this.#recordOf(review);
    if (record?.state === 'rejected') this.#records.delete(record.key);
    if (record?.state === 'accepted') this.#records.put({ ...record, isAnswered: true });
    this.#checkSoon();
  }

  /** The user may have applied or discarded a text, or a later decision has superseded it. */
  #settleGone(): void {
    for (const review of this.#unwritten.keys())
      if (this.#recordOf(review) === undefined) this.#settle(review);
  }

  #checkSoon(): void {
    this.#checks = 0;
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isChecking || this.#owned.isDisposed) return;
    const isIdle = ![...this.#unwritten.keys()].some((review) => this.#reviews.isAnswered(review));
    if (isIdle && this.#offered.length === 0) return;
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
    for (const unwritten of this.#unwritten.values())
      if (this.#reviews.isAnswered(unwritten.review)) unwritten.waitedMs += delayMs;
    await this.#checkFiles();
    if (!this.#owned.isDisposed) await this.#files.sweep(this.#offered, { onlyChanged: true });
  }

  async #checkFiles(): Promise<void> {
    for (const unwritten of this.#unwritten.values()) {
      if (this.#reviews.isAnswered(unwritten.review)) await this.#checkFile(unwritten);
      if (this.#owned.isDisposed) return;
    }
  }

  async #checkFile(unwritten: Unwritten): Promise<void> {
    const { review, waitedMs } = unwritten;
    const record = this.#recordOf(review);
    const writing = record && (await this.#files.findWriting(record));
    if (this.#owned.isDisposed || !this.#unwritten.has(review)) return;
    if (writing === 'proposal') {
      this.#offer(review, true);
      this.#settle(review);
    } else if (writing === 'written') {
      this.#withdrawOffer(review);
      const sameFile = [...this.#unwritten.values()].filter(
        (each) => each.review.realPath === review.realPath,
      );
      // The agent of an earlier review may still write its text over this one.
      const isSettled = sameFile.length === 1 || (sameFile[0] === unwritten && waitedMs >= settledAfterMs);
      if (isSettled) this.#settle(review);
    } else if (waitedMs >= listedAfterMs) this.#list(review);
  }

  /** Interrupted reviews with the user's work. */
  get #offered(): readonly InterruptedReview[] {
    return this.#others.filter(isUsersWork);
  }

  /** Interrupted reviews that are not checked as accepted reviews. */
  get #others(): readonly InterruptedReview[] {
    const { all } = this.#interrupted;
    if (all.length === 0) return all;
    const checked = new Set([...this.#unwritten.keys()].map(keyOf));
    return all.filter(({ key }) => !checked.has(key));
  }

  #list(review: Review): void {
    if (this.#recordOf(review)?.state !== 'accepted') return;
    this.#offer(review, false);
    // The same text may have been offered already.
    if (this.#recordOf(review)?.state === 'accepted') this.#settle(review);
  }

  /** `isCorrection`: the agent has written its own text, and only the edits of the user are missing. */
  #offer(review: Review, isCorrection: boolean): void {
    const record = this.#recordOf(review);
    if (record === undefined) return;
    const saved = isCorrection ? correctionOf(record) : savedOf(record);
    if (record.state !== 'undelivered') this.#interrupted.add([saved]);
    else if (isCorrection) this.#interrupted.replace(record.id, saved);
  }

  #withdrawOffer(review: Review): void {
    const offer = this.#interrupted.find(keyOf(review));
    if (offer !== undefined) this.#interrupted.withdrawOffer(offer.id);
  }

  #settle(review: Review): void {
    const record = this.#recordOf(review);
    if (record?.state === 'accepted') this.#records.delete(record.key);
    this.#unwritten.delete(review);
    this.#reviews.noteSettled(review);
  }

  #recordOf(review: Review): ReviewRecord | undefined {
    return this.#records.get(keyOf(review));
  }
}
