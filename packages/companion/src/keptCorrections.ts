import { type Clock, type Disposable, DisposableStore, type Review, type Reviews } from '@tandem/core';
import { correctionOf, type InterruptedFiles } from './interruptedFiles.js';
import type { InterruptedReviews } from './interruptedReviews.js';
import { type SavedReview, saveReview } from './savedReview.js';

/** The delays between checks of the file, in milliseconds. Agents write it at once, but a loaded machine is slow. */
const retryDelaysMs = [100, 200, 400, 800, 1_500, 3_000, 6_000, 12_000];

interface Services {
  readonly reviews: Reviews;
  readonly interrupted: InterruptedReviews;
  readonly files: InterruptedFiles;
  readonly clock: Clock;
}

/**
 * The user's corrections in accepted reviews whose agents write their own text (`Proposal.writesOwnText`). When the agent
 * has written it, or has not done so in time, they become an interrupted review. The creator disposes it.
 */
export class KeptCorrections implements Disposable {
  readonly #services: Services;
  readonly #owned = new DisposableStore();
  readonly #waiting = new Set<Review>();

  constructor(services: Services) {
    this.#services = services;
    const { onDidDecide, onDidAnswer } = services.reviews;
    this.#owned.add(onDidDecide((review) => void (isCorrected(review) && this.#waiting.add(review))));
    this.#owned.add(onDidAnswer((review) => this.#scheduleCheck(review, 0)));
  }

  /** Those that are not interrupted reviews yet, for the journal. */
  get texts(): readonly SavedReview[] {
    return [...this.#waiting].map((review) => this.#save(review));
  }

  /** The agent writes nothing more. */
  async endSession(session: string): Promise<void> {
    const all = [...this.#waiting].filter(({ proposal }) => proposal.session === session);
    for (const review of all) await this.#check(review, true);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #scheduleCheck(review: Review, attempt: number): void {
    const wait = retryDelaysMs[attempt];
    if (wait === undefined || !this.#waiting.has(review) || this.#owned.isDisposed) return;
    const isLast = attempt === retryDelaysMs.length - 1;
    const timer = this.#services.clock.setTimeout(() => {
      void this.#check(review, isLast).then(() => this.#scheduleCheck(review, attempt + 1));
    }, wait);
    this.#owned.add(timer);
  }

  async #check(review: Review, isLast: boolean): Promise<void> {
    const { files, interrupted } = this.#services;
    const saved = this.#save(review);
    const isWritten = await files.isWritten(saved);
    if (!(isWritten || isLast) || !this.#waiting.has(review)) return;
    interrupted.add([isWritten ? correctionOf(saved) : saved]);
    this.#waiting.delete(review);
  }

  #save(review: Review): SavedReview {
    const { reviews, clock } = this.#services;
    return saveReview(review, {
      interruptedAt: review.decidedAt ?? clock.now(),
      isAccepted: true,
      isAnswered: reviews.isAnswered(review),
      writesOwnText: true,
    });
  }
}

/** Whether the user accepted a text that the agent will not write. */
export function isCorrected({ outcome, proposal }: Review): boolean {
  return outcome?.kind === 'accepted' && outcome.isEdited && proposal.writesOwnText === true;
}
