import {
  type Clock,
  type Disposable,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Path,
  Turns,
  toDisposable,
} from '@tandem/core';
import type { Hunk } from '../text/hunks.js';
import type { KnownMerges } from '../text/knownMerges.js';
import type { FileContent } from '../text/mergeWithFile.js';
import { finish, inOrder, type Pause, type Steps } from '../text/steps.js';
import { marksOf, type PathMarks } from './pathMarks.js';
import type { LineCounts, Outcome, Proposal, ReviewEdits, ReviewState, WithdrawReason } from './proposal.js';
import {
  type CommentedTexts,
  type CommentsOf,
  type NewComment,
  type ReviewComment,
  ReviewComments,
} from './reviewComment.js';
import { ReviewContent } from './reviewContent.js';
import { ReviewDecidedError, UnanswerableError, whyNotEmpty } from './reviewErrors.js';
import { newReviewKey, type ReviewKey } from './reviewKey.js';
import type { ReviewChange } from './reviewTexts.js';

/** What a review needs from its surroundings. */
export interface ReviewServices {
  readonly clock: Clock;
  readonly logger: Logger;
  /** See `Review.expect`. */
  readonly expect?: (review: Review, file: FileContent) => Steps<FileContent>;
}

/**
 * A change that an agent proposes to one file and that the user decides. A review is pending, and then ends exactly
 * once: accepted, rejected or withdrawn. A second attempt to end it fails. It never writes the file; the agent does.
 */
export class Review {
  readonly id: string;
  readonly proposal: Proposal;
  readonly marks: PathMarks;
  /** The path of the proposal with all links resolved: the same for each spelling of it. */
  readonly realPath: Path;
  /** Unix time in milliseconds. */
  readonly openedAt: number;
  /** The content or a kept hunk changed. */
  readonly onDidChange: Event<void>;
  /** The review ended. Fires exactly once. */
  readonly onDidDecide: Event<Outcome>;

  readonly #didChange: Emitter<void>;
  readonly #didDecide: Emitter<Outcome>;
  readonly #services: ReviewServices;
  readonly #text: ReviewContent;
  #version = 0;
  /** An edit that is not evaluated yet; see `editSoon`. */
  #typed: (() => string) | undefined;
  /** An edit that the editor has not finished, in case the review ends first; see `editUnfinished`. */
  #unfinished: (() => string) | undefined;
  readonly #comments: ReviewComments;
  readonly #turns = new Turns();
  #key = newReviewKey();
  #isContinuation = false;
  #outcome: Outcome | undefined;
  #decidedAt: number | undefined;
  #isStored = true;
  #isAnswered = false;

  constructor(
    options: {
      readonly id: string;
      readonly proposal: Proposal;
      readonly original: FileContent;
      /** By default the path as the agent spelled it. */
      readonly realPath?: Path;
      /** The user's edits in an earlier review of the same proposal, which this review carries over. */
      readonly edits?: ReviewEdits;
      /** Earlier reviews whose comments this review carries over. */
      readonly commented?: Iterable<CommentsOf>;
    } & PathMarks,
    services: ReviewServices,
  ) {
    this.id = options.id;
    this.proposal = options.proposal;
    this.marks = marksOf(options);
    this.realPath = options.realPath ?? options.proposal.path;
    this.#services = services;
    this.openedAt = services.clock.now();
    this.#text = new ReviewContent(options.proposal, options.original, options.edits);
    this.#comments = new ReviewComments(this.#texts());
    this.#comments.takeOver(options.commented ?? [], this.#texts());
    this.#didChange = new Emitter(logListenerError(services.logger, 'a review'));
    this.#didDecide = new Emitter(logListenerError(services.logger, 'a review'));
    this.onDidChange = this.#didChange.event;
    this.onDidDecide = this.#didDecide.event;
  }

  get key(): ReviewKey {
    return this.#key;
  }

  /** From now on, this review has the key of the one that it continues. */
  takeKey(key: ReviewKey): void {
    this.#key = key;
    this.#isContinuation = true;
  }

  /** Whether it continues a review that its agent had left. */
  get isContinuation(): boolean {
    return this.#isContinuation;
  }

  get state(): ReviewState {
    return this.#outcome?.kind ?? 'pending';
  }

