import { isDeepStrictEqual } from 'node:util';
import {
  type Clock,
  type Disposable,
  DisposableStore,
  defaultProposalLimits,
  Emitter,
  type Event,
  type FileContent,
  type InterruptedEdits,
  type Logger,
  logListenerError,
  type Proposal,
  type Review,
  type Reviews,
} from '@tandem/core';
import { isUsersWork, passKey, type SavedReview, saveReview } from './savedReview.js';

/** A proposal that nobody touched is offered for so long, in milliseconds. What somebody typed, until they decide. */
const untouchedForMs = 24 * 60 * 60_000;

/** How many of those are offered, and how many code units their proposals may have together; the oldest go first. */
const maxUntouched = defaultProposalLimits.inAll;
const maxUntouchedText = defaultProposalLimits.text;

/** An agent that proposes the same again so long after the decision, in milliseconds, is answered with it. */
const answersForMs = 10 * 60_000;

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
  readonly #keepsWithdrawnEdits: boolean;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;
  readonly #all = new Map<string, InterruptedReview>();
  /** What the journal has of each: the same object while nothing changes. */
  readonly #saved = new WeakMap<InterruptedReview, SavedReview>();
  /** Those that were rejected, for agents that may not have heard of it. */
  #rejected: readonly SavedReview[] = [];
  /** Reviews that wait again with what such an entry held. */
  readonly #resumed = new WeakSet<Review>();
  #lastId = 0;

  constructor(services: {
    readonly clock: Clock;
    readonly logger: Logger;
    /** See `CompanionOptions.keepsWithdrawnEdits`. */
    readonly keepsWithdrawnEdits?: boolean;
  }) {
    this.#clock = services.clock;
    this.#keepsWithdrawnEdits = services.keepsWithdrawnEdits === true;
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

  /** The same for the journal. */
  get saved(): readonly SavedReview[] {
    return this.all.map((review) => this.#saved.get(review) ?? review);
  }

  /** Whether this review is among them. */
  has(key: string): boolean {
    return this.all.some((review) => review.key === key);
  }

  /** Takes what a companion before has left, but for proposals as they were that are too old to be of use. */
  add(saved: Iterable<SavedReview>, isNew = false): void {
    const now = this.#clock.now();
    for (const review of saved) {
      // A clock that was set back makes it younger than it is, never older.
      const age = now - (review.interruptedAt ?? now);
      if (!isUsersWork(review) && age > untouchedForMs) continue;
      const same = this.#findSame(review);
      if (same === undefined) this.#put(review, isNew);
      else if (review.isAccepted && !same.isAccepted) this.#set(same.id, review, same.isNew);
    }
    this.#forgetUntouched();
    this.#didChange.fire();
  }

  /** Takes rejections that agents of a companion before may not have heard of. */
  addRejected(saved: readonly SavedReview[]): void {
    this.#rejected = saved;
  }

  get rejected(): readonly SavedReview[] {
    return this.#rejected.filter((review) => this.#isAnswerable(review));
  }

  /** What was decided, and may not have been heard. */
  get undelivered(): readonly SavedReview[] {
    const accepted = this.all.filter(
      (review) => review.isAccepted && !review.isTold && this.#isAnswerable(review),
    );
    return [...accepted, ...this.rejected];
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
    const { id: _id, isNew, ...saved } = review;
    this.#set(id, { ...saved, content }, isNew);
    this.#didChange.fire();
  }

  /** The user has decided on a proposal: an earlier acceptance that may not have been written counts no longer. */
  supersede(proposal: Proposal): void {
    this.#rejected = this.#rejected.filter((review) => !isSuperseded(review, proposal));
    for (const review of this.all) {
      if (review.isAccepted && isSuperseded(review, proposal)) this.remove(review.id);
    }
  }

  /** What a person had made of this very proposal, and whether that was a decision on the file as it is now. */
  editsFor(proposal: Proposal, original: FileContent): InterruptedEdits | undefined {
    const found = this.#findFor(proposal);
    const decided = this.undelivered.findLast((review) => isFor(review, proposal));
    if (decided === undefined || !isDeepStrictEqual(decided.original, original)) return found;
    return { ...decided, decision: decided.isAccepted ? 'accepted' : 'rejected' };
  }

  /** Gives entries to reviews that take their place, and takes them back when nobody waits for those either. */
  follow(reviews: Reviews): void {
    this.#owned.add(
      reviews.onDidOpen((review) => {
        this.#rejected = this.#rejected.filter((each) => !isFor(each, review.proposal));
        const taken = this.#findFor(review.proposal);
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
        const isTakenBack = outcome.reason === 'agent' || outcome.reason === 'replaced';
        if (isTakenBack && !(this.#keepsWithdrawnEdits && review.isEdited)) return;
        if (!review.isEdited && !this.#resumed.has(review)) return;
        this.#put(saveReview(review, { interruptedAt: this.#clock.now() }));
        this.#didChange.fire();
      }),
    );
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #findFor(proposal: Proposal): InterruptedReview | undefined {
    return this.all.findLast((review) => isFor(review, proposal));
  }

  #isAnswerable({ interruptedAt = 0 }: SavedReview): boolean {
    return this.#clock.now() - interruptedAt <= answersForMs;
  }

  /** Two windows that started at once may have found the same. A decision on one of them counts for both. */
  #findSame({ agent, path, proposed, content }: SavedReview): InterruptedReview | undefined {
    const isSame = (each: InterruptedReview): boolean =>
      each.agent === agent && each.path === path && each.proposed === proposed && each.content === content;
    return this.all.find(isSame);
  }

  #put(saved: SavedReview, isNew = false): void {
    this.#set(`i${++this.#lastId}`, saved, isNew);
  }

  #set(id: string, saved: SavedReview, isNew: boolean): void {
    const { interruptedAt = this.#clock.now() } = saved;
    const review = { ...saved, id, interruptedAt, isNew };
    this.#all.set(id, review);
    this.#saved.set(review, saved.interruptedAt === undefined ? { ...saved, interruptedAt } : saved);
  }

  #forgetUntouched(): void {
    let [count, size] = [0, 0];
    for (const review of this.all.toReversed()) {
      if (isUsersWork(review)) continue;
      count += 1;
      size += review.proposed.length;
      if (count > maxUntouched || size > maxUntouchedText) this.#all.delete(review.id);
    }
  }
}

/**
 * Whether what was decided on an earlier review counts no longer, now that one of this proposal is decided: the same was
 * proposed again, or the same session goes on with the file.
 */
export function isSuperseded(
  earlier: Pick<SavedReview, 'agent' | 'session' | 'path' | 'proposed'>,
  { agent, session, path, content }: Proposal,
): boolean {
  const isSameFile = earlier.agent === agent && earlier.path === path;
  return isSameFile && (earlier.session === session || earlier.proposed === content);
}

function isFor({ agent, path, proposed }: SavedReview, proposal: Proposal): boolean {
  return agent === proposal.agent && path === proposal.path && proposed === proposal.content;
}
