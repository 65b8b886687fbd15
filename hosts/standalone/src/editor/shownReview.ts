import {
  describeNotes,
  describeReview,
  describeUnedited,
  pausing,
  type ReviewContext,
} from '@tandem/companion';
import { type Disposable, DisposableStore, logListenerError, toDisposable } from '@tandem/core';
import type { PageReviewDetails, TextUpdate } from '@tandem/page/wire';
import {
  alreadyDecided,
  type FileFollower,
  hasSameLines,
  type LineCounts,
  type Pause,
  type Review,
  type ReviewNote,
  toReviewText,
} from '@tandem/reviews';
import type { ReviewSummary } from '@tandem/rpc';
import { followReviewFile } from './followReviewFile.js';
import type { FileServices } from './openDocument.js';
import { SharedText } from './sharedText.js';

/** Up to this length, in code units, the review receives every edit at once. */
const smallText = 200_000;
/** Larger texts are compared with the proposal at most this often, and for at most this share of time. */
const minDelayMs = 50;
const maxShare = 0.2;

/**
 * A review in the page. Pages edit `text`, and the review has the same content. The review restores the proposal's final
 * newline, line ends and byte order mark; `text` keeps what was typed, so that nothing changes around the cursor. After the
 * review has ended, the text is read-only. The creator disposes it; that does not end the review. Errors are those of
 * `toRpcError`.
 */
export class ShownReview implements Disposable {
  readonly review: Review;
  readonly file: FileFollower;

  readonly #owned = new DisposableStore();
  readonly #services: FileServices;
  #text: SharedText | undefined;
  /** Until the review reads the edits of a large text, and while it does. */
  #waiting: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #lastCostMs = 0;
  /** The review changed, and the text has not followed yet. */
  #isBehind = false;
  #following: Promise<void> | undefined;
  #counts: LineCounts = { added: 0, removed: 0 };
  #notes: readonly ReviewNote[] = [];

  constructor(review: Review, services: FileServices) {
    this.review = review;
    this.#services = services;
    this.file = this.#owned.add(followReviewFile(review, services));
    this.#owned.add(review.onDidChange(() => this.#follow()));
    this.#owned.add(review.onDidDecide(() => this.#stopWaiting()));
    this.#owned.add(toDisposable(() => this.#stopWaiting()));
  }

  get id(): string {
    return this.review.id;
  }

  /** Created on first use, for the first page that shows it: splitting a large text into lines must not delay an agent. */
  get text(): SharedText {
    this.#followNow();
    this.#text ??= this.#owned.add(
      new SharedText(
        toReviewText(this.review.content),
        logListenerError(this.#services.logger, 'the text of a review'),
        this.review.version,
      ),
    );
    return this.#text;
  }

  /**
   * Applies the edits that a page made at `version`; returns `false` if that is not the newest. The review keeps them, however it
   * ends. Throws `already-decided`, and `bad-params`.
   */
  push(version: number, updates: readonly TextUpdate[]): boolean {
    this.#requirePending();
    const { version: before } = this.text;
    if (!this.text.push(version, updates)) return false;
    if (this.text.version === before) return true;
    if (this.text.length <= smallText) this.review.edit(this.text.content);
    else this.#editSoon();
    return true;
  }

  /** Compares the texts for `summary` in short steps. */
  async compare(pause: Pause): Promise<void> {
    // During typing into a large text, the values of the last pause are used.
    if (this.#waiting !== undefined) return;
    await this.#reading;
    await this.review.compare(pause);
  }

  /** Without the texts. Cheap: it is called after every burst of changes. */
  summary(context: ReviewContext): ReviewSummary {
    const { review } = this;
    const known = { ...context, file: this.file };
    // During typing into a large text, the values of the last pause are used.
    if (!this.#isTyping) {
      this.#counts = review.lineCounts;
      this.#notes = describeNotes(review, known);
    }
    return {
      ...describeUnedited(review, known),
      hunks: review.hunks.length,
      isEdited: this.#isTyping || review.isEdited,
      ...(!this.#isTyping && review.isEdited && !review.hasUsersEdits && { isMerged: true }),
      notes: this.#notes,
      ...this.#counts,
    };
  }

  details(): Omit<PageReviewDetails, 'review'> {
    return {
      ...textsOf(this.review),
      text: { version: this.text.version, content: this.text.content },
    };
  }

  dispose(): void {
    // The review gets the last edits.
    if (this.#isTyping) this.review.settle();
    this.#owned.dispose();
  }

  /** Of the text. Pages that never saw it have version 0. */
  get version(): number {
    this.#followNow();
    return this.#text?.version ?? this.review.version;
  }

  /**
   * The review changed: here, by a hunk, or in a terminal. The text follows in short steps; who needs it before that, such as
   * an edit of a page, does not see the text of before.
   */
  #follow(): void {
    if (this.#text === undefined) return;
    this.#isBehind = true;
    if (this.#following !== undefined) return;
    const following = this.#prepareToFollow(this.#text, pausing());
    this.#following = following?.finally(() => {
      this.#following = undefined;
      this.#followNow();
    });
    if (following === undefined) this.#followNow();
  }

  #prepareToFollow(text: SharedText, pause: Pause): Promise<void> | undefined {
    const wanted = (): string => toReviewText(this.review.content);
    const prepare = (): Promise<void> | undefined =>
      hasSameLines(wanted(), text.content) ? undefined : text.prepareReplace(wanted, pause);
    const preparing = text.prepareContent(pause);
    return preparing === undefined ? prepare() : preparing.then(prepare);
  }

  #followNow(): void {
    if (!this.#isBehind || this.#text === undefined) return;
    this.#isBehind = false;
    const content = toReviewText(this.review.content);
    if (!hasSameLines(content, this.#text.content)) this.#text.replace(content);
  }

  /** Whether the review does not know the last edits yet, or they are not compared. */
  get #isTyping(): boolean {
    return this.#waiting !== undefined || this.#reading !== undefined;
  }

  #editSoon(): void {
    const { text } = this;
    this.review.editSoon(() => text.content);
    const delayMs = Math.max(minDelayMs, this.#lastCostMs / maxShare);
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined;
      const reading = this.#read(this.#reading).finally(() => {
        if (this.#reading === reading) this.#reading = undefined;
      });
      this.#reading = reading;
    }, delayMs);
  }

  /** Reading the review's content applies the edits; comparing it takes longer. */
  async #read(before: Promise<void> | undefined): Promise<void> {
    await before;
    let costMs = 0;
    let startedAt = performance.now();
    const pause = pausing();
    const counted: Pause = () => {
      const paused = pause();
      if (paused === undefined) return undefined;
      costMs += performance.now() - startedAt;
      return paused.then(() => {
        startedAt = performance.now();
      });
    };
    await this.text.prepareContent(counted);
    await this.review.compare(counted);
    this.#lastCostMs = costMs + performance.now() - startedAt;
  }

  #stopWaiting(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
  }

  #requirePending(): void {
    if (this.review.outcome !== undefined) throw alreadyDecided(this.review);
  }
}

/** The texts of a review that has ended, without a view of it. */
export function endedDetails(review: Review): Omit<PageReviewDetails, 'review'> {
  return { ...textsOf(review), text: { version: 0, content: toReviewText(review.content) } };
}

function textsOf(review: Review) {
  const { original, proposed, hunkList, commentList } = describeReview(review);
  return {
    original: toReviewText(original ?? ''),
    proposed: toReviewText(proposed),
    hunks: hunkList.map((hunk) => ({ ...hunk })),
    comments: commentList,
  };
}