  /** How it ended; `undefined` while it is pending. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** When it ended: Unix time in milliseconds. */
  get decidedAt(): number | undefined {
    return this.#decidedAt;
  }

  /** The file that the proposal is compared with: as it was at the start, or at the last `mergeFile`. */
  get original(): FileContent {
    return this.#text.original;
  }

  /** Whether the decision survives a crash, as far as is known. It is not reported before that. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /** Whether the agent has received the answer, or no longer expects one. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Stores the decision. Resolves when it survives a crash, or cannot be stored in time. */
  async storeBy(persist: () => Promise<void>): Promise<void> {
    this.#isStored = false;
    await persist();
    this.#isStored = true;
  }

  /** Records that the agent received the answer. Returns `false` if that was known. */
  noteAnswered(): boolean {
    const isNew = !this.#isAnswered;
    this.#isAnswered = true;
    return isNew;
  }

  /** The agent's proposal, with the changes that `mergeFile` merged into it since. */
  get proposed(): string {
    return this.#text.proposed;
  }

  /** How many times the file was merged. Each time, `original`, `proposed` and `hunks` change. */
  get basis(): number {
    return this.#text.basis;
  }

  /** How many times the text, or what it is compared with, changed. */
  get version(): number {
    return this.#version;
  }

  /**
   * Where the proposal differs from the file, by lines. Fixed until the file is merged; empty for binary files.
   * Computed on first access, so that the acknowledgement to the agent does not wait for it.
   */
  get hunks(): readonly Hunk[] {
    return this.#text.hunks;
  }

  /**
   * How many lines the current text adds to the file and removes from it; none for a binary file. The first access
   * after an edit compares the texts.
   */
  get lineCounts(): LineCounts {
    this.#takeTyped();
    return this.#text.lineCounts;
  }

  /**
   * Compares the texts in short steps, so that `hunks`, `lineCounts` and `comments` are known afterwards, unless the text
   * changes all the time: that would otherwise take up to a second in a large text, in which nothing else happens. Undefined
   * if it took no pause.
   */
  compare(pause: Pause): Promise<void> | undefined {
    return inOrder([
      () => this.#prepareTyped(pause),
      () => {
        this.#takeTyped();
        return this.#text.compare(pause);
      },
      () => this.#comments.move(() => this.#texts(), pause),
    ]);
  }

  /** Computes `hunkLines` in short steps. Undefined if that took no pause. */
  placeHunks(pause: Pause): Promise<void> | undefined {
    this.#takeTyped();
    return this.#text.placeHunks(pause);
  }

  /** What was merged with the file. */
  get merges(): KnownMerges {
    return this.#text.merges;
  }

  /** For each hunk whether it is kept. The same array while nothing changes. */
  get keptHunks(): readonly boolean[] {
    return this.#text.keptHunks;
  }

  /** Whether a hunk is dropped. Compares no texts, unlike `keptHunks`, unless the review carries over the edits of another. */
  get hasDroppedHunks(): boolean {
    this.#takeTyped();
    return this.#text.hasDroppedHunks;
  }

  /** What a later review of the same proposal carries over. `keptHunks` is empty if no hunk is dropped. Compares no texts. */
  get edits(): ReviewEdits {
    this.#takeTyped();
    return this.#text.edits;
  }

  /** For each hunk its line in `content`, or the line where it was before it was dropped. */
  get hunkLines(): readonly number[] {
    this.#takeTyped();
    return this.#text.hunkLines;
  }

  /** The current text: the answer if the review is accepted now. Stays readable after every kind of end. */
  get content(): string {
    this.#takeTyped();
    return this.#text.content;
  }

  /** Whether the text differs from what was proposed. */
  get isEdited(): boolean {
    return this.content !== this.proposal.content;
  }

  /** Whether the user edited the text or dropped changes: it differs from the proposal by more than merges of its file. */
  get hasUsersEdits(): boolean {
    return this.content !== this.proposed;
  }

  /** Whether the file is deleted if the review is accepted now. */
  get removesFile(): boolean {
    return this.proposal.isDeletion === true && this.content === '';
  }

  /** Whether the text is empty, and the agent would write its own proposal instead. */
  get hasUnusableAnswer(): boolean {
    const { content, cannotAnswerEmpty } = this.proposal;
    return cannotAnswerEmpty === true && content !== '' && this.content === '';
  }

