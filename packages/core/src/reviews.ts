import type { Clock } from './clock.js';
import { type Disposable, DisposableStore } from './disposable.js';
import { Emitter, type Event } from './event.js';
import { inTime } from './inTime.js';
import { describeError, type Logger, logListenerError } from './logger.js';
import type { FileContent } from './mergeWithFile.js';
import { isWithin, pathParts } from './paths.js';
import type { Path } from './position.js';
import {
  defaultProposalLimits,
  ProposalGate,
  type ProposalLimits,
  type WaitingProposal,
} from './proposalLimits.js';
import { findRemembered, type RememberLimits } from './rememberedReviews.js';
import {
  type InterruptedEdits,
  type Outcome,
  onceDecided,
  type PathMarks,
  type Proposal,
  Review,
  type WithdrawReason,
} from './review.js';

/** What is remembered of ended reviews, so that a person can still get at what they typed. */
const remembered: RememberLimits = { reviews: 100, text: 64 * 1024 * 1024 };
/** How many sessions that are over are remembered, against a proposal of theirs that comes late. */
const rememberedSessions = 1000;
/** An editor that has not shown a review by then does not show it, and the agent is told. */
export const showLimitMs = 20_000;
/** The same for the file, which may lie on a disk that has gone away. */
const readLimitMs = 10_000;

/** A proposal that could not be opened, or was taken back meanwhile. The message is fit for an agent to read. */
export class ProposalError extends Error {
  override readonly name = 'ProposalError';
  /** Set when nothing failed: the proposal was taken back before it was a review. */
  readonly withdrawn?: WithdrawReason;
  constructor(message: string, options?: { readonly cause?: unknown; readonly withdrawn?: WithdrawReason }) {
    super(message, options);
    if (options?.withdrawn !== undefined) this.withdrawn = options.withdrawn;
  }
}

export interface ReviewsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly folders: () => readonly Path[];
  /** Reads what lies at a path now. Rejects with a message an agent may read, for a folder say. */
  readonly readFile: (path: Path) => Promise<FileContent>;
  /** Resolves links, to tell files outside the workspace by where they are; without it, by their spelling. */
  readonly realPath?: (path: Path) => Promise<Path>;
  /** Why a path is held back from an agent, in words for the user. Never rejects. Without it, none is. */
  readonly heldBack?: (agent: string, path: Path) => Promise<string | undefined>;
  /** Shows a pending review; see `Editor.reviews.show`. */
  readonly show: (review: Review) => Promise<Disposable>;
  /** How much agents may ask of the person at one time. */
  readonly limits?: Partial<ProposalLimits>;
  /**
   * What a person had made of the very same proposal in a review that was interrupted; whoever keeps it hears `onDidOpen`.
   * One that was decided is decided in the same way, and not shown again.
   */
  readonly interruptedEdits?: (proposal: Proposal, original: FileContent) => InterruptedEdits | undefined;
  /** Resolves when what is so now outlives a crash, or cannot in time. Never rejects. */
  readonly writeDown?: () => Promise<void>;
}

/** A proposal on its way: its file is being read. */
interface Opening extends WaitingProposal {
  withdrawn: WithdrawReason | undefined;
}

interface ReviewEvent {
  readonly kind: 'opened' | 'changed' | 'decided' | 'answered' | 'forgotten';
  readonly review: Review;
}

/** All reviews of a companion: those that wait for a person, and the last ones that ended. */
export class Reviews implements Disposable {
  readonly #options: ReviewsOptions;
  readonly #owned = new DisposableStore();
  readonly #pending = new Map<string, Review>();
  readonly #ended = new Map<string, Review>();
  readonly #opening = new Set<Opening>();
  /** Why each session that is over is over. */
  readonly #overSessions = new Map<string, WithdrawReason>();
  /** One for all events: nobody hears that a review was decided before hearing that it was opened. */
  readonly #didHappen: Emitter<ReviewEvent>;
  readonly #gate: ProposalGate;
  /** Decided ones of which a crash would ask for the decision again. */
  readonly #unconfirmed = new WeakSet<Review>();
  /** Those whose agents have their answers. */
  readonly #answered = new WeakSet<Review>();
  #lastId = 0;

  readonly onDidOpen: Event<Review> = (listener) => this.#on('opened', listener);
  /** A pending review's text or hunks changed. */
  readonly onDidChange: Event<Review> = (listener) => this.#on('changed', listener);
  readonly onDidDecide: Event<Review> = (listener) => this.#on('decided', listener);
  /** The agent of a decided review has its answer. */
  readonly onDidAnswer: Event<Review> = (listener) => this.#on('answered', listener);
  /** An ended review is no longer in `ended`. What was typed into it goes with it, unless a listener keeps it. */
  readonly onDidForget: Event<Review> = (listener) => this.#on('forgotten', listener);

