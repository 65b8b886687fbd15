import { type Disposable, Emitter, type Event, logListenerError, toDisposable } from '@tandem/core';
import { compareReviews, findRemembered, type RememberLimits, type Review } from '@tandem/reviews';
import type { FileServices } from './openDocument.js';
import { ShownReview } from './shownReview.js';

/** How many ended reviews are kept. */
const remembered: RememberLimits = { reviews: 30, text: 16 * 1024 * 1024 };
/** A withdrawn review with edits is kept among this many; later it is an interrupted review. */
const maxEdited = 100;

/** The pending reviews of the page, and recently ended ones. The creator disposes it. */
export class ShownReviews implements Disposable {
  /** A review was added, changed, ended or was removed. */
  readonly onDidChange: Event<void>;

  readonly #services: FileServices;
  readonly #didChange: Emitter<void>;
  readonly #pending = new Map<Review, ShownReview>();
  /** The newest first. */
  #ended: readonly ShownReview[] = [];

  constructor(services: FileServices) {
    this.#services = services;
    this.#didChange = new Emitter<void>(logListenerError(services.logger, 'the reviews in view'));
    this.onDidChange = this.#didChange.event;
  }

  /** The oldest first. */
  get pending(): readonly ShownReview[] {
    return [...this.#pending.values()].sort((one, other) => compareReviews(one.review, other.review));
  }

  get ended(): readonly ShownReview[] {
    return this.#ended;
  }

  find(id: string): ShownReview | undefined {
    return [...this.#pending.values(), ...this.#ended].find((shown) => shown.id === id);
  }

  /** Adds a review; disposing removes it, unless it has ended. */
  show(review: Review): Disposable {
    if (review.outcome !== undefined || this.#pending.has(review)) return toDisposable(() => {});
    const shown = new ShownReview(review, this.#services);
    this.#pending.set(review, shown);
    review.onDidChange(() => this.#didChange.fire());
    shown.file.onDidChange(() => this.#didChange.fire());
    review.onDidDecide(() => this.#end(shown));
    this.#didChange.fire();
    return toDisposable(() => this.#remove(shown));
  }

  /** Removes a decided review. */
  forget(review: Review): void {
    const shown = this.#ended.find((each) => each.review === review);
    if (shown === undefined || review.state === 'withdrawn') return;
    shown.dispose();
    this.#ended = this.#ended.filter((each) => each !== shown);
    this.#didChange.fire();
  }

  dispose(): void {
    for (const shown of [...this.#pending.values(), ...this.#ended]) shown.dispose();
    this.#pending.clear();
    this.#ended = [];
    this.#didChange.dispose();
  }

  #end(shown: ShownReview): void {
    if (!this.#pending.delete(shown.review)) return;
    const ended = [shown, ...this.#ended];
    const remembers = findRemembered(
      ended.map(({ review }) => review),
      remembered,
    );
    this.#ended = ended.filter((each, position) => {
      const isKept = remembers.has(each.review) || (position < maxEdited && isUsersAndWithdrawn(each));
      if (!isKept) each.dispose();
      return isKept;
    });
    this.#didChange.fire();
  }

  #remove(shown: ShownReview): void {
    if (!this.#pending.delete(shown.review)) return;
    shown.dispose();
    this.#didChange.fire();
  }
}

/** Whether it was withdrawn with edits or comments. */
function isUsersAndWithdrawn({ review }: ShownReview): boolean {
  return review.hasUsersText && review.state === 'withdrawn';
}
