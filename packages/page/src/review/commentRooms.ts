import { getChunks, type MergeView } from '@codemirror/merge';
import type { EditorView } from '@codemirror/view';
import { type CommentRoom, commentPositions, setCommentRooms } from './commentBoxes.js';
import { acrossFrom, spanOf } from './hiddenLines.js';

/**
 * Keeps the unchanged lines of two sides beside each other below the box of a comment: the other side has room of the same height.
 * A merge view aligns its sides only at changes.
 */
export class CommentRooms {
  readonly #merge: MergeView;
  /** The last heights of boxes by their keys, also while they are scrolled away. */
  readonly #heights = new Map<string, number>();
  readonly #keys = new Map<Element, string>();
  readonly #observer: ResizeObserver;

  constructor(merge: MergeView) {
    this.#merge = merge;
    this.#observer = new ResizeObserver((entries) => {
      for (const { target, borderBoxSize } of entries) {
        const key = this.#keys.get(target);
        const height = borderBoxSize[0]?.blockSize ?? 0;
        if (key !== undefined && height > 0) this.#heights.set(key, height);
      }
      this.#align();
    });
  }

  /** A box appeared or disappeared. */
  onBox(key: string, box: Element, isShown: boolean): void {
    if (isShown) {
      this.#keys.set(box, key);
      this.#observer.observe(box);
    } else {
      this.#keys.delete(box);
      this.#observer.unobserve(box);
    }
  }

  /** There are only these boxes now. */
  forgetAllBut(spots: readonly { readonly key: string }[]): void {
    const left = new Set(spots.map(({ key }) => key));
    const gone = [...this.#heights.keys()].filter((key) => !left.has(key));
    if (gone.length === 0) return;
    for (const key of gone) this.#heights.delete(key);
    this.#align();
  }

  dispose(): void {
    this.#observer.disconnect();
  }

  #align(): void {
    const { a, b } = this.#merge;
    setCommentRooms(b, this.#roomsBeside(a));
    setCommentRooms(a, this.#roomsBeside(b));
  }

  #roomsBeside({ state }: EditorView): CommentRoom[] {
    const { chunks = [], side = null } = getChunks(state) ?? {};
    return commentPositions(state).flatMap(({ key, at }) => {
      const height = this.#heights.get(key);
      // The merge view makes room for what is in a change.
      const isInChange = chunks.some((chunk) => {
        const { from, to } = spanOf(chunk, side);
        return from <= at && at < to;
      });
      return height === undefined || isInChange ? [] : [{ at: acrossFrom(state, at), height }];
    });
  }
}