  constructor(options: ReviewsOptions) {
    this.#options = options;
    this.#gate = new ProposalGate({ ...defaultProposalLimits, ...options.limits }, options.clock);
    this.#didHappen = this.#owned.add(new Emitter(logListenerError(options.logger, 'the reviews')));
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
    for (const review of this.#pending.values()) {
      if (review.proposal.session === session && review.proposal.path === path) return review;
    }
    return undefined;
  }

  /**
   * Opens a review and shows it. A pending one of the same session for the same path is replaced and ends
   * withdrawn. Resolves when the review is shown or has ended, whichever comes first: who awaits it asks `outcome`, as
   * `onceDecided` does. Rejects with `ProposalError` when too much waits already, the file cannot be read, the view not
   * be opened, or the proposal was taken back before there was a review; then nothing of it is pending.
   */
  async propose(proposal: Proposal): Promise<Review> {
    const { session, path } = proposal;
    const excess = this.#gate.findExcess(proposal, this.#waiting());
    if (excess !== undefined) throw new ProposalError(`The change to ${path} is refused: ${excess}`);
    this.#withdrawOpening(session, path, 'replaced');
    const size = proposal.content.length;
    const opening: Opening = { session, path, size, withdrawn: this.#overSessions.get(session) };
    this.#opening.add(opening);
    const review = await this.#open(proposal, opening).finally(() => this.#opening.delete(opening));
    await this.#show(review);
    return review;
  }

  /**
   * Resolves when what is so now outlives a crash, or cannot in time. An agent is answered only then: a crash in between
   * would ask the person once more for what they have decided. Never rejects.
   */
  async writtenDown(): Promise<void> {
    await this.#options.writeDown?.();
  }

  /** The agent was handed the answer to this review, or none is owed any more. */
  noteAnswered(review: Review): void {
    if (this.#answered.has(review)) return;
    this.#answered.add(review);
    this.#didHappen.fire({ kind: 'answered', review });
  }

  isAnswered(review: Review): boolean {
    return this.#answered.has(review);
  }

  /** Whether a crash would not ask for a decision again, as far as one can know. Nobody is told of it before. */
  isConfirmed(review: Review): boolean {
    return !this.#unconfirmed.has(review);
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

  /**
   * Takes back everything that a session proposed. What the person edited stays readable in `ended`. With the
   * reason `disconnected` or `stopped` the session is over: what it still proposes is refused.
   */
  withdrawSession(session: string, reason: WithdrawReason): void {
    if (reason === 'disconnected' || reason === 'stopped') this.#endSession(session, reason);
    for (const opening of this.#opening) if (opening.session === session) opening.withdrawn ??= reason;
    for (const review of this.pending) if (review.proposal.session === session) review.withdraw(reason);
  }

  /** Withdraws everything, because the companion stops. */
  dispose(): void {
    for (const opening of this.#opening) opening.withdrawn ??= 'stopped';
    for (const review of this.pending) review.withdraw('stopped');
    this.#owned.dispose();
  }

  *#waiting(): Iterable<WaitingProposal> {
    yield* this.#opening;
    for (const { proposal } of this.#pending.values()) {
      yield { session: proposal.session, path: proposal.path, size: proposal.content.length };
    }
  }

  async #open(proposal: Proposal, opening: Opening): Promise<Review> {
    const { session, path } = proposal;
    this.#requireWanted(opening);
    const [original, marks] = await this.#look(proposal);
    this.#requireWanted(opening);
    const replaced = this.find(session, path);
    const edits = this.#editsToTakeAlong(proposal, original, replaced);
    replaced?.withdraw('replaced');
    // Whoever heard of that may have taken this one back.
    this.#requireWanted(opening);
    const review = new Review(
      {
        id: String(++this.#lastId),
        proposal,
        original,
        ...marks,
        ...(edits !== undefined && { edits }),
      },
      this.#options,
    );
    this.#pending.set(review.id, review);
    review.onDidChange(() => this.#didHappen.fire({ kind: 'changed', review }));
    review.onDidDecide((outcome) => {
      if (outcome.kind !== 'withdrawn') void this.#confirm(review);
      this.#pending.delete(review.id);
      this.#remember(review);
      this.#didHappen.fire({ kind: 'decided', review });
    });
    this.#didHappen.fire({ kind: 'opened', review });
    // Whoever heard of that may have ended it; then this does nothing.
    if (edits?.decision === 'accepted') review.accept();
    if (edits?.decision === 'rejected') review.reject();
    return review;
  }

  /** Waits until the review is in view or has ended. Rejects when it ends because it cannot be shown. */
  async #show(review: Review): Promise<void> {
    if (review.outcome !== undefined) return;
    const waits = new DisposableStore();
    try {
      await new Promise<void>((resolve, reject) => {
        waits.add(onceDecided(review, () => resolve()));
        const giveUp = () => reject(new Error(`not shown within ${showLimitMs / 1000} seconds`));
        waits.add(this.#options.clock.setTimeout(giveUp, showLimitMs));
        this.#openView(review).then(resolve, reject);
      });
    } catch (error) {
      // A review that was decided meanwhile needs no view.
      if (!review.withdraw('not-shown')) return;
      throw new ProposalError(
        `The editor could not show the change to ${review.proposal.path}: ${messageOf(error)}`,
        {
          cause: error,
        },
      );
    } finally {
      waits.dispose();
    }
  }

  /** Opens the view, and closes it when the review has ended, however late it opened. */
  async #openView(review: Review): Promise<void> {
    const { logger } = this.#options;
    try {
      const view = await this.#options.show(review);
      onceDecided(review, (outcome) => void this.#closeView(view, outcome));
    } catch (error) {
      logger.warn('the editor failed to show a review', { review: review.id, error: describeError(error) });
      throw error;
    }
  }

  async #confirm(review: Review): Promise<void> {
    const { writeDown } = this.#options;
    if (writeDown === undefined) return;
    this.#unconfirmed.add(review);
    await writeDown();
    this.#unconfirmed.delete(review);
  }

  /** A view that closes says to the user that the decision stands: a crash must not ask for it again. */
  async #closeView(view: Disposable, outcome: Outcome): Promise<void> {
    const { writeDown } = this.#options;
    if (outcome.kind !== 'withdrawn' && writeDown !== undefined) await writeDown();
    view.dispose();
  }

  /** What lies at the path, and what to say of where that is. */
  async #look(proposal: Proposal): Promise<[FileContent, PathMarks]> {
    const { path } = proposal;
    const { clock, readFile } = this.#options;
    try {
      const found = Promise.all([readFile(path), this.#findMarks(proposal)]);
      return await inTime(clock, readLimitMs, found, 'The disk');
    } catch (error) {
      throw new ProposalError(`The change to ${path} cannot be reviewed: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  async #findMarks({ path, agent }: Proposal): Promise<PathMarks> {
    const options = this.#options;
    let [real, folders] = [path, options.folders()];
    try {
      const resolve = async (spelled: Path): Promise<Path> => (await options.realPath?.(spelled)) ?? spelled;
      [real, folders] = [await resolve(path), await Promise.all(folders.map(resolve))];
    } catch (error) {
      options.logger.warn('a path could not be resolved', { error: describeError(error) });
    }
    const heldBack = await options.heldBack?.(agent, path);
    return {
      isOutsideWorkspace: !folders.some((folder) => isWithin(folder, real)),
      isInGitFolder: [path, real].some((each) =>
        pathParts(each).some((part) => part.toLowerCase() === '.git'),
      ),
      ...(heldBack !== undefined && { heldBack }),
    };
  }

  #withdrawOpening(session: string, path: Path, reason: WithdrawReason): void {
    for (const opening of this.#opening) {
      if (opening.session === session && opening.path === path) opening.withdrawn ??= reason;
    }
  }

  #requireWanted(opening: Opening): void {
    if (this.#owned.isDisposed) opening.withdrawn ??= 'stopped';
    const { path, withdrawn } = opening;
    if (withdrawn === undefined) return;
    throw new ProposalError(`The proposal for ${path} was withdrawn (${withdrawn}).`, { withdrawn });
  }

  /**
   * An agent that proposes the very same again, after an interruption or by a second request, finds what the
   * person had made of it.
   */
  #editsToTakeAlong(
    proposal: Proposal,
    original: FileContent,
    replaced: Review | undefined,
  ): InterruptedEdits | undefined {
    const isSameProposal = (review: Review): boolean => review.proposal.content === proposal.content;
    if (replaced?.isEdited && isSameProposal(replaced)) return replaced;
    const interrupted = this.#options.interruptedEdits?.(proposal, original);
    if (interrupted !== undefined || replaced !== undefined) return interrupted;
    const isSameFile = (review: Review): boolean =>
      review.proposal.agent === proposal.agent && review.proposal.path === proposal.path;
    const before = this.ended.findLast(isSameFile);
    if (!before?.isEdited || !isSameProposal(before)) return undefined;
    const { outcome } = before;
    return outcome?.kind === 'withdrawn' && outcome.reason !== 'agent' ? before : undefined;
  }

  #remember(review: Review): void {
    this.#ended.set(review.id, review);
    const kept = findRemembered([...this.#ended.values()].reverse(), remembered);
    for (const ended of this.#ended.values()) {
      if (kept.has(ended)) continue;
      this.#ended.delete(ended.id);
      this.#didHappen.fire({ kind: 'forgotten', review: ended });
    }
  }

  #endSession(session: string, reason: WithdrawReason): void {
    this.#gate.forget(session);
    this.#overSessions.set(session, reason);
    const [oldest] = this.#overSessions.keys();
    if (oldest !== undefined && this.#overSessions.size > rememberedSessions)
      this.#overSessions.delete(oldest);
  }

  #on(kind: ReviewEvent['kind'], listener: (review: Review) => void): Disposable {
    return this.#didHappen.event((event) => {
      if (event.kind === kind) listener(event.review);
    });
  }
}

/** What was said for an agent to read, without the causes, which stay in the house. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
