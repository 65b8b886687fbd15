import { EditorSelection, type StateEffect } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import * as z from 'zod';

/** Where the user was in a text: positions in it, and pixels. */
export const position = z.object({
  ranges: z.array(z.object({ anchor: z.int().min(0), head: z.int().min(0) })).min(1),
  main: z.int().min(0),
  /** The first visible character, and how far from the corner of what scrolls it is. */
  at: z.int().min(0),
  left: z.number(),
  top: z.number(),
});
export type TextPosition = z.infer<typeof position>;

/** For at most so long a text that was just laid out is kept at its spot, and no longer than it takes to stay there. */
const settlingFrames = 60;
const calmFrames = 5;

/** So many are kept; the oldest goes first. */
const mostPositions = 200;

/** Where the user is in the text of an editor; absent while it is not shown. `scroller` is what scrolls it up and down. */
export function positionOf(view: EditorView, scroller: Element = view.scrollDOM): TextPosition | undefined {
  if (scroller.clientHeight === 0) return undefined;
  const { selection } = view.state;
  const corner = { x: leftOf(view), y: scroller.getBoundingClientRect().top };
  const line = view.lineBlockAtHeight(Math.max(0, corner.y - view.documentTop)).from;
  const at =
    view.scrollDOM.scrollLeft === 0 ? line : (view.posAtCoords({ ...corner, y: corner.y + 1 }) ?? line);
  const box = view.coordsAtPos(at, 1);
  return {
    ranges: selection.ranges.map(({ anchor, head }) => ({ anchor, head })),
    main: selection.mainIndex,
    at,
    left: box === null ? 0 : box.left - corner.x,
    top: box === null ? 0 : box.top - corner.y,
  };
}

/** An editor on its way to a spot. */
export interface Restoring {
  /** The spot, until the editor has arrived or the user has scrolled or typed: before that, its position means nothing. */
  readonly target: TextPosition | undefined;
  stop(): void;
}

/** Takes an editor that was just made to a spot, as soon as it is shown; its text may be another one by now. */
export function goToPosition(
  view: EditorView,
  position: TextPosition,
  scroller: Element = view.scrollDOM,
): Restoring {
  const { ranges, main, at, left, top } = position;
  const within = (position: number): number => Math.min(position, view.state.doc.length);
  const selection = ranges.map(({ anchor, head }) => EditorSelection.range(within(anchor), within(head)));
  const scroll = (): StateEffect<unknown> =>
    EditorView.scrollIntoView(EditorSelection.cursor(within(at), 1), {
      y: 'start',
      x: 'start',
      yMargin: top,
      xMargin: left,
    });
  view.dispatch({
    selection: EditorSelection.create(selection, Math.min(main, selection.length - 1)),
    effects: scroll(),
  });
  const stop = new AbortController();
  const onInput = (): void => stop.abort();
  let frames = settlingFrames;
  let calm = 0;
  const again = (): void => {
    frames -= 1;
    if (frames < 0 || calm === calmFrames || !view.dom.isConnected) stop.abort();
    if (stop.signal.aborted) return;
    const box = view.coordsAtPos(within(at), 1);
    if (box === null) view.dispatch({ effects: scroll() });
    else {
      // An editor may move what scrolls once more after it has scrolled it, when it knows the heights.
      const down = box.top - scroller.getBoundingClientRect().top - top;
      const right = box.left - leftOf(view) - left;
      const isThere = Math.abs(down) <= 1 && Math.abs(right) <= 1;
      calm = isThere ? calm + 1 : 0;
      if (!isThere) {
        scroller.scrollTop += down;
        view.scrollDOM.scrollLeft += right;
      }
    }
    requestAnimationFrame(again);
  };
  // Behind another tab nothing is laid out. Once it is, what lies above has a height that is only guessed at first, and two
  // sides are aligned a frame later.
  const shown = new ResizeObserver(() => {
    if (view.dom.clientHeight === 0 && view.dom.isConnected) return;
    shown.disconnect();
    for (const name of ['wheel', 'keydown', 'pointerdown'])
      window.addEventListener(name, onInput, { capture: true, passive: true, signal: stop.signal });
    again();
  });
  shown.observe(view.dom);
  return {
    get target() {
      return stop.signal.aborted ? undefined : position;
    },
    stop: () => stop.abort(),
  };
}

/** Where the text begins at the left: the gutters stand still before it. */
function leftOf({ scrollDOM }: EditorView): number {
  const gutters = scrollDOM.querySelector('.cm-gutters')?.getBoundingClientRect().width ?? 0;
  return scrollDOM.getBoundingClientRect().left + gutters;
}

/** Where the user was in each text of the page, by the keys of the tabs, for when they come back. */
export class TextPositions {
  readonly #kept = new Map<string, TextPosition>();
  readonly #shown = new Map<string, () => TextPosition | undefined>();

  get(key: string): TextPosition | undefined {
    return this.#kept.get(key);
  }

  set(key: string, at: TextPosition): void {
    this.#kept.delete(key);
    this.#kept.set(key, at);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostPositions && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** `look` says where the user is while an editor shows this text. Returns what ends that. */
  follow(key: string, look: () => TextPosition | undefined): () => void {
    this.#shown.set(key, look);
    return () => {
      this.keep(key);
      if (this.#shown.get(key) === look) this.#shown.delete(key);
    };
  }

  /** Looks where the user is now. */
  keep(key: string): void {
    const now = this.#shown.get(key)?.();
    if (now !== undefined) this.set(key, now);
  }

  forget(key: string): void {
    this.#kept.delete(key);
  }

  /** All of them, the oldest first. */
  entries(): readonly (readonly [string, TextPosition])[] {
    return [...this.#kept];
  }
}

export const textPositions = new TextPositions();
