import {
  type Clock,
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Proposal,
  type Review,
  type ReviewEdits,
  type Reviews,
} from '@tandem/core';
import { isEdited, type SavedReview, saveReview } from './savedReview.js';

/** A proposal that nobody touched is offered for so long, in milliseconds. What somebody typed, until they decide. */
const untouchedForMs = 24 * 60 * 60_000;

/** A review that nobody waits for any more and nobody has decided. */
export interface InterruptedReview extends SavedReview {
  /** `i` and a number, which no waiting review has. */
  readonly id: string;
  readonly interruptedAt: number;
  /** It waited when the companion before ended: nobody has been told of it yet. */
  readonly isNew: boolean;
}

/**
 * The reviews that an end cut short: of the companion, by force or by power, or of an agent while a person was editing.
 * An agent that proposes the very same again takes what was typed along; until then a person can apply it to the file or
 * throw it away. Whoever creates it disposes it.
 */
export class InterruptedReviews implements Disposable {
  /** One came or went, or its text changed. */
  readonly onDidChange: Event<void>;

  readonly #clock: Clock;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;
  readonly #all = new Map<string, InterruptedReview>();
  /** Reviews that wait again with what such an entry held. */
  readonly #resumed = new WeakSet<Review>();
  #lastId = 0;

  constructor(services: { readonly clock: Clock; readonly logger: Logger }) {
    this.#clock = services.clock;
    const onError = logListenerError(services.logger, 'the interrupted reviews');
    this.#didChange = this.#owned.add(new Emitter<void>(onError));
    this.onDidChange = this.#didChange.event;
  }

  /** The oldest first. */
  get all(): readonly InterruptedReview[] {
    return [...this.#all.values()];
  }

  get(id: string): InterruptedReview | undefined {
    return this.#all.get(id);
  }

  /** Takes what a companion before has left, but for proposals as they were that are too old to be of use. */
  add(saved: Iterable<SavedReview>, isNew = false): void {
    const now = this.#clock.now();
    for (const review of saved) {
      // A clock that was set back makes it younger than it is, never older.
      const age = now - (review.interruptedAt ?? now);
      if ((isEdited(review) || age <= untouchedForMs) && !this.#has(review)) this.#put(review, isNew);
    }
    this.#didChange.fire();
  }

  /** Lets one go. `false` when there is none of this id. */
  remove(id: string): boolean {
    if (!this.#all.delete(id)) return false;
    this.#didChange.fire();
    return true;
  }

  /** A page holds a newer text of it than was written down. */
  update(id: string, content: string): void {
    const review = this.#all.get(id);
    if (review === undefined || review.content === content) return;
    this.#all.set(id, { ...review, content });
    this.#didChange.fire();
  }

  /** What a person had made of this very proposal. */
  editsFor(proposal: Proposal): ReviewEdits | undefined {
    return this.#findFor(proposal);
  }

  /** Gives entries to reviews that take their place, and takes them back when nobody waits for those either. */
  follow(reviews: Reviews): void {
    this.#owned.add(
      reviews.onDidOpen((review) => {
        const taken = this.#findFor(review.proposal);
        if (taken === undefined) return;
        this.#resumed.add(review);
        this.remove(taken.id);
      }),
    );
    this.#owned.add(
      reviews.onDidDecide((review) => {
        const { outcome } = review;
        if (outcome?.kind !== 'withdrawn' || outcome.reason === 'agent' || outcome.reason === 'replaced')
          return;
        if (!review.isEdited && !this.#resumed.has(review)) return;
        this.#put(saveReview(review, this.#clock.now()));
        this.#didChange.fire();
      }),
    );
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #findFor({ agent, path, content }: Proposal): InterruptedReview | undefined {
    return this.all.findLast(
      (review) => review.agent === agent && review.path === path && review.proposed === content,
    );
  }

  /** Two windows that started at once may have found the same. */
  #has({ agent, path, proposed, content }: SavedReview): boolean {
    const isSame = (each: InterruptedReview): boolean =>
      each.agent === agent && each.path === path && each.proposed === proposed && each.content === content;
    return this.all.some(isSame);
  }

  #put(saved: SavedReview, isNew = false): void {
    const id = `i${++this.#lastId}`;
    this.#all.set(id, { ...saved, id, interruptedAt: saved.interruptedAt ?? this.#clock.now(), isNew });
  }
}
