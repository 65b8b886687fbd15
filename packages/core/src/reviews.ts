import type { Clock } from './clock.js';
import { type Disposable, DisposableStore } from './disposable.js';
import { Emitter, type Event } from './event.js';
import { describeError, type Logger, logListenerError } from './logger.js';
import { isWithin } from './paths.js';
import type { Path } from './position.js';
import { type FileContent, onceDecided, type Proposal, Review, type WithdrawReason } from './review.js';

/** How many ended reviews are remembered, so that a person can still get at what they typed. */
const rememberedReviews = 100;
/** How many code units of text the remembered reviews may hold together; the oldest go first. */
const rememberedText = 64 * 1024 * 1024;

/** A proposal that could not be opened, or was taken back meanwhile. The message is fit for an agent to read. */
export class ProposalError extends Error {
  override readonly name = 'ProposalError';
}

export interface ReviewsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly folders: () => readonly Path[];
  /** Reads what lies at a path now. Rejects with a message an agent may read, for a folder say. */
  readonly readFile: (path: Path) => Promise<FileContent>;
  /** Shows a pending review; see `Editor.reviews.show`. */
  readonly show: (review: Review) => Promise<Disposable>;
}

/** A proposal on its way: its file is being read or its view opened. */
interface Opening {
  readonly session: string;
  readonly path: Path;
  withdrawn: WithdrawReason | undefined;
}

/** All reviews of a companion: those that wait for a person, and the last ones that ended. */
export class Reviews implements Disposable {
  readonly #options: ReviewsOptions;
  readonly #owned = new DisposableStore();
  readonly #pending = new Map<string, Review>();
  readonly #ended = new Map<string, Review>();
  readonly #opening = new Set<Opening>();
  readonly #didOpen: Emitter<Review>;
  readonly #didChange: Emitter<Review>;
  readonly #didDecide: Emitter<Review>;
  #lastId = 0;

  readonly onDidOpen: Event<Review>;
  /** A pending review's text or hunks changed. */
  readonly onDidChange: Event<Review>;
  readonly onDidDecide: Event<Review>;

  constructor(options: ReviewsOptions) {
    this.#options = options;
    const onError = logListenerError(options.logger, 'the reviews');
    this.#didOpen = this.#owned.add(new Emitter<Review>(onError));
    this.#didChange = this.#owned.add(new Emitter<Review>(onError));
    this.#didDecide = this.#owned.add(new Emitter<Review>(onError));
    this.onDidOpen = this.#didOpen.event;
    this.onDidChange = this.#didChange.event;
    this.onDidDecide = this.#didDecide.event;
  }

