import {
  type Disposable,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Review,
  toDisposable,
} from '@tandem/core';
import { FileWatches } from './fileWatches.js';
import { ShownReview } from './shownReview.js';

/** How many ended reviews stay at hand. */
const maxEnded = 30;
/** What was typed into a withdrawn one stays at hand among so many: then it is one of the interrupted reviews. */
const maxTyped = 100;
/** How many code units of text they may hold together; the newest stays in any case. */
const maxEndedText = 32 * 1024 * 1024;

/** The reviews in view, and the last ones that ended in it. Whoever creates it disposes it. */
export class ShownReviews implements Disposable {
  /** A review came, changed, ended or went. */
  readonly onDidChange: Event<void>;

  readonly #logger: Logger;
  readonly #didChange: Emitter<void>;
  readonly #watches: FileWatches;
  readonly #pending = new Map<Review, ShownReview>();
  /** The newest first. */
  #ended: readonly ShownReview[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
    this.#watches = new FileWatches(logger);
    this.#didChange = new Emitter<void>(logListenerError(logger, 'the reviews in view'));
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
    const shown = new ShownReview(review, { logger: this.#logger, watches: this.#watches });
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
    this.#watches.dispose();
    this.#didChange.dispose();
  }

  #end(shown: ShownReview): void {
    if (!this.#pending.delete(shown.review)) return;
    let size = 0;
    const kept: ShownReview[] = [];
    for (const [position, each] of [shown, ...this.#ended].entries()) {
      size += each.review.proposal.content.length + each.text.length;
      const isRecent = position < maxEnded && size <= maxEndedText;
      if (position === 0 || isRecent || (position < maxTyped && isTyped(each))) kept.push(each);
      else each.dispose();
    }
    this.#ended = kept;
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
