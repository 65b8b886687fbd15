import {
  type Disposable,
  Emitter,
  type Event,
  findRemembered,
  logListenerError,
  type RememberLimits,
  type Review,
  toDisposable,
} from '@tandem/core';
import type { DocumentServices } from './openDocument.js';
import { ShownReview } from './shownReview.js';

/** What stays at hand of ended reviews. */
const remembered: RememberLimits = { reviews: 30, text: 16 * 1024 * 1024 };
/** What was typed into a withdrawn one stays at hand among so many: then it is one of the interrupted reviews. */
const maxTyped = 100;

/** The reviews in view, and the last ones that ended in it. Whoever creates it disposes it. */
export class ShownReviews implements Disposable {
  /** A review came, changed, ended or went. */
  readonly onDidChange: Event<void>;

  readonly #services: DocumentServices;
  readonly #didChange: Emitter<void>;
  readonly #pending = new Map<Review, ShownReview>();
  /** The newest first. */
  #ended: readonly ShownReview[] = [];

  constructor(services: DocumentServices) {
    this.#services = services;
    this.#didChange = new Emitter<void>(logListenerError(services.logger, 'the reviews in view'));
    this.onDidChange = this.#didChange.event;
  }

  /** Those that wait, in the order in which they came into view. */
  get pending(): readonly ShownReview[] {
    return [...this.#pending.values()];
  }

  get ended(): readonly ShownReview[] {
    return this.#ended;
  }

  find(id: string): ShownReview | undefined {
    return this.pending.find((shown) => shown.id === id) ?? this.#ended.find((shown) => shown.id === id);
  }

  /** Brings a review into view; disposing takes it out, unless it ended there. */
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
    const isKept = (each: ShownReview, position: number): boolean =>
      remembers.has(each.review) || (position < maxTyped && isTyped(each));
    for (const [position, each] of ended.entries()) if (!isKept(each, position)) each.dispose();
    this.#ended = ended.filter(isKept);
    this.#didChange.fire();
  }

  #remove(shown: ShownReview): void {
    if (!this.#pending.delete(shown.review)) return;
    shown.dispose();
    this.#didChange.fire();
  }
}

/** Whether it holds what somebody typed and nobody has decided on. */
function isTyped({ review }: ShownReview): boolean {
  return review.isEdited && review.state === 'withdrawn';
}