  /** Those that wait, the oldest first. */
  get pending(): readonly Review[] {
    return [...this.#pending.values()];
  }

  /** The last ones that ended, the oldest first. Their text is still there. */
  get ended(): readonly Review[] {
    return [...this.#ended.values()];
  }

  get(id: string): Review | undefined {
    return this.#pending.get(id) ?? this.#ended.get(id);
  }

  /** The pending review of one session for one path, spelled as it was proposed. */
  find(session: string, path: Path): Review | undefined {
    return this.pending.find((review) => review.proposal.session === session && review.proposal.path === path);
  }

  /**
   * Opens a review and shows it. A pending one of the same session for the same path is replaced and ends
   * withdrawn. Rejects with `ProposalError` when the file cannot be read, the view not be opened, or the proposal
   * was taken back meanwhile; then nothing is pending.
   */
  async propose(proposal: Proposal): Promise<Review> {
    this.#withdrawOpening(proposal.session, proposal.path, 'replaced');
    const opening: Opening = { session: proposal.session, path: proposal.path, withdrawn: undefined };
    this.#opening.add(opening);
    try {
      const original = await this.#read(proposal.path);
      this.#requireWanted(opening);
      const replaced = this.find(proposal.session, proposal.path);
      const edited = this.#editsToTakeAlong(proposal, replaced);
      const review = new Review(
        {
          id: String(++this.#lastId),
          proposal,
          original,
          isOutsideWorkspace: !this.#options.folders().some((folder) => isWithin(folder, proposal.path)),
          ...(edited !== undefined && { edited }),
        },
        this.#options,
      );
      replaced?.withdraw('replaced');
      this.#adopt(review);
      await this.#show(review);
      return review;
    } finally {
      this.#opening.delete(opening);
    }
  }

  /**
   * Takes back what one session proposed for one path, pending or still being opened. Returns the review that
   * this ended, if there was one.
   */
  withdraw(session: string, path: Path, reason: WithdrawReason): Review | undefined {
    this.#withdrawOpening(session, path, reason);
    const review = this.find(session, path);
    return review?.withdraw(reason) ? review : undefined;
  }

  /** Takes back everything that a session proposed. What the person edited stays readable in `ended`. */
  withdrawSession(session: string, reason: WithdrawReason): void {
    for (const opening of this.#opening) if (opening.session === session) opening.withdrawn ??= reason;
    for (const review of this.pending) if (review.proposal.session === session) review.withdraw(reason);
  }

  /** Withdraws everything, because the companion stops. */
  dispose(): void {
    for (const opening of this.#opening) opening.withdrawn ??= 'stopped';
    for (const review of this.pending) review.withdraw('stopped');
    this.#owned.dispose();
  }

  #adopt(review: Review): void {
    this.#pending.set(review.id, review);
    review.onDidChange(() => this.#didChange.fire(review));
    review.onDidDecide(() => {
      this.#pending.delete(review.id);
      this.#remember(review);
      this.#didDecide.fire(review);
    });
    this.#didOpen.fire(review);
  }

  async #show(review: Review): Promise<void> {
    try {
      const view = await this.#options.show(review);
      onceDecided(review, () => view.dispose());
    } catch (error) {
      this.#options.logger.warn('the editor could not show a review', {
        review: review.id,
        error: describeError(error),
      });
      review.withdraw('not-shown');
      throw new ProposalError(`The editor could not show the change to ${review.proposal.path}: ${describeError(error)}`, {
        cause: error,
      });
    }
  }

  async #read(path: Path): Promise<FileContent> {
    try {
      return await this.#options.readFile(path);
    } catch (error) {
      throw new ProposalError(`The change to ${path} cannot be reviewed: ${describeError(error)}`, { cause: error });
    }
  }

  #withdrawOpening(session: string, path: Path, reason: WithdrawReason): void {
    for (const opening of this.#opening) {
      if (opening.session === session && opening.path === path) opening.withdrawn ??= reason;
    }
  }

  #requireWanted(opening: Opening): void {
    if (this.#owned.isDisposed) opening.withdrawn ??= 'stopped';
    if (opening.withdrawn === undefined) return;
    throw new ProposalError(`The proposal for ${opening.path} was withdrawn (${opening.withdrawn}).`);
  }

  /**
   * An agent that proposes the very same again, after an interruption or by a second request, finds what the
   * person had made of it.
   */
  #editsToTakeAlong(proposal: Proposal, replaced: Review | undefined): string | undefined {
    const isSameFile = (review: Review): boolean =>
      review.proposal.agent === proposal.agent && review.proposal.path === proposal.path;
    const before = replaced ?? this.ended.findLast(isSameFile);
    if (before === undefined || !before.isEdited || before.proposal.content !== proposal.content) return undefined;
    const { outcome } = before;
    const wasInterrupted = outcome === undefined || (outcome.kind === 'withdrawn' && outcome.reason !== 'agent');
    return wasInterrupted ? before.content : undefined;
  }

  #remember(review: Review): void {
    this.#ended.set(review.id, review);
    let size = 0;
    for (const [position, ended] of [...this.#ended.values()].reverse().entries()) {
      size += ended.content.length + (ended.original.kind === 'text' ? ended.original.text.length : 0);
      const isLast = position === 0;
      if (!isLast && (position >= rememberedReviews || size > rememberedText)) this.#ended.delete(ended.id);
    }
  }
}
