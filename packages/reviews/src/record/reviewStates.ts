import {
  type Clock,
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
} from '@tandem/core';
import { type FileContent, isSameContent } from '../text/mergeWithFile.js';
import type { Proposal, WithdrawReason } from './proposal.js';
import { defaultProposalLimits } from './proposalLimits.js';
import type { Review } from './review.js';
import { areCommentsIn, moveComments } from './reviewComment.js';
import { newReviewKey } from './reviewKey.js';
import {
  correctionOf,
  type InterruptedReview,
  interruptionOf,
  isFor,
  isInvalidated,
  isSuperseded,
  type ReviewRecord,
  type ReviewRecords,
  savedOf,
} from './reviewRecords.js';
import type { Reviews } from './reviews.js';
import {
  hasUsersText,
  type InterruptedEdits,
  isEdited,
  isUsersWork,
  type SavedReview,
  saveReview,
} from './savedReview.js';

/** How long an unedited proposal is offered, in milliseconds. The user's work is offered until the user decides. */
const untouchedForMs = 24 * 60 * 60_000;

/** Limits for unedited proposals: their number and the total of their code units. The oldest are dropped first. */
const maxUntouched = defaultProposalLimits.inAll;
const maxUntouchedText = defaultProposalLimits.text;

/** An agent that repeats a proposal within this time after the decision, in milliseconds, receives that decision. */
const answersForMs = 10 * 60_000;

/** After these, only the user's own text is still wanted. */
const unwantedAfter: ReadonlySet<WithdrawReason> = new Set(['agent', 'replaced', 'let-go']);

/** The numbers of all reviews. */
interface Numbers {
  /** A number that no review has had. */
  readonly next: () => string;
  readonly isPending: (number: string) => boolean;
}

/**
 * Owns the states of a review once it is not pending any more, except those of the history. A rejection that its agent may
 * not have received, and an accepted text that its agent may not have written, stay until they have. Interrupted reviews stay
 * until the user applies or discards them, or until the agent repeats exactly the same proposal, which then receives the
 * edits: those that the end of the companion cut short, through a kill or a power cut; those that the user had edited when
 * the agent ended, withdrew or replaced them; and accepted texts that no agent wrote. The creator disposes it.
 */
export class ReviewStates implements Disposable {
  /** An interrupted review was added or removed, or its text changed. */
  readonly onDidChange: Event<void>;

  readonly #records: ReviewRecords;
  readonly #clock: Clock;
  readonly #numbers: Numbers;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;

