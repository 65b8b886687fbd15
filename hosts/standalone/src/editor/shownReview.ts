import { describeReview, pausing, summariseUnedited } from '@tandem/companion';
import {
  alreadyDecided,
  type Disposable,
  DisposableStore,
  FileConflictError,
  type FileFollower,
  hasConflictMarkers,
  hasSameLines,
  type LineCounts,
  logListenerError,
  type Pause,
  type Review,
  toDisposable,
  toReviewText,
} from '@tandem/core';
import type { PageReview, PageReviewDetails, TextUpdate } from '@tandem/page/wire';
import { RpcError } from '@tandem/rpc';
import { followReviewFile } from './followReviewFile.js';
import type { FileServices } from './openDocument.js';
import { SharedText } from './sharedText.js';

/** Up to this length, in code units, the review receives every edit at once. */
const smallText = 200_000;
/** Larger texts are compared with the proposal at most this often, and for at most this share of time. */
const minDelayMs = 50;
const maxShare = 0.2;

/** A review for the wire, without the names that the editor does not know. */
export type ShownReviewSummary = Omit<PageReview, 'agentName' | 'label'>;
export type ShownReviewDetails = Omit<PageReviewDetails, 'review'> & { readonly review: ShownReviewSummary };

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
  #reading: NodeJS.Timeout | undefined;
  #lastCostMs = 0;
  #counts: LineCounts = { added: 0, removed: 0 };
  #hasMarkers = false;

  constructor(review: Review, services: FileServices) {
    this.review = review;
    this.#services = services;
    this.file = this.#owned.add(followReviewFile(review, services));
    this.#owned.add(review.onDidChange(() => this.#follow()));
    this.#owned.add(review.onDidDecide(() => this.#stopReading()));
    this.#owned.add(toDisposable(() => this.#stopReading()));
  }

  get id(): string {
    return this.review.id;
  }

  /** Created on first use, for the first page that shows it: splitting a large text into lines must not delay an agent. */
  get text(): SharedText {
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

  /** Rejects the change. Throws `already-decided`. */
  reject(): void {
    if (!this.review.reject()) throw alreadyDecided(this.review);
  }

  /**
   * Keeps or drops a hunk. Rejects with `refused` if its lines were edited, `bad-params` if there is no such hunk, and
   * `already-decided`.
   */
  setHunk(index: number, isKept: boolean): Promise<void> {
    return this.review.setHunk(index, isKept, pausing());
  }

  /** Merges the file with conflict markers. Rejects with `refused` and `already-decided`. */
  async markConflicts(): Promise<void> {
    try {
      await this.file.markConflicts();
    } catch (error) {
      if (!(error instanceof FileConflictError)) throw error;
      throw new RpcError('refused', `${error.message} Edit the proposal here.`, { cause: error });
    }
  }

  /** Compares the texts for `summary` in short steps. */
  async compare(pause: Pause): Promise<void> {
    // During typing into a large text, the values of the last pause are used.
    if (this.#reading === undefined) await this.review.compare(pause);
  }

  /** Without the texts. Cheap: it is called after every burst of changes. */
  summary(): ShownReviewSummary {
    const { review } = this;
    // During typing into a large text, the values of the last pause are used.
    if (this.#reading === undefined) {
      this.#counts = review.lineCounts;
      this.#hasMarkers = hasConflictMarkers(review);
    }
    return {
      ...factsOf(review),
      ...(review.basis > 0 && { basis: review.basis }),
      isFileChanged: this.file.isInConflict,
      ...(this.file.relation === 'deleted' && { isFileDeleted: true }),
      ...(this.file.canUndoMerge && { canUndoMerge: true }),
      ...(this.#hasMarkers && { hasConflictMarkers: true }),
      isEdited: this.#reading !== undefined || review.isEdited,
      ...this.#counts,
    };
  }

  details(): ShownReviewDetails {
    const { notes, ...texts } = textsOf(this.review);
    return {
      review: this.summary(),
      ...texts,
      notes: [...notes, ...this.#noteOnEmptyAnswer()],
      text: { version: this.text.version, content: this.text.content },
    };
  }

  dispose(): void {
    // The review gets the last edits.
    if (this.#reading !== undefined && this.review.outcome === undefined) this.#read();
    this.#owned.dispose();
  }

  #noteOnEmptyAnswer(): string[] {
    const { content, cannotAnswerEmpty } = this.review.proposal;
    if (cannotAnswerEmpty !== true || (content !== '' && this.text.length > 0)) return [];
    return content === ''
      ? [
          'This agent cannot receive an empty text. Its own proposal is also empty, so the result is the same.',
        ]
      : [
          'This agent cannot receive an empty text. Leave at least one line, or reject the proposal and empty the file yourself.',
        ];
  }

  /** Of the text. Pages that never saw it have version 0. */
  get version(): number {
    return this.#text?.version ?? this.review.version;
  }

  /** The review changed: here, by a hunk, or in a terminal. */
  #follow(): void {
    if (this.#text === undefined) return;
    const content = toReviewText(this.review.content);
    if (!hasSameLines(content, this.text.content)) this.text.replace(content);
  }

  #editSoon(): void {
    this.review.editSoon(() => this.text.content);
    this.#reading ??= setTimeout(() => this.#read(), Math.max(minDelayMs, this.#lastCostMs / maxShare));
  }

  /** Reading the review's content applies the edits. */
  #read(): void {
    this.#stopReading();
    const startedAt = performance.now();
    this.#counts = this.review.lineCounts;
    this.#lastCostMs = performance.now() - startedAt;
  }

  #stopReading(): void {
    clearTimeout(this.#reading);
    this.#reading = undefined;
  }

  #requirePending(): void {
    if (this.review.outcome !== undefined) throw alreadyDecided(this.review);
  }
}

/** A review that has ended, without a view of it. */
export function describeEnded(review: Review): ShownReviewDetails {
  const { isEdited, lineCounts, content } = review;
  return {
    review: { ...factsOf(review), isFileChanged: false, isEdited, ...lineCounts },
    ...textsOf(review),
    text: { version: 0, content: toReviewText(content) },
  };
}

function factsOf(review: Review) {
  const { decidedAt, proposal } = review;
  return {
    ...summariseUnedited(review),
    hunks: review.hunks.length,
    ...(decidedAt !== undefined && { decidedAt }),
    cannotAnswerEmpty: proposal.cannotAnswerEmpty === true,
  };
}

function textsOf(review: Review) {
  const { original, proposed, hunkList, commentList, notes } = describeReview(review);
  return {
    original: toReviewText(original ?? ''),
    proposed: toReviewText(proposed),
    hunks: hunkList.map((hunk) => ({ ...hunk })),
    comments: commentList,
    notes,
  };
}
