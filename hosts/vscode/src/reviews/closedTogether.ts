import type { Clock, Disposable } from '@tandem/core';

/** Tabs that close within this time of each other are closed by one act of the user, such as "Close All". */
export const togetherMs = 300;

/** What the user closed in one act. */
export interface Closed<T> {
  readonly reviews: readonly T[];
  /** It was more than one tab, of whatever kind: the user has tidied up and decided nothing. */
  readonly isSeveral: boolean;
}

/** Finds out which tabs were closed together. VS Code reports each by itself. */
export class ClosedTogether<T> implements Disposable {
  readonly #clock: Clock;
  readonly #closed: (closed: Closed<T>) => void;
  readonly #reviews = new Set<T>();
  #tabs = 0;
  #wait: Disposable | undefined;

  constructor(clock: Clock, closed: (closed: Closed<T>) => void) {
    this.#clock = clock;
    this.#closed = closed;
  }

  /** A tab was closed: that of a review, or another. */
  add(review?: T): void {
    this.#tabs += 1;
    if (review !== undefined) this.#reviews.add(review);
    this.#wait?.dispose();
    this.#wait = this.#clock.setTimeout(() => this.#end(), togetherMs);
  }

  dispose(): void {
    this.#wait?.dispose();
  }

  #end(): void {
    const reviews = [...this.#reviews];
    const isSeveral = this.#tabs > 1;
    this.#reviews.clear();
    this.#tabs = 0;
    if (reviews.length > 0) this.#closed({ reviews, isSeveral });
  }
}
