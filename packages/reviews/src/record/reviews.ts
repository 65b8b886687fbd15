import {
  type Clock,
  type Disposable,
  DisposableStore,
  describeError,
  Emitter,
  type Event,
  logListenerError,
  looksRemote,
  messageOf,
  type Path,
  withTimeout,
} from '@tandem/core';
import { inFileFormInSteps } from '../text/documentText.js';
import { KnownResults } from '../text/knownResults.js';
import { encodingOf, type FileContent, isSameContent, textOf } from '../text/mergeWithFile.js';
import type { Steps } from '../text/steps.js';
import { findWritingInSteps, type Writing } from '../text/writtenText.js';
import { findMarks, type MarkServices, type PathMarks } from './pathMarks.js';
import { isSameProposal, type Outcome, type Proposal, type WithdrawReason } from './proposal.js';
import {
  defaultProposalLimits,
  type PendingProposal,
  ProposalGate,
  type ProposalLimits,
} from './proposalLimits.js';
import { findRemembered, type RememberLimits } from './rememberedReviews.js';
import { onceDecided, Review } from './review.js';
import type { InterruptedEdits } from './savedReview.js';

/** The number of ended reviews that stay available, so that users can still recover their text. */
const remembered: RememberLimits = { reviews: 100, text: 64 * 1024 * 1024 };
/** How many ended sessions are remembered, to refuse a proposal of theirs that arrives late. */
const rememberedSessions = 1000;
/** For so many accepted reviews it is remembered whether their text is in the file. */
const rememberedWritings = 4;
/** An editor has this long to show a review. After that the agent receives an error. */
export const showLimitMs = 20_000;
/** The limit for reading the file, which may be on a disk that no longer responds. */
const readLimitMs = 10_000;

/** A proposal that could not be opened, or was withdrawn meanwhile. An agent may read the message. */
export class ProposalError extends Error {
  override readonly name = 'ProposalError';
  /** Set when nothing failed: the proposal was withdrawn before it became a review. */
  readonly withdrawn?: WithdrawReason;
  constructor(message: string, options?: { readonly cause?: unknown; readonly withdrawn?: WithdrawReason }) {
    super(message, options);
    if (options?.withdrawn !== undefined) this.withdrawn = options.withdrawn;
  }
}

/** What `Reviews` needs from the companion. */
export interface ReviewsOptions extends MarkServices {
  readonly clock: Clock;
  /** Reads the current content at a path. Rejects with a message that an agent may read, for example for a folder. */
  readonly readFile: (path: Path) => Promise<FileContent>;
  /** Shows a pending review; see `Editor.reviews.show`. */
  readonly show: (review: Review) => Promise<Disposable>;
  /** Limits on what agents may propose at one time. */
  readonly limits?: Partial<ProposalLimits>;
  /**
   * The user's edits in an interrupted review of the very same proposal. The owner of the stored edits listens to
   * `onDidOpen`. A review that was already decided gets the same decision and is not shown again.
   */
  readonly interruptedEdits?: (proposal: Proposal, original: FileContent) => InterruptedEdits | undefined;
  /** Resolves when the current state survives a crash, or cannot be stored in time. Never rejects. */
  readonly persist?: () => Promise<void>;
}

/** A proposal that is being opened: its file is being read. */
interface Opening extends PendingProposal {
  withdrawn: WithdrawReason | undefined;
}

interface ReviewEvent {
  readonly kind: 'opened' | 'changed' | 'decided' | 'answered' | 'forgotten';
  readonly review: Review;
}

/**
 * Sorts reviews as every view lists them: the oldest first. After a restart, agents offer their proposals again in any order,
 * and each review keeps its number.
 */
export function compareReviews(one: Pick<Review, 'id'>, other: Pick<Review, 'id'>): number {
  return Number(one.id) - Number(other.id);
}