  constructor(services: {
    readonly records: ReviewRecords;
    readonly numbers: Numbers;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#records = services.records;
    this.#clock = services.clock;
    this.#numbers = services.numbers;
    const onError = logListenerError(services.logger, 'the interrupted reviews');
    this.#didChange = this.#owned.add(new Emitter<void>(onError));
    this.onDidChange = this.#didChange.event;
  }

  /** The interrupted reviews, the oldest first. */
  get all(): readonly InterruptedReview[] {
    return this.#records.in('undelivered');
  }

  get(id: string): InterruptedReview | undefined {
    return this.#records.undelivered(id);
  }

  /** What a review is that has ended; undefined if nothing of it can be lost. */
  recordOf(review: Review): ReviewRecord | undefined {
    return this.#records.get(review.key);
  }

  /** Adds what a previous companion left, except unedited proposals that are too old to be useful. */
  add(saved: Iterable<SavedReview>, isNew = false): void {
    const now = this.#clock.now();
    for (const review of saved) {
      // After the clock is set back, a review appears younger than it is, never older.
      const age = now - (review.interruptedAt ?? now);
      if (!isUsersWork(review) && age > untouchedForMs) continue;
      const same = this.#findSame(review);
      if (same === undefined) this.#put(review, isNew);
      else if (review.isAccepted && !same.isAccepted) this.#set(same.id, review, same.isNew);
    }
    this.#forgetUntouched();
    this.#didChange.fire();
  }

  /** Adds the rejections that agents of a previous companion may not have received. */
  addRejected(saved: readonly SavedReview[]): void {
    for (const review of saved)
      if (this.#isAnswerable(review)) this.#records.put({ ...review, state: 'rejected', isLeft: true });
  }

  /** Decided reviews whose agents may not have received the decision. */
  get undelivered(): readonly SavedReview[] {
    const accepted = this.all.filter(
      (review) => review.isAccepted && !review.isAnswered && this.#isAnswerable(review),
    );
    return [...accepted, ...this.#rejected.filter((review) => this.#isAnswerable(review))];
  }

  /** Removes a review. Returns `false` if none has this id. */
  remove(id: string): boolean {
    const review = this.get(id);
    if (review === undefined) return false;
    this.#records.delete(review.key);
    this.#didChange.fire();
    return true;
  }

  /** Replaces the text, when a page holds a newer one than was stored. */
  update(id: string, content: string): void {
    const review = this.get(id);
    if (review === undefined || review.content === content) return;
    const comments = moveComments(review.comments ?? [], review, { ...review, content });
    this.#set(
      id,
      { ...savedOf(review), content, ...(comments.length > 0 && { comments: [...comments] }) },
      review.isNew,
    );
    this.#didChange.fire();
  }

  /** Keeps the text of a withdrawn review with what the user typed after its end. */
  keepTyped(review: Review, content: string): void {
    const known = this.recordOf(review);
    if (known?.state === 'undelivered') {
      this.update(known.id, content);
      return;
    }
    const saved = { ...saveReview(review, { interruptedAt: this.#clock.now() }), content };
    // A review that continues with the earlier text keeps that key. The next text replaces this one.
    review.takeKey(newReviewKey());
    this.#put({ ...saved, key: review.key });
    this.#didChange.fire();
  }

  /** The agent of an accepted review has not written its text: it is offered, unless the same text is offered already. */
  offer(review: Review): void {
    const record = this.recordOf(review);
    if (record?.state !== 'accepted') return;
    this.add([savedOf(record)]);
    this.settle(review);
  }

  /** The agent of an accepted review has written its own text: of the review, only the user's edits are offered. */
  correct(record: ReviewRecord): void {
    const saved = correctionOf(record);
    if (record.state === 'undelivered') {
      this.#set(record.id, saved, record.isNew);
      this.#didChange.fire();
    } else this.add([saved]);
  }

  /** No longer offers an accepted text: its file contains it, but another agent may still write the file. */
  withdrawOffer(review: Review): void {
    const record = this.recordOf(review);
    if (record?.state !== 'undelivered') return;
    this.#records.put({ ...savedOf(record), state: 'accepted' });
    this.#didChange.fire();
  }

  /** The agent of an accepted review has written its text, or will not write it any more: it stays only if it is offered. */
  settle(review: Review): void {
    const record = this.recordOf(review);
    if (record?.state === 'accepted') this.#records.delete(record.key);
  }

  /** The agent of these rejections receives them no more. */
  endSession(session: string): void {
    for (const record of this.#records.in('rejected'))
      if (record.session === session && !record.isLeft) this.#records.delete(record.key);
  }

  /** The user's edits to exactly this proposal, with the decision if the file is the same as at that time. */
  editsFor(proposal: Proposal, original: FileContent): InterruptedEdits | undefined {
    const found = this.#findFor(proposal);
    const decided = this.undelivered.findLast((review) => isFor(review, proposal));
    if (decided === undefined || !isSameContent(decided.original, original)) return found;
    return { ...decided, decision: decided.isAccepted ? 'accepted' : 'rejected' };
  }

  /** Follows what happens to the reviews. */
  follow(reviews: Reviews): void {
    this.#owned.add(reviews.onDidOpen((review) => this.#opened(review)));
    this.#owned.add(reviews.onDidDecide((review) => this.#ended(review)));
    this.#owned.add(reviews.onDidAnswer((review) => this.#answered(review)));
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** Passes an interrupted review to the pending one that continues it. */
  #opened(review: Review): void {
    for (const each of this.#rejected) if (isFor(each, review.proposal)) this.#records.delete(each.key);
    this.#removeCarriedOver(review);
    const numbered = this.get(review.id);
    const taken =
      numbered !== undefined && isFor(numbered, review.proposal) ? numbered : this.#findFor(review.proposal);
    if (taken === undefined) return;
    review.takeKey(taken.key);
    this.remove(taken.id);
  }

  #ended(review: Review): void {
    const { outcome, proposal, decidedAt: interruptedAt = this.#clock.now() } = review;
    if (outcome === undefined) return;
    if (outcome.kind === 'withdrawn') {
      const isWanted = !unwantedAfter.has(outcome.reason) && review.isContinuation;
      if (!review.hasUsersText && !isWanted) return;
      this.#put(saveReview(review, { interruptedAt }));
      this.#didChange.fire();
      return;
    }
    this.#supersede(proposal);
    if (outcome.kind === 'rejected')
      this.#records.put({ ...saveReview(review, { interruptedAt }), state: 'rejected', isLeft: false });
    else {
      const ending = { interruptedAt, isAccepted: true, isAnswered: false };
      this.#records.put({ ...saveReview(review, ending), state: 'accepted' });
    }
  }

  #answered(review: Review): void {
    const record = this.recordOf(review);
    if (record?.state === 'rejected') this.#records.delete(record.key);
    if (record?.state === 'accepted') this.#records.put({ ...record, isAnswered: true });
  }

  /** The user has decided on a proposal: this invalidates an earlier decision that may not have been received or written. */
  #supersede(proposal: Proposal): void {
    for (const review of this.#records.in('rejected'))
      if (isSuperseded(review, proposal)) this.#records.delete(review.key);
    for (const review of this.#records.in('accepted'))
      if (isInvalidated(review, proposal)) this.#records.delete(review.key);
    for (const review of this.all)
      if (review.isAccepted && isInvalidated(review, proposal)) this.remove(review.id);
  }

  /** Removes reviews without edits whose comments a new review has taken over. */
  #removeCarriedOver({ proposal, comments }: Review): void {
    for (const each of this.all) {
      const isSameFile = each.agent === proposal.agent && each.path === proposal.path;
      if (!isSameFile || isFor(each, proposal) || isEdited(each) || each.isAccepted) continue;
      if (hasUsersText(each) && areCommentsIn(each.comments, comments)) this.remove(each.id);
    }
  }

  /** Those of a previous companion. */
  get #rejected(): readonly SavedReview[] {
    return this.#records.in('rejected').filter(({ isLeft }) => isLeft);
  }

  #findFor(proposal: Proposal): InterruptedReview | undefined {
    return this.all.findLast((review) => isFor(review, proposal));
  }

  #isAnswerable({ interruptedAt = 0 }: SavedReview): boolean {
    return this.#clock.now() - interruptedAt <= answersForMs;
  }

  /** Two windows that started at once may have loaded the same review. A decision on one of them counts for both. */
  #findSame({ agent, path, proposed, content, comments }: SavedReview): InterruptedReview | undefined {
    const isSame = (each: InterruptedReview): boolean =>
      each.agent === agent &&
      each.path === path &&
      each.proposed === proposed &&
      each.content === content &&
      areCommentsIn(comments, each.comments ?? []);
    return this.all.find(isSame);
  }

  #put(saved: SavedReview, isNew = false): void {
    this.#set(this.#idFor(saved), saved, isNew);
  }

  /** Journals of several companions, and those of earlier versions, may have reviews with equal numbers or with none. */
  #idFor({ number }: SavedReview): string {
    const isFree = number !== undefined && this.get(number) === undefined && !this.#numbers.isPending(number);
    return isFree ? number : this.#numbers.next();
  }

  #set(id: string, saved: SavedReview, isNew: boolean): void {
    const { interruptedAt = this.#clock.now() } = saved;
    const before = this.get(id);
    if (before !== undefined && before.key !== saved.key) this.#records.delete(before.key);
    this.#records.put({
      ...saved,
      state: 'undelivered',
      id,
      number: id,
      interruptedAt,
      isNew,
      interruption: interruptionOf(saved),
    });
  }

  #forgetUntouched(): void {
    let [count, size] = [0, 0];
    for (const review of this.all.toReversed()) {
      if (isUsersWork(review)) continue;
      count += 1;
      size += review.proposed.length;
      if (count > maxUntouched || size > maxUntouchedText) this.#records.delete(review.key);
    }
  }
}
