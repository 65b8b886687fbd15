import { EditorSelection, type StateEffect } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import * as z from 'zod';

/** The selection and the scroll position in a text. */
export const position = z.object({
  ranges: z.array(z.object({ anchor: z.int().min(0), head: z.int().min(0) })).min(1),
  main: z.int().min(0),
  /** The first visible character, and its distance from the corner of the scrolled element. */
  at: z.int().min(0),
  left: z.number(),
  top: z.number(),
});
export type TextPosition = z.infer<typeof position>;

/** A new text is scrolled to its position for at most this many frames, or until it stays there. */
const settlingFrames = 60;
const calmFrames = 5;

/** The oldest of more is removed. */
const mostPositions = 200;

/** The current position; absent while the editor is hidden. `scroller` scrolls the editor vertically. */
function positionOf(view: EditorView, scroller: Element = view.scrollDOM): TextPosition | undefined {
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

/** An editor that is being scrolled to a position. */
interface Restoring {
  /** The position, until the editor has reached it or the user has scrolled or typed. */
  readonly target: TextPosition | undefined;
  stop(): void;
}

/** Scrolls a new editor to a position as soon as it is shown. Its text may have changed. */
function goToPosition(
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
      // The editor may correct the scroll position once more when it knows the heights.
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

/** The left edge of the text, after the gutters. */
function leftOf({ scrollDOM }: EditorView): number {
  const gutters = scrollDOM.querySelector('.cm-gutters')?.getBoundingClientRect().width ?? 0;
  return scrollDOM.getBoundingClientRect().left + gutters;
}

/** The last position in each text of the page, by the keys of the tabs. */
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

  /** `look` returns the position while an editor shows this text. Returns a function that ends it. */
  follow(key: string, look: () => TextPosition | undefined): () => void {
    this.#shown.set(key, look);
    return () => {
      this.keep(key);
      if (this.#shown.get(key) === look) this.#shown.delete(key);
    };
  }

  /** Stores the current position. */
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

/** The position of an editor, kept for the next editor of the same text. */
export interface KeptPosition {
  /** Whether the editor is scrolled to an earlier position. */
  readonly isRestored: boolean;
  /** Stops scrolling, because the editor shows another position. */
  stop(): void;
  /** Stores the position. Call it before the editor is destroyed. */
  end(): void;
}

/** Restores the last position in a new editor, unless it shows another one, and keeps its position from now on. */
export function keepPosition(
  key: string,
  view: EditorView,
  options: { readonly scroller?: Element | undefined; readonly restores?: boolean } = {},
): KeptPosition {
  const last = options.restores === false ? undefined : textPositions.get(key);
  const restoring = last && goToPosition(view, last, options.scroller);
  const end = textPositions.follow(key, () => restoring?.target ?? positionOf(view, options.scroller));
  return {
    isRestored: restoring !== undefined,
    stop: () => restoring?.stop(),
    end: () => {
      end();
      restoring?.stop();
    },
  };
}
