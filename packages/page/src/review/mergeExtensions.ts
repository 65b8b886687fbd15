import { type Chunk, getChunks, getOriginalDoc, type MergeView } from '@codemirror/merge';
import { type Extension, Prec, RangeSetBuilder } from '@codemirror/state';
import {
  type BlockInfo,
  Decoration,
  type DecorationSet,
  type EditorView,
  GutterMarker,
  gutter,
  lineNumberWidgetMarker,
  ViewPlugin,
  type ViewUpdate,
  type WidgetType,
} from '@codemirror/view';
import { firstIndex } from './changeRanges.js';

/**
 * The gutters of a unified view: a sign beside every added and removed line, and the line number in the file beside removed
 * ones. The merge package has one sign for all removed lines of a change.
 */
export const removedLines: Extension = [
  Prec.low(
    gutter({
      class: 'cm-changeGutter',
      lineMarker: (view, { from }) => (isChanged(view, from) ? addedSign : null),
      widgetMarker: (view, widget, block) => rowsBeside(view, widget, block, () => '−'),
      lineMarkerChange: ({ startState, state }) => getChunks(startState)?.chunks !== getChunks(state)?.chunks,
    }),
  ),
  lineNumberWidgetMarker.of((view, widget, block) => rowsBeside(view, widget, block, String)),
  ViewPlugin.define((view) => {
    const align = (): void => view.requestMeasure(alignment);
    align();
    return {
      update: ({ geometryChanged, viewportChanged }) => {
        if (geometryChanged || viewportChanged) align();
      },
    };
  }),
];

class AddedSign extends GutterMarker {
  override elementClass = 'cm-changedLineGutter';
}

const addedSign = new AddedSign();

/** One row for each removed line. */
class RemovedRows extends GutterMarker {
  override elementClass = 'cm-removedRows';
  readonly #texts: readonly string[];

  constructor(texts: readonly string[]) {
    super();
    this.#texts = texts;
  }

  override eq(other: RemovedRows): boolean {
    const { length } = this.#texts;
    return length === other.#texts.length && this.#texts[0] === other.#texts[0];
  }