  /** Whether the user edited the text or commented on it. */
  get hasUsersText(): boolean {
    return this.commentCount > 0 || this.hasUsersEdits;
  }

  /** Cheap, also while the user types. */
  get commentCount(): number {
    return this.#comments.count;
  }

  /** The user's comments, on the lines as they are now. The same array while nothing changes. */
  get comments(): readonly ReviewComment[] {
    return this.#comments.in(this.#texts());
  }

  /** Throws `CommentError`, and `ReviewDecidedError` when the review has ended. */
  addComment(comment: NewComment): ReviewComment {
    return this.#comment(() => this.#comments.add(comment, this.#texts()));
  }

  /** Throws like `addComment`. */
  editComment(id: string, text: string): ReviewComment {
    return this.#comment(() => this.#comments.edit(id, text));
  }

  /** Throws like `addComment`. */
  removeComment(id: string): void {
    this.#comment(() => this.#comments.remove(id));
  }

  /**
   * Replaces the text with the user's edit of it. Editors normalise line ends; this restores the proposal's ends, BOM
   * and final newline, and the ends of lines that a dropped hunk restored from the file.
   */
  edit(text: string): void {
    this.#requirePending('edited');
    this.#typed = undefined;
    this.#unfinished = undefined;
    if (this.#text.edit(text)) this.#changed();
  }

  /**
   * Like `edit`, but the text is evaluated on the next read, at the latest when the review ends. An editor can therefore
   * report every key stroke, also in a text that takes long to compare. A later call replaces an earlier one.
   */
  editSoon(text: () => string): void {
    this.#requirePending('edited');
    this.#typed = text;
  }

  /**
   * Registers text that the user is still typing, for an editor that calls `edit` at a pause. It is not visible before
   * that, but a review that ends meanwhile, accepted or not, includes it. `undefined` cancels it.
   */
  editUnfinished(text: (() => string) | undefined): void {
    this.#requirePending('edited');
    this.#unfinished = text;
  }

  /** Makes the edits visible that are not evaluated or not finished yet, as the end of the review would. */
  settle(): void {
    this.#takeTyped();
    this.#takeUnfinished();
  }

  /**
   * Computes a change in short steps, so that it is made at once afterwards, unless the text changes all the time. Undefined
   * if that took no pause. The change itself is made without one, so that nothing else happens in the middle of it.
   */
  prepare(change: ReviewChange, pause: Pause): Promise<void> | undefined {
    return this.#text.prepare(change, pause, () => this.#takeTyped());
  }

  /**
   * Makes changes in short steps one after the other, in the order of the calls. `findConcerns` waits for them: the user has
   * made them before the decision.
   */
  inTurn<T>(change: () => Promise<T>): Promise<T> {
    return this.#turns.run(change);
  }

  /** Resolves when the changes so far are made. */
  settled(): Promise<void> {
    return this.#turns.ended();
  }

  /** `edit` in short steps. Rejects as that throws. */
  editInSteps(text: string, pause: Pause): Promise<void> {
    return this.inTurn(async () => {
      const preparing = this.prepare({ kind: 'edit', text }, pause);
      if (preparing !== undefined) await preparing;
      this.edit(text);
    });
  }

  /** `keepHunk` and `dropHunk` in short steps. Rejects as those throw. */
  setHunk(index: number, isKept: boolean, pause: Pause): Promise<void> {
    return this.inTurn(async () => {
      const preparing = this.prepare({ kind: 'hunk', index, isKept }, pause);
      if (preparing !== undefined) await preparing;
      this.#setHunk(index, isKept);
    });
  }

  /** Uses the proposed lines of one hunk. Throws `HunkConflictError` when the user edited those lines. */
  keepHunk(index: number): void {
    this.#setHunk(index, true);
  }

  /** Uses the file's own lines for one hunk. Throws `HunkConflictError` when the user edited those lines. */
  dropHunk(index: number): void {
    this.#setHunk(index, false);
  }

  /**
   * What the file will contain, given what it contains now: another review of it may be accepted and not written yet.
   * Everything that compares this review with its file, or merges them, uses the result.
   */
  expect(file: FileContent): FileContent {
    return finish(this.expectInSteps(file));
  }

  /** `expect`, with other work between its steps. */
  *expectInSteps(file: FileContent): Steps<FileContent> {
    return this.#services.expect === undefined ? file : yield* this.#services.expect(this, file);
  }

  /**
   * Merges into the text what changed in the file since the proposal. From then on the review compares the current file
   * with the proposal that includes these changes. Returns how many conflicts are marked in the text. Throws
   * `ReviewDecidedError`, or `FileConflictError` when the file is deleted or no longer text, or when both changed the
   * same lines, unless `marksConflicts`. Nothing is changed then.
   */
  mergeFile(file: FileContent, how: { readonly marksConflicts?: boolean } = {}): number {
    this.#requirePending('changed');
    this.#takeUnfinished();
    this.#takeTyped();
    const conflicts = this.#text.mergeFile(this.expect(file), how.marksConflicts === true);
    if (conflicts !== undefined) this.#changed();
    return conflicts ?? 0;
  }

  /**
   * Accepts the current text, or `content` when given. Returns `false` when the review had already ended. Throws
   * `UnanswerableError` when the agent cannot use the answer; the review is then still pending and holds `content`.
   */
  accept(content?: string): boolean {
    if (this.#outcome !== undefined) return false;
    if (content !== undefined) this.edit(content);
    this.#takeUnfinished();
    const answer = this.content;
    if (this.hasUnusableAnswer) {
      throw new UnanswerableError(whyNotEmpty);
    }
    return this.#end({ kind: 'accepted', content: answer, isEdited: this.isEdited });
  }

  /** Rejects the change. Returns `false` when the review had already ended. */
  reject(): boolean {
    return this.#end({ kind: 'rejected' });
  }

  /** Ends the review without a decision. The text stays readable. Returns `false` when it had already ended. */
  withdraw(reason: WithdrawReason): boolean {
    return this.#end({ kind: 'withdrawn', reason });
  }

  #setHunk(index: number, isKept: boolean): void {
    this.#requirePending('changed');
    this.#takeTyped();
    if (this.keptHunks[index] === undefined) {
      throw new RangeError(`Review ${this.id} has no hunk ${index + 1}. ${validHunks(this.hunks.length)}`);
    }
    if (this.#text.setHunk(index, isKept)) this.#changed();
  }

  #changed(): void {
    this.#version += 1;
    this.#didChange.fire();
  }

  #comment<T>(change: () => T): T {
    this.#requirePending('commented on');
    const changed = change();
    this.#didChange.fire();
    return changed;
  }