/** All reviews of a companion: the pending ones, and the last ones that ended. */
export class Reviews implements Disposable {
  readonly #options: ReviewsOptions;
  readonly #owned = new DisposableStore();
  readonly #pending = new Map<string, Review>();
  readonly #ended = new Map<string, Review>();
  readonly #opening = new Set<Opening>();
  /** Why each ended session ended. */
  readonly #endedSessions = new Map<string, WithdrawReason>();
  /** One emitter for all events: no listener receives `decided` of a review before `opened`. */
  readonly #didHappen: Emitter<ReviewEvent>;
  readonly #gate: ProposalGate;
  /** See `unwritten`. */
  readonly #unwritten = new Set<Review>();
  /** Which of them are in their files. */
  readonly #writings = new KnownResults<ToWrite, { readonly text: string; readonly writing: Writing }>(
    findToWrite,
    (one, other) => one.review === other.review && isSameContent(one.file, other.file),
    rememberedWritings,
  );
  #isWithdrawingMany = false;
  #lastId = 0;

  readonly onDidOpen: Event<Review> = (listener) => this.#on('opened', listener);
  /** A pending review's text or hunks changed. */
  readonly onDidChange: Event<Review> = (listener) => this.#on('changed', listener);
  readonly onDidDecide: Event<Review> = (listener) => this.#on('decided', listener);
  /** The agent of a decided review has its answer. */
  readonly onDidAnswer: Event<Review> = (listener) => this.#on('answered', listener);
  /** A review is no longer in `ended`. Its edits are lost unless a listener keeps them. */
  readonly onDidForget: Event<Review> = (listener) => this.#on('forgotten', listener);

  constructor(options: ReviewsOptions) {
    this.#options = options;
    this.#gate = new ProposalGate({ ...defaultProposalLimits, ...options.limits }, options.clock);
    this.#didHappen = this.#owned.add(new Emitter(logListenerError(options.logger, 'the reviews')));
  }

  /** Later reviews have greater numbers than this one. */
  countFrom(number: number): void {
    this.#lastId = Math.max(this.#lastId, number);
  }

  /** A number that no review has had. */
  newNumber(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }

  /** Those for which an agent waits. */
  get open(): readonly Review[] {
    return [...this.#pending.values()];
  }

  /** Pending reviews as views list them, the oldest first. */
  get pending(): readonly Review[] {
    return this.open.toSorted(compareReviews);
  }

  /** Those for which one session waits. */
  ofSession(session: string): readonly Review[] {
    return this.open.filter(({ proposal }) => proposal.session === session);
  }

  /** The last reviews that ended, the oldest first. Their text is still available. */
  get ended(): readonly Review[] {
    return [...this.#ended.values()];
  }

  get(id: string): Review | undefined {
    return this.#pending.get(id) ?? this.#ended.get(id);
  }

  /** The pending review of one session for one path, spelled as it was proposed. */
  find(session: string, path: Path): Review | undefined {
    return this.ofSession(session).find(({ proposal }) => proposal.path === path);
  }

  /**
   * Opens a review and shows it. Withdraws a pending review of the same session for the same path. Resolves when the
   * review is shown or has ended, whichever comes first: callers check `outcome`, as `onceDecided` does. Rejects with
   * `ProposalError` when too much is pending already, an editor may take the path for a remote file, the file cannot be
   * read, the view cannot be opened, or the proposal was withdrawn before the review existed. If it rejects, no review remains.
   */
  async propose(proposal: Proposal): Promise<Review> {
    const { session, path } = proposal;
    const excess = this.#gate.findExcess(proposal, this.#allPending());
    if (excess !== undefined) throw new ProposalError(`The change to ${path} is refused: ${excess}`);
    if (looksRemote(path)) {
      throw new ProposalError(
        `The change to ${path} is refused: its first folder contains a colon, as the names of remote files do in some editors. Propose it under another path.`,
      );
    }
    this.#withdrawOpening(session, path, 'replaced');
    const size = proposal.content.length;
    const opening: Opening = { session, path, size, withdrawn: this.#endedSessions.get(session) };
    this.#opening.add(opening);
    const review = await this.#open(proposal, opening).finally(() => this.#opening.delete(opening));
    await this.#show(review);
    return review;
  }

  /**
   * Resolves when the current state survives a crash, or cannot be stored in time. Agents are answered only after that:
   * a crash in between would ask the user again for a decision already made. Never rejects.
   */
  async persisted(): Promise<void> {
    await this.#options.persist?.();
  }

  /** The facts about a path now. */
  findMarks(of: {
    readonly path: Path;
    readonly agent: string;
  }): Promise<PathMarks & { readonly realPath: Path }> {
    return findMarks(of, this.#options);
  }

  /** Records that the agent received the answer to this review, or no longer expects one. */
  noteAnswered(review: Review): void {
    if (review.noteAnswered()) this.#didHappen.fire({ kind: 'answered', review });
  }

  /**
   * Accepted reviews whose agents may still write the text, in the order of their acceptance. Each stays until
   * `noteSettled`. For other reviews of the same file, their texts count as written (`Review.expect`).
   */
  get unwritten(): readonly Review[] {
    return [...this.#unwritten];
  }

  /** Records that the agent has written the accepted text, or will not write it any more. */
  noteSettled(review: Review): void {
    this.#unwritten.delete(review);
    this.#writings.forget();
  }

  /**
   * Withdraws the proposal of one session for one path, pending or still being opened. Returns the review that this
   * ended, if there was one.
   */
  withdraw(session: string, path: Path, reason: WithdrawReason): Review | undefined {
    this.#withdrawOpening(session, path, reason);
    const review = this.find(session, path);
    return review?.withdraw(reason) ? review : undefined;
  }

  /**
   * Withdraws everything that a session proposed. The user's edits stay readable in `ended`. With the reason
   * `disconnected` or `stopped` the session has ended: its later proposals are refused.
   */
  withdrawSession(session: string, reason: WithdrawReason): void {
    if (reason === 'disconnected' || reason === 'stopped') this.#endSession(session, reason);
    for (const opening of this.#opening) if (opening.session === session) opening.withdrawn ??= reason;
    this.#withdrawAll(this.ofSession(session).toSorted(compareReviews), reason);
  }

  /** Removes the accepted and the rejected ones from `ended`. */
  forgetDecided(): void {
    for (const review of this.ended) if (review.state !== 'withdrawn') this.#forget(review);
  }

  /** Withdraws everything, because the companion stops. */
  dispose(): void {
    for (const opening of this.#opening) opening.withdrawn ??= 'stopped';
    this.#withdrawAll(this.pending, 'stopped');
    this.#owned.dispose();
  }

  #withdrawAll(reviews: readonly Review[], reason: WithdrawReason): void {
    this.#isWithdrawingMany = true;
    for (const review of reviews) review.withdraw(reason);
    this.#isWithdrawingMany = false;
    this.#forgetOldest();
  }

  *#allPending(): Iterable<PendingProposal> {
    yield* this.#opening;
    for (const { proposal } of this.#pending.values()) {
      yield { session: proposal.session, path: proposal.path, size: proposal.content.length };
    }
  }

  async #open(proposal: Proposal, opening: Opening): Promise<Review> {
    const { session, path } = proposal;
    this.#requireWanted(opening);
    const [original, { realPath, ...marks }] = await this.#look(proposal);
    this.#requireWanted(opening);
    const replaced = this.find(session, path);
    const edits = this.#editsToCarryOver(proposal, original, replaced);
    replaced?.withdraw('replaced');
    // A listener of that event may have withdrawn this proposal.
    this.#requireWanted(opening);
    const review = new Review(
      {
        id: this.#numberFor(edits?.number),
        proposal,
        original,
        realPath,
        ...marks,
        // Of a review without its hunks: to find them takes long.
        ...(edits !== undefined && { edits: edits instanceof Review ? edits.edits : edits }),
        commented: [
          ...(edits?.comments
            ? [{ comments: edits.comments, content: edits.content, original: edits.original ?? original }]
            : []),
          ...(replaced ? [replaced] : []),
        ],
      },
      { ...this.#options, expect: (own, file) => this.#expect(own, file) },
    );
    this.#pending.set(review.id, review);
    review.onDidChange(() => this.#didHappen.fire({ kind: 'changed', review }));
    review.onDidDecide((outcome) => {
      const { persist } = this.#options;
      if (outcome.kind !== 'withdrawn' && persist !== undefined) void review.storeBy(persist);
      if (outcome.kind === 'accepted') this.#unwritten.add(review);
      this.#pending.delete(review.id);
      this.#ended.set(review.id, review);
      // Each time, it looks at all ended reviews.
      if (!this.#isWithdrawingMany) this.#forgetOldest();
      this.#didHappen.fire({ kind: 'decided', review });
    });
    this.#didHappen.fire({ kind: 'opened', review });
    // A listener of that event may have ended the review; then this does nothing.
    if (edits?.decision === 'accepted') review.accept();
    if (edits?.decision === 'rejected') review.reject();
    return review;
  }

  *#expect(review: Review, file: FileContent): Steps<FileContent> {
    let expected = file;
    for (const other of this.#unwritten) {
      const { proposal, decidedAt = 0 } = other;
      // A session that proposes another change to the file has finished the earlier one.
      const isFinished = proposal.session === review.proposal.session && decidedAt < review.openedAt;
      if (other === review || other.realPath !== review.realPath || isFinished) continue;
      const { text, writing } = yield* this.#writings.inSteps({ review: other, file: expected });
      if (writing === 'unwritten' && other.removesFile) expected = { kind: 'missing' };
      else if (writing === 'unwritten') expected = { kind: 'text', text, encoding: encodingOf(expected) };
    }
    return expected;
  }

  /** A user who has seen a number means that review, also after a restart. */
  #numberFor(before: string | undefined): string {
    return before === undefined || this.get(before) !== undefined ? this.newNumber() : before;
  }

  /** Waits until the review is in view or has ended. Rejects when it ends because it cannot be shown. */
  async #show(review: Review): Promise<void> {
    if (review.outcome !== undefined) return;
    const waiting = new DisposableStore();
    try {
      await new Promise<void>((resolve, reject) => {
        waiting.add(onceDecided(review, () => resolve()));
        const giveUp = () => reject(new Error(`not shown within ${showLimitMs / 1000} seconds`));
        waiting.add(this.#options.clock.setTimeout(giveUp, showLimitMs));
        this.#openView(review).then(resolve, reject);
      });
    } catch (error) {
      // A review that ended meanwhile needs no view.
      if (!review.withdraw('not-shown')) return;
      throw new ProposalError(
        `The editor could not show the change to ${review.proposal.path}: ${messageOf(error)}`,
        {
          cause: error,
        },
      );
    } finally {
      waiting.dispose();
    }
  }

  /** Opens the view, and closes it when the review ends, even if the view opens after that. */
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

  /** To the user, a closed view means that the decision is final. So it is stored first. */
  async #closeView(view: Disposable, outcome: Outcome): Promise<void> {
    const { persist } = this.#options;
    if (outcome.kind !== 'withdrawn' && persist !== undefined) await persist();
    view.dispose();
  }

  /** Reads what is at the path, and finds the warnings about its location. */
  async #look(proposal: Proposal): Promise<[FileContent, PathMarks & { realPath: Path }]> {
    const { path } = proposal;
    const { clock, readFile } = this.#options;
    try {
      const found = Promise.all([readFile(path), this.findMarks(proposal)]);
      return await withTimeout(clock, readLimitMs, found, 'The disk');
    } catch (error) {
      throw new ProposalError(`The change to ${path} cannot be reviewed: ${messageOf(error)}`, {
        cause: error,
      });
    }
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
   * The user's edits of the very same proposal, when an agent repeats it after an interruption or in a second request.
   */
  #editsToCarryOver(
    proposal: Proposal,
    original: FileContent,
    replaced: Review | undefined,
  ): InterruptedEdits | undefined {
    if (replaced?.hasUsersText && isSameProposal(replaced.proposal, proposal)) return replaced;
    const interrupted = this.#options.interruptedEdits?.(proposal, original);
    if (interrupted !== undefined || replaced !== undefined) return interrupted;
    const isSameFile = (review: Review): boolean =>
      review.proposal.agent === proposal.agent && review.proposal.path === proposal.path;
    const before = this.ended.findLast(isSameFile);
    if (!before?.hasUsersText || !isSameProposal(before.proposal, proposal)) return undefined;
    const { outcome } = before;
    return outcome?.kind === 'withdrawn' && outcome.reason !== 'agent' ? before : undefined;
  }

  /** Forgets the ended reviews beyond the limits. */
  #forgetOldest(): void {
    const kept = findRemembered([...this.#ended.values()].reverse(), remembered);
    for (const ended of this.#ended.values()) {
      if (!kept.has(ended)) this.#forget(ended);
    }
  }

  #forget(review: Review): void {
    this.#ended.delete(review.id);
    this.#didHappen.fire({ kind: 'forgotten', review });
  }

  #endSession(session: string, reason: WithdrawReason): void {
    this.#gate.forget(session);
    this.#endedSessions.set(session, reason);
    const [oldest] = this.#endedSessions.keys();
    if (oldest !== undefined && this.#endedSessions.size > rememberedSessions)
      this.#endedSessions.delete(oldest);
  }

  #on(kind: ReviewEvent['kind'], listener: (review: Review) => void): Disposable {
    return this.#didHappen.event((event) => {
      if (event.kind === kind) listener(event.review);
    });
  }
}

interface ToWrite {
  readonly review: Review;
  readonly file: FileContent;
}

/** What the agent of an accepted review writes, and whether the file shows it. */
function* findToWrite({ review, file }: ToWrite) {
  const { proposal, content, original } = review;
  const answer = proposal.writesOwnText ? proposal.content : content;
  const text = yield* inFileFormInSteps(answer, textOf(original));
  const { removesFile: isDeletion } = review;
  const { agentChooses } = proposal;
  const wanted = { original, proposed: text, content: text, isDeletion, agentChooses };
  const writing = yield* findWritingInSteps(wanted, file);
  return { text, writing };
}
