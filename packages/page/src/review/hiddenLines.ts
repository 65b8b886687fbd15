import { type Chunk, getChunks, mergeViewSiblings } from '@codemirror/merge';
import {
  type EditorState,
  type Extension,
  RangeSetBuilder,
  StateEffect,
  StateField,
  type Text,
} from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';

/** Visible lines around a change, and the fewest lines that are hidden. */
const margin = 3;
const fewest = 6;
/** How many lines one press shows. */
const step = 20;

/** Shows some of the hidden lines that begin at a position. */
interface Showing {
  readonly from: number;
  /** How many at their start, and how many at their end. */
  readonly first: number;
  readonly last: number;
}

const show = StateEffect.define<Showing>({
  map: (value, changes) => ({ ...value, from: changes.mapPos(value.from) }),
});

const hidden = StateField.define<DecorationSet>({
  create: hideUnchanged,
  update(lines, { state, startState, changes, effects }) {
    let now = lines.map(changes);
    for (const effect of effects) if (effect.is(show)) now = shown(now, effect.value, state.doc);
    const found = getChunks(state);
    if (now.size === 0 || found === null || found.chunks === getChunks(startState)?.chunks) return now;
    // A change that the user makes in another way, such as undo, is visible.
    const touched = new Set<number>();
    for (const chunk of found.chunks) {
      const { from, to } = spanOf(chunk, found.side);
      now.between(from, to, (start) => void touched.add(start));
    }
    return touched.size === 0 ? now : now.update({ filter: (start) => !touched.has(start) });
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Hides unchanged lines far from changes. Moving the cursor into them shows them, without a mouse. */
export const hiddenLines: Extension = [
  hidden,
  EditorView.updateListener.of(({ view, selectionSet }) => {
    if (selectionSet) expandAt(view, view.state.selection.main.head);
  }),
];

/** Shows the hidden lines around a position, on both sides; false when none are hidden there. */
export function expandAt(view: EditorView, position: number): boolean {
  let from: number | undefined;
  view.state.field(hidden, false)?.between(position, position, (start) => {
    from = start;
  });
  if (from === undefined) return false;
  showOnBothSides(view, { from, first: Number.POSITIVE_INFINITY, last: 0 });
  return true;
}

function showOnBothSides(view: EditorView, showing: Showing): void {
  view.dispatch({ effects: show.of(showing) });
  const pair = mergeViewSiblings(view);
  if (pair === null) return;
  const other = view === pair.a ? pair.b : pair.a;
  other.dispatch({ effects: show.of({ ...showing, from: acrossFrom(view.state, showing.from) }) });
}

/** Where a position outside of changes lies on the other side. */
export function acrossFrom(state: EditorState, position: number): number {
  const { chunks = [], side = null } = getChunks(state) ?? {};
  const before = chunks.findLast((chunk) => spanOf(chunk, side).to <= position);
  if (before === undefined) return position;
  const shift = before.toB - before.toA;
  return side === 'a' ? position + shift : position - shift;
}

/** The part of a change on one side. A unified view has that of the text. */
export function spanOf(
  { fromA, toA, fromB, toB }: Chunk,
  side: 'a' | 'b' | null,
): { readonly from: number; readonly to: number } {
  return side === 'a' ? { from: fromA, to: toA } : { from: fromB, to: toB };
}

function hideUnchanged(state: EditorState): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const { doc } = state;
  const { chunks = [], side = null } = getChunks(state) ?? {};
  const hide = (first: number, last: number): void => {
    if (last - first + 1 >= fewest)
      builder.add(doc.line(first).from, doc.line(last).to, hiding(doc, first, last));
  };
  let next = 1;
  for (const chunk of chunks) {
    const { from, to } = spanOf(chunk, side);
    hide(next, doc.lineAt(Math.min(from, doc.length)).number - 1 - margin);
    next = doc.lineAt(Math.min(doc.length, to)).number + margin;
  }
  hide(next, doc.lines);
  return builder.finish();
}

function hiding(doc: Text, first: number, last: number): Decoration {
  const widget = new HiddenLines(last - first + 1, { isFirst: first === 1, isLast: last === doc.lines });
  return Decoration.replace({ widget, block: true });
}

function shown(lines: DecorationSet, { from, first, last }: Showing, doc: Text): DecorationSet {
  let end: number | undefined;
  lines.between(from, from, (start, to) => {
    if (start === from) end = to;
  });
  if (end === undefined) return lines;
  const begin = doc.lineAt(from).number + first;
  const stop = doc.lineAt(end).number - last;
  const left = begin <= stop ? [hiding(doc, begin, stop).range(doc.line(begin).from, doc.line(stop).to)] : [];
  return lines.update({ filter: (start) => start !== from, add: left });
}

/** The row in place of hidden lines: a press shows all, or the next ones beside a change. */
class HiddenLines extends WidgetType {
  readonly #count: number;
  /** Whether they begin or end the text: there is no change beside that end. */
  readonly #place: { readonly isFirst: boolean; readonly isLast: boolean };

  constructor(count: number, place: { readonly isFirst: boolean; readonly isLast: boolean }) {
    super();
    this.#count = count;
    this.#place = place;
  }

  override eq(other: HiddenLines): boolean {
    const { isFirst, isLast } = this.#place;
    return this.#count === other.#count && isFirst === other.#place.isFirst && isLast === other.#place.isLast;
  }

  override get estimatedHeight(): number {
    return 27;
  }

  override toDOM(view: EditorView): HTMLElement {
    const row = document.createElement('div');
    row.className = 'cm-hiddenLines';
    const add = (text: string, title: string, first: number, last: number): void => {
      const button = row.appendChild(document.createElement('button'));
      button.type = 'button';
      button.tabIndex = -1;
      button.textContent = text;
      button.title = title;
      // The caret stays where it is.
      button.addEventListener('mousedown', (event) => event.preventDefault());
      button.addEventListener('click', () =>
        showOnBothSides(view, { from: view.posAtDOM(row), first, last }),
      );
    };
    add(`Show ${this.#count} unchanged lines`, '', Number.POSITIVE_INFINITY, 0);
    if (this.#count <= step) return row;
    const { isFirst, isLast } = this.#place;
    if (!isFirst) add(`↓ ${step}`, `Show the first ${step} of them`, step, 0);
    if (!isLast) add(`↑ ${step}`, `Show the last ${step} of them`, 0, step);
    return row;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}
