import { describeReview, pausing, type ReviewContext } from '@tandem/companion';
import type { ReviewDetails } from '@tandem/companion/control';
import { type Disposable, DisposableStore, toDisposable } from '@tandem/core';
import {
  alreadyDecided,
  type FileFollower,
  finish,
  hasSameLines,
  presentActions,
  type Review,
  toReviewText,
} from '@tandem/reviews';
import { type ShownReview, shownReview } from './protocol.js';

export interface RemoteReviewOptions {
  readonly review: Review;
  readonly file: FileFollower;
  /** What the companion knows of it. */
  readonly context: (review: Review) => ReviewContext;
  /** Sends the review, as it is now, to the editor. */
  readonly send: (review: ShownReview) => void;
}

/** An edit of the editor: its text, and the version that it is based on. */
interface SentEdit {
  readonly version: number;
  readonly typed: string;
}

/** An edit of an older text than these is merged with the oldest of them. */
const maxBases = 20;

/**
 * A review in an editor in another process. Both sides may change the text at the same time: the editor names the version that its
 * edit is based on, and the edit is merged with what changed since. On the same lines, the user's text wins. The creator disposes
 * it.
 */
export class RemoteReview implements Disposable {
  readonly review: Review;
  readonly file: FileFollower;

  readonly #options: RemoteReviewOptions;
  readonly #owned = new DisposableStore();
  /** The last common text of each version that the editor may have: what was sent, then what the editor sent back. */
  readonly #bases = new Map<number, string>();
  #version = 0;
  #sending: NodeJS.Immediate | undefined;
  #isTaking = false;
  /** Edits that are being merged. If the review ends before that, it has them anyway. */
  readonly #waiting = new Set<SentEdit>();
  /** What the editor shows besides the text. */
  #shownState = '';

  constructor(options: RemoteReviewOptions) {
    this.#options = options;
    this.review = options.review;
    this.file = this.#owned.add(options.file);
    const changed = (): void => this.#changed();
    this.#owned.add(this.review.onDidChange(changed));
    this.#owned.add(this.review.onDidChange(() => this.#keepWaiting()));
    this.#owned.add(this.file.onDidChange(changed));
    this.#owned.add(toDisposable(() => clearImmediate(this.#sending)));
  }

  /** The review as it is now, as the next version. */
  next(): ShownReview {
    clearImmediate(this.#sending);
    this.#sending = undefined;
    this.#version += 1;
    const shown = this.#describe();
    this.#bases.set(this.#version, shown.content);
    for (const version of this.#bases.keys()) {
      if (this.#bases.size <= maxBases) break;
      this.#bases.delete(version);
    }
    this.#shownState = this.#state();
    return shown;
  }

  /**
   * Takes the text of the editor, in the order of the calls. Resolves to whether the review now has exactly that text. A review
   * that ends before that has it merged.
   */
  edit(version: number | undefined, content: string): Promise<boolean> {
    const { review } = this;
    if (review.outcome !== undefined) throw alreadyDecided(review);
    const edit = {
      version: Math.min(version ?? this.#version, this.#version),
      typed: toSentText(content),
    };
    this.#waiting.add(edit);
    this.#keepWaiting();
    return review.inTurn(async () => {
      const pause = pausing();
      const { base, theirs } = this.#mergeOf(edit);
      if (!hasSameLines(base, theirs)) {
        const merging = review.merges.prepare(() => this.#mergeOf(edit), pause);
        if (merging !== undefined) await merging;
      }
      if (review.outcome === undefined) {
        const editing = review.prepare({ kind: 'edit', text: this.#merged(edit) }, pause);
        if (editing !== undefined) await editing;
      }
      return review.outcome === undefined && this.#take(edit);
    });
  }

  /** Sends the review if the editor shows an old state. */
  refresh(): void {
    if (this.#state() !== this.#shownState) this.#changed();
  }

  /** Whether the editor shows the current text. Without a version, that is not asked. */
  readonly isSeen = (version: number | undefined): boolean => {
    if (version === undefined) return true;
    const base = this.#bases.get(version);
    return base !== undefined && hasSameLines(base, toSentText(this.review.content));
  };

  dispose(): void {
    this.#owned.dispose();
  }

  /** A review that ends includes the edits that wait. Another edit of it cancels that. */
  #keepWaiting(): void {
    if (this.#waiting.size > 0 && this.review.outcome === undefined && !this.#isTaking)
      this.review.editUnfinished(() =>
        [...this.#waiting].reduce((text, edit) => this.#merged(edit, text), this.review.content),
      );
  }

  #take(edit: SentEdit): boolean {
    const { version, typed } = edit;
    const merged = this.#merged(edit);
    this.#waiting.delete(edit);
    this.#isTaking = true;
    try {
      this.review.edit(merged);
    } finally {
      this.#isTaking = false;
    }
    this.#keepWaiting();
    for (const each of [...this.#bases.keys()]) if (each < version) this.#bases.delete(each);
    this.#bases.set(version, typed);
    const isExact = hasSameLines(toSentText(this.review.content), typed);
    if (!isExact || this.#state() !== this.#shownState) this.#changed();
    return isExact;
  }

  #merged(edit: SentEdit, text?: string): string {
    const { base, mine, theirs } = this.#mergeOf(edit, text);
    return hasSameLines(base, theirs) ? mine : finish(this.review.merges.merge(base, mine, theirs)).text;
  }

  /** What an edit is merged from: the text as the editor had it, as it is now, and as the review has it. */
  #mergeOf({ version, typed }: SentEdit, text = this.review.content) {
    const [oldest = ''] = this.#bases.values();
    return { base: this.#bases.get(version) ?? oldest, mine: typed, theirs: toSentText(text) };
  }

  #changed(): void {
    if (this.#isTaking || this.#version === 0 || this.review.outcome !== undefined) return;
    // Several changes in one turn are one message.
    this.#sending ??= setImmediate(() => {
      this.#sending = undefined;
      if (this.review.outcome === undefined) this.#options.send(this.next());
    });
  }

  #describe(): ShownReview {
    const { review } = this;
    const { file } = this;
    return describeShown(describeReview(review, { ...this.#options.context(review), file }), {
      path: review.realPath,
      original: review.original,
      version: this.#version,
      file: file.relation,
    });
  }

  /** Cheap: it is compared after every edit. */
  #state(): string {
    const { review } = this;
    const comments = review.commentCount === 0 ? [] : review.comments.map(({ id, text }) => [id, text]);
    const { notKept } = this.#options.context(review);
    const dropped = review.hasDroppedHunks ? review.keptHunks : [];
    const file = [review.basis, this.file.relation];
    return JSON.stringify([
      dropped,
      file,
      comments,
      notKept,
      presentActions(review, { file: this.file, agentName: '' }),
    ]);
  }
}

/** A review as it is sent. */
export function describeShown(
  details: ReviewDetails,
  { original, ...rest }: Pick<ShownReview, 'path' | 'original' | 'version' | 'file'>,
): ShownReview {
  return shownReview.parse({
    ...details,
    original: original.kind === 'text' ? { ...original, text: toSentText(original.text) } : original,
    proposed: toSentText(details.proposed),
    content: toSentText(details.content),
    hunks: details.hunkList,
    comments: details.commentList,
    warnings: [...(details.end ? [details.end.text] : []), ...details.notes.map(({ text }) => text)],
    ...rest,
  });
}

/** As it is sent. */
function toSentText(text: string): string {
  return toReviewText(text).toWellFormed();
}
