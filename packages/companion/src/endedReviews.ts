import {
  areCommentsIn,
  type Clock,
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Review,
  type Reviews,
} from '@tandem/core';
import type { InterruptedFiles } from './interruptedFiles.js';
import { type InterruptedReviews, isSuperseded } from './interruptedReviews.js';
import { isCorrected, KeptCorrections } from './keptCorrections.js';
import { keyOf, type SavedReview, saveReview } from './savedReview.js';

/** For this many milliseconds after its answer, it is unknown whether an agent has written an accepted text. */
export const settlingMs = 20_000;

/**
 * Ended reviews that could still lose something: decisions that their agents may not have received or carried out, and
 * the user's edits to proposals that their agents withdrew. The creator disposes it.
 */
export class EndedReviews implements Disposable {
  /** A review was added or removed for a reason other than its end or its answer. */
  readonly onDidChange: Event<void>;

  readonly #clock: Clock;
  readonly #reviews: Reviews;
  readonly #interrupted: InterruptedReviews;
  readonly #corrections: KeptCorrections;
  readonly #kept = new Set<Review>();
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;

  /** `interrupted` must receive the events of the reviews first. */
  constructor(services: {
    readonly reviews: Reviews;
    readonly interrupted: InterruptedReviews;
    readonly files: InterruptedFiles;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#clock = services.clock;
    this.#reviews = services.reviews;
    this.#interrupted = services.interrupted;
    this.#didChange = this.#owned.add(new Emitter<void>(logListenerError(services.logger, 'ended reviews')));
    this.onDidChange = this.#didChange.event;
    this.#corrections = this.#owned.add(new KeptCorrections(services));
    const { onDidOpen, onDidDecide, onDidForget } = services.reviews;
    this.#owned.add(onDidOpen((review) => this.#passTextTo(review)));
    this.#owned.add(onDidDecide((review) => this.#decided(review)));
    this.#owned.add(onDidForget((review) => this.#forgotten(review)));
  }

  /** Accepted texts that their agents may not have written, and edited texts that were withdrawn; oldest first. */
  get texts(): readonly SavedReview[] {
    const texts = this.#all.filter(({ outcome }) => outcome?.kind !== 'rejected');
    return [...texts.map((review) => this.#save(review)), ...this.#corrections.texts];
  }

  /** Rejections that their agents have not received. */
  get rejected(): readonly SavedReview[] {
    return this.#all
      .filter(({ outcome }) => outcome?.kind === 'rejected')
      .map((review) => this.#save(review));
  }

  /**
   * The session has ended: accepted texts that may not have been written are offered to the user. The agent can
   * no longer receive an answer, so its decisions are no longer pending delivery.
   */
  async endSession(session: string, files: InterruptedFiles): Promise<void> {
    const decided = this.#all.filter(
      ({ outcome, proposal }) => outcome?.kind !== 'withdrawn' && proposal.session === session,
    );
    const accepted = decided.filter(({ outcome }) => outcome?.kind === 'accepted');
    await files.keepUndelivered(accepted.map((review) => this.#save(review)));
    this.#dropInterrupted();
    await this.#corrections.endSession(session);
    for (const review of decided) this.#reviews.noteAnswered(review);
  }

  /** Discards an edited text that was withdrawn. Returns `false` if it is not kept here. */
  discard(review: Review): boolean {
    const isKept = review.outcome?.kind === 'withdrawn' && this.#kept.delete(review);
    if (isKept) this.#didChange.fire();
    return isKept;
  }

  /** Removes edited texts that are already in their files, unless there are comments on them. */
  async sweep(files: InterruptedFiles): Promise<void> {
    for (const review of this.#all) {
      if (review.outcome?.kind !== 'withdrawn' || review.commentCount > 0) continue;
      const merge = await files.compare(this.#save(review)).catch(() => undefined);
      if (merge?.kind === 'applied' && this.#kept.delete(review)) this.#didChange.fire();
    }
  }

  dispose(): void {
    this.#owned.dispose();
  }

  get #all(): readonly Review[] {
    const now = this.#clock.now();
    for (const review of this.#kept) if (!this.#isOpenStill(review, now)) this.#kept.delete(review);
    return [...this.#kept];
  }

  #isOpenStill(review: Review, now: number): boolean {
    const { outcome, decidedAt = now } = review;
    if (outcome?.kind === 'withdrawn') return true;
    const isAnswered = this.#reviews.isAnswered(review);
    return !isAnswered || (outcome?.kind === 'accepted' && now - decidedAt < settlingMs);
  }

  #save(review: Review): SavedReview {
    const { decidedAt: interruptedAt = this.#clock.now(), outcome } = review;
    if (outcome?.kind !== 'accepted') return saveReview(review, { interruptedAt });
    return saveReview(review, {
      interruptedAt,
      isAccepted: true,
      isAnswered: this.#reviews.isAnswered(review),
    });
  }

  #decided(review: Review): void {
    if (review.outcome?.kind === 'withdrawn') {
      if (review.hasUsersText && !this.#interrupted.has(keyOf(review))) this.#kept.add(review);
      return;
    }
    for (const earlier of this.#kept) {
      if (earlier.outcome?.kind === 'withdrawn') continue;
      const { proposal } = earlier;
      if (isSuperseded({ ...proposal, proposed: proposal.content }, review.proposal))
        this.#kept.delete(earlier);
    }
    this.#interrupted.supersede(review.proposal);
    if (!isCorrected(review)) this.#kept.add(review);
  }

  /** Drops an earlier edited text when a new review continues with it. */
  #passTextTo({ proposal, content, comments, hasUsersText }: Review): void {
    if (!hasUsersText) return;
    for (const earlier of this.#kept) {
      const { agent, path } = earlier.proposal;
      const isSameFile = agent === proposal.agent && path === proposal.path;
      const isTextTaken = !earlier.isEdited || earlier.content === content;
      const isTaken = isTextTaken && areCommentsIn(earlier.comments, comments);
      if (earlier.outcome?.kind === 'withdrawn' && isSameFile && isTaken) this.#kept.delete(earlier);
    }
  }

  /** Moves an edited text to the interrupted reviews. */
  #forgotten(review: Review): void {
    if (review.outcome?.kind !== 'withdrawn' || !this.#kept.has(review)) return;
    this.#interrupted.add([this.#save(review)]);
    this.#kept.delete(review);
  }

  #dropInterrupted(): void {
    for (const review of this.#kept) if (this.#interrupted.has(keyOf(review))) this.#kept.delete(review);
  }
}
