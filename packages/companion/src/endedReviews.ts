import {
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
import { keyOf, type SavedReview, saveReview } from './savedReview.js';

/** Whether an agent has written what was accepted is not known for so long after its answer, in milliseconds. */
export const settlingMs = 20_000;

/**
 * The ended reviews of which something could still be missed: decisions that their agents may not have or may not have
 * carried out, and texts that a user typed into proposals which their agents took back. Whoever creates it disposes it.
 */
export class EndedReviews implements Disposable {
  /** One came or went for another reason than that its review ended or was answered. */
  readonly onDidChange: Event<void>;

  readonly #clock: Clock;
  readonly #reviews: Reviews;
  readonly #interrupted: InterruptedReviews;
  readonly #kept = new Set<Review>();
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;

  /** `interrupted` hears of the reviews first. */
  constructor(services: {
    readonly reviews: Reviews;
    readonly interrupted: InterruptedReviews;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#clock = services.clock;
    this.#reviews = services.reviews;
    this.#interrupted = services.interrupted;
    this.#didChange = this.#owned.add(new Emitter<void>(logListenerError(services.logger, 'ended reviews')));
    this.onDidChange = this.#didChange.event;
    const { onDidOpen, onDidDecide, onDidForget } = services.reviews;
    this.#owned.add(onDidOpen((review) => this.#leaveTextTo(review)));
    this.#owned.add(onDidDecide((review) => this.#decided(review)));
    this.#owned.add(onDidForget((review) => this.#forgotten(review)));
  }

  /** Accepted texts that their agents may not have written, and typed ones that were withdrawn; the oldest first. */
  get texts(): readonly SavedReview[] {
    return this.#all
      .filter(({ outcome }) => outcome?.kind !== 'rejected')
      .map((review) => this.#save(review));
  }

  /** Rejections that their agents have not had. */
  get rejected(): readonly SavedReview[] {
    return this.#all
      .filter(({ outcome }) => outcome?.kind === 'rejected')
      .map((review) => this.#save(review));
  }

  /**
   * The session is over: what was accepted in it, and may not be written, is offered to the user. Its agent takes no
   * answer any more, so that none of its decisions waits for that.
   */
  async endSession(session: string, files: InterruptedFiles): Promise<void> {
    const decided = this.#all.filter(
      ({ outcome, proposal }) => outcome?.kind !== 'withdrawn' && proposal.session === session,
    );
    const accepted = decided.filter(({ outcome }) => outcome?.kind === 'accepted');
    await files.keepUnheard(accepted.map((review) => this.#save(review)));
    this.#dropInterrupted();
    for (const review of decided) this.#reviews.noteAnswered(review);
  }

  /** Lets go of a typed text that was withdrawn: the user throws it away. `false` when it is not kept here. */
  discard(review: Review): boolean {
    const isKept = review.outcome?.kind === 'withdrawn' && this.#kept.delete(review);
    if (isKept) this.#didChange.fire();
    return isKept;
  }

  /** Lets typed texts go that their files hold by now. */
  async sweep(files: InterruptedFiles): Promise<void> {
    for (const review of this.#all) {
      if (review.outcome?.kind !== 'withdrawn') continue;
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
      isTold: this.#reviews.isAnswered(review),
    });
  }

  #decided(review: Review): void {
    if (review.outcome?.kind === 'withdrawn') {
      if (review.isEdited && !this.#interrupted.has(keyOf(review))) this.#kept.add(review);
      return;
    }
    for (const earlier of this.#kept) {
      if (earlier.outcome?.kind === 'withdrawn') continue;
      const { proposal } = earlier;
      if (isSuperseded({ ...proposal, proposed: proposal.content }, review.proposal))
        this.#kept.delete(earlier);
    }
    this.#interrupted.supersede(review.proposal);
    this.#kept.add(review);
  }

  /** A review that begins with what was typed into an earlier one goes on with it. */
  #leaveTextTo({ proposal, content, isEdited }: Review): void {
    if (!isEdited) return;
    for (const earlier of this.#kept) {
      const { agent, path } = earlier.proposal;
      const isSameFile = agent === proposal.agent && path === proposal.path;
      const isTaken = earlier.outcome?.kind === 'withdrawn' && isSameFile && earlier.content === content;
      if (isTaken) this.#kept.delete(earlier);
    }
  }

  /** What was typed is offered with the interrupted reviews from now on. */
  #forgotten(review: Review): void {
    if (review.outcome?.kind !== 'withdrawn' || !this.#kept.has(review)) return;
    this.#interrupted.add([this.#save(review)]);
    this.#kept.delete(review);
  }

  #dropInterrupted(): void {
    for (const review of this.#kept) if (this.#interrupted.has(keyOf(review))) this.#kept.delete(review);
  }
}