  override toDOM(): Node {
    const rows = document.createElement('div');
    for (const text of this.#texts) rows.appendChild(document.createElement('div')).textContent = text;
    return rows;
  }
}

function rowsBeside(
  view: EditorView,
  widget: WidgetType,
  { from }: BlockInfo,
  textOf: (line: number) => string,
): GutterMarker | null {
  // The merge package does not export the class of the removed lines' widget. This is its property.
  if (!('buildDOM' in widget)) return null;
  const { length } = view.state.doc;
  const chunk = firstFrom(view, ({ fromB }) => Math.min(fromB, length) >= from);
  if (chunk === undefined || chunk.fromA >= chunk.toA) return null;
  const original = getOriginalDoc(view.state);
  const first = original.lineAt(chunk.fromA).number;
  const count = original.lineAt(chunk.endA).number - first + 1;
  return new RemovedRows(Array.from({ length: count }, (_none, at) => textOf(first + at)));
}

function isChanged(view: EditorView, position: number): boolean {
  const chunk = firstFrom(view, ({ toB }) => toB > position);
  return chunk !== undefined && chunk.fromB <= position && chunk.fromB < chunk.toB;
}

/** The first chunk that satisfies a condition, which all later chunks satisfy too. */
function firstFrom(view: EditorView, isReached: (chunk: Chunk) => boolean): Chunk | undefined {
  const chunks = getChunks(view.state)?.chunks ?? [];
  return chunks[firstIndex(chunks, isReached)];
}

/** Gives each row the height of its line, which may be wrapped. */
const alignment = {
  key: 'rows of removed lines',
  read: ({ contentDOM }: EditorView): readonly (readonly string[])[] =>
    [...contentDOM.querySelectorAll('.cm-deletedChunk')]
      .map((chunk) =>
        [...chunk.querySelectorAll('.cm-deletedLine')].map(
          (line) => `${line.getBoundingClientRect().height}px`,
        ),
      )
      .filter(({ length }) => length > 0),
  write: (heights: readonly (readonly string[])[], { dom }: EditorView): void => {
    for (const column of dom.querySelectorAll('.cm-gutter')) {
      for (const [at, element] of [...column.querySelectorAll('.cm-removedRows > div')].entries()) {
        for (const [line, row] of [...element.children].entries()) {
          if (row instanceof HTMLElement) row.style.height = heights[at]?.[line] ?? '';
        }
      }
    }
  },
};

const wholeLine = Decoration.line({ class: 'cm-wholeLine' });

/** Marks lines that are added or removed as a whole: marking each of their words would hide where words matter. */
export const wholeLines: Extension = ViewPlugin.fromClass(
  class {
    lines: DecorationSet;

    constructor(view: EditorView) {
      this.lines = findWholeLines(view);
    }

    update(update: ViewUpdate): void {
      const isSame = getChunks(update.startState)?.chunks === getChunks(update.state)?.chunks;
      if (!isSame || update.docChanged || update.viewportChanged) this.lines = findWholeLines(update.view);
    }
  },
  { decorations: ({ lines }) => lines },
);

function findWholeLines(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const state = getChunks(view.state);
  const isFileSide = state?.side === 'a';
  const { doc } = view.state;
  const { from: first, to: last } = view.viewport;
  for (const chunk of state?.chunks ?? []) {
    const start = isFileSide ? chunk.fromA : chunk.fromB;
    if (start > last) break;
    if ((isFileSide ? chunk.toA : chunk.toB) < first) continue;
    for (const change of chunk.changes) {
      const from = start + (isFileSide ? change.fromA : change.fromB);
      const to = Math.min(doc.length, start + (isFileSide ? change.toA : change.toB));
      for (let at = Math.max(from, first); at < Math.min(to, last); ) {
        const line = doc.lineAt(at);
        if (line.from >= from && line.to <= to && line.length > 0)
          builder.add(line.from, line.from, wholeLine);
        at = line.to + 1;
      }
    }
  }
  return builder.finish();
}

/**
 * Scrolls both sides horizontally together, with one scroll bar at the bottom of the visible part. Returns a function that
 * ends it.
 */
export function syncSideways({ dom, a, b }: MergeView): () => void {
  const bar = document.createElement('div');
  bar.className = 'cm-sidewaysBar';
  bar.setAttribute('aria-hidden', 'true');
  const width = bar.appendChild(document.createElement('div'));
  dom.append(bar);
  const scrollers = [a.scrollDOM, b.scrollDOM, bar];
  /** The element that was scrolled last; the others follow once their text is wide enough. */
  let leader: HTMLElement | undefined;
  const followed = new Map<HTMLElement, number>();
  const follow = (): void => {
    for (const other of scrollers) {
      if (leader === undefined || other === leader || other.scrollLeft === leader.scrollLeft) continue;
      other.scrollLeft = leader.scrollLeft;
      followed.set(other, other.scrollLeft);
    }
  };
  const onScroll = ({ target }: Event): void => {
    if (!(target instanceof HTMLElement) || followed.get(target) === target.scrollLeft) return;
    followed.clear();
    leader = target;
    follow();
  };
  const measure = (): void => {
    const beyond = Math.max(...[a, b].map(({ scrollDOM }) => scrollDOM.scrollWidth - scrollDOM.clientWidth));
    bar.hidden = beyond <= 0;
    width.style.width = `${bar.clientWidth + beyond}px`;
    follow();
  };
  const observer = new ResizeObserver(measure);
  for (const element of [dom, a.contentDOM, b.contentDOM]) observer.observe(element);
  for (const scroller of scrollers) scroller.addEventListener('scroll', onScroll, { passive: true });
  return () => {
    observer.disconnect();
    for (const scroller of scrollers) scroller.removeEventListener('scroll', onScroll);
  };
}