  #texts(): CommentedTexts {
    return { content: this.content, original: this.original };
  }

  #prepareTyped(pause: Pause): Promise<void> | undefined {
    const typed = this.#typed;
    return typed && this.#text.prepare({ kind: 'edit', text: typed() }, pause, () => {});
  }

  #takeTyped(): void {
    if (this.#typed !== undefined) this.edit(this.#typed());
  }

  #takeUnfinished(): void {
    if (this.#unfinished !== undefined) this.edit(this.#unfinished());
  }

  #requirePending(what: string): void {
    if (this.#outcome === undefined) return;
    throw new ReviewDecidedError(`Review ${this.id} is already ${this.#outcome.kind} and cannot be ${what}.`);
  }

  #end(outcome: Outcome): boolean {
    if (this.#outcome !== undefined) return false;
    this.settle();
    // A listener of that change may have ended the review.
    if (this.#outcome !== undefined) return false;
    this.#typed = undefined;
    this.#unfinished = undefined;
    this.#text.forget();
    this.#outcome = outcome;
    this.#decidedAt = this.#services.clock.now();
    this.#didDecide.fire(outcome);
    this.#didDecide.dispose();
    this.#didChange.dispose();
    return true;
  }
}

/** Calls `listener` when the review ends, or immediately if it already has. Disposing unsubscribes. */
export function onceDecided(review: Review, listener: (outcome: Outcome) => void): Disposable {
  if (review.outcome === undefined) return review.onDidDecide(listener);
  listener(review.outcome);
  return toDisposable(() => {});
}

/** The error for a decision or a change that comes after the end of the review. */
export function alreadyDecided({ id, state }: Review): ReviewDecidedError {
  return new ReviewDecidedError(`Review ${id} is already ${state}.`);
}

function validHunks(count: number): string {
  if (count === 0) return 'This review has no separate changes. Accept or reject all of it.';
  return count === 1 ? 'It has only hunk 1.' : `Valid numbers are 1 to ${count}.`;
}
