import { isDeepStrictEqual } from 'node:util';
import {
  areCommentsIn,
  type Clock,
  type Disposable,
  DisposableStore,
  defaultProposalLimits,
  Emitter,
  type Event,
  encodingOf,
  type FileContent,
  type InterruptedEdits,
  inFileForm,
  type Logger,
  logListenerError,
  moveComments,
  type Proposal,
  type Review,
  type Reviews,
  textOf,
  toDocumentText,
} from '@tandem/core';
import { type InterruptedReview, type ReviewRecord, type ReviewRecords, savedOf } from './reviewRecords.js';
import {
  hasUsersText,
  isEdited,
  isUsersWork,
  keyOf,
  newReviewKey,
  passKey,
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

/** The numbers of all reviews. */
interface Numbers {
  /** A number that no review has had. */
  readonly next: () => string;
  readonly isPending: (number: string) => boolean;
}

/**
 * Reviews that were cut short: by the end of the companion, through a kill or a power cut; by an agent that ended, withdrew
 * or replaced its proposal after the user had edited it; or by an agent that did not write the accepted text. An agent that
 * repeats exactly the same proposal receives the edits with it; until then the user can apply a review to its file or
 * discard it. The creator disposes it.
 */
export class InterruptedReviews implements Disposable {
  /** A review was added or removed, or its text changed. */
  readonly onDidChange: Event<void>;

  readonly #records: ReviewRecords;
  readonly #clock: Clock;
  readonly #numbers: Numbers;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;
  /** Reviews that are pending again with the content of an interrupted one. */
  readonly #resumed = new WeakSet<Review>();

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

  /** Oldest first. */
  get all(): readonly InterruptedReview[] {
    return this.#records.in('undelivered');
  }

  get(id: string): InterruptedReview | undefined {
    return this.#records.undelivered(id);
  }

  /** The review with this key in the journal. */
  find(key: string): InterruptedReview | undefined {
    const record = this.#records.get(key);
    return record?.state === 'undelivered' ? record : undefined;
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
    const key = keyOf(review);
    const known = this.find(key);
    if (known !== undefined) {
      this.update(known.id, content);
      return;
    }
    const saved = { ...saveReview(review, { interruptedAt: this.#clock.now() }), content };
    // A review that continues with the earlier text keeps that key. The next text replaces this one.
    const ownKey = newReviewKey();
    passKey(ownKey, review);
    this.#put({ ...saved, key: ownKey });
    this.#didChange.fire();
  }

  /** Replaces the saved state of a review, which keeps its id. */
  replace(id: string, saved: SavedReview): void {
    const review = this.get(id);
    if (review === undefined) return;
    this.#set(id, saved, review.isNew);
    this.#didChange.fire();
  }

  /** No longer offers an accepted text: its file contains it, but another agent may still write the file. */
  withdrawOffer(id: string): void {
    const review = this.get(id);
    if (review === undefined) return;
    this.#records.put({ ...savedOf(review), state: 'accepted' });
    this.#didChange.fire();
  }

  /** The user has decided on a proposal: this invalidates an earlier acceptance that may not have been written. */
  supersede(proposal: Proposal): void {
    for (const review of this.#records.in('rejected'))
      if (isSuperseded(review, proposal)) this.#records.delete(review.key);
    for (const review of this.#records.in('accepted'))
      if (isInvalidated(review, proposal)) this.#records.delete(review.key);
    for (const review of this.all)
      if (review.isAccepted && isInvalidated(review, proposal)) this.remove(review.id);
  }

  /** The user's edits to exactly this proposal, with the decision if the file is the same as at that time. */
  editsFor(proposal: Proposal, original: FileContent): InterruptedEdits | undefined {
    const found = this.#findFor(proposal);
    const decided = this.undelivered.findLast((review) => isFor(review, proposal));
    if (decided === undefined || !isDeepStrictEqual(decided.original, original)) return found;
    return { ...decided, decision: decided.isAccepted ? 'accepted' : 'rejected' };
  }

  /**
   * Passes interrupted reviews to the pending reviews that continue them, and adds them back if those are interrupted
   * too.
   */
  follow(reviews: Reviews): void {
    this.#owned.add(
      reviews.onDidOpen((review) => {
        for (const each of this.#rejected) if (isFor(each, review.proposal)) this.#records.delete(each.key);
        this.#removeCarriedOver(review);
        const numbered = this.get(review.id);
        const taken =
          numbered !== undefined && isFor(numbered, review.proposal)
            ? numbered
            : this.#findFor(review.proposal);
        if (taken === undefined) return;
        this.#resumed.add(review);
        passKey(taken.key, review);
        this.remove(taken.id);
      }),
    );
    this.#owned.add(
      reviews.onDidDecide((review) => {
        const { outcome } = review;
        if (outcome?.kind !== 'withdrawn') return;
        const isWithdrawnByAgent = outcome.reason === 'agent' || outcome.reason === 'replaced';
        const isWanted = !isWithdrawnByAgent && this.#resumed.has(review);
        if (!review.hasUsersText && !isWanted) return;
        this.#put(saveReview(review, { interruptedAt: this.#clock.now() }));
        this.#didChange.fire();
      }),
    );
  }

  dispose(): void {
    this.#owned.dispose();
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

/**
 * Whether a decision on this proposal invalidates the decision on an earlier review: the same was proposed again, or
 * the same session continues with the file.
 */
export function isSuperseded(
  earlier: Pick<SavedReview, 'agent' | 'session' | 'path' | 'proposed'>,
  { agent, session, path, content }: Proposal,
): boolean {
  const isSameFile = earlier.agent === agent && earlier.path === path;
  return isSameFile && (earlier.session === session || earlier.proposed === content);
}

/** Whether a decision on this proposal invalidates an earlier acceptance: the user's edits of another proposal are kept. */
export function isInvalidated(
  earlier: Parameters<typeof isSuperseded>[0] & Pick<SavedReview, 'content'>,
  proposal: Proposal,
): boolean {
  return isSuperseded(earlier, proposal) && (earlier.proposed === proposal.content || !isEdited(earlier));
}

/** The user's edits to a proposal that the agent has written without them: from now on, changes to that text. */
export function correctionOf(review: ReviewRecord): SavedReview {
  const { isAccepted: _accepted, isAnswered: _told, ...saved } = savedOf(review);
  const text = inFileForm(review.proposed, textOf(review.original));
  return { ...saved, original: { kind: 'text', text, encoding: encodingOf(review.original) }, keptHunks: [] };
}

/** Whether the agent has written its own text, and only the user's edits are missing. */
export function isCorrection({ original, proposed }: SavedReview): boolean {
  return original.kind === 'text' && toDocumentText(original.text) === toDocumentText(proposed);
}

function interruptionOf(saved: SavedReview): InterruptedReview['interruption'] {
  if (saved.isAccepted) return 'accepted, but not written';
  return isCorrection(saved) ? 'written without your edits' : undefined;
}

function isFor({ agent, path, proposed }: SavedReview, proposal: Proposal): boolean {
  return agent === proposal.agent && path === proposal.path && proposed === proposal.content;
}
