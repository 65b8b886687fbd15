import { type Chunk, getChunks, getOriginalDoc } from '@codemirror/merge';
import { type Extension, Prec } from '@codemirror/state';
import {
  type BlockInfo,
  type EditorView,
  GutterMarker,
  gutter,
  lineNumberWidgetMarker,
  ViewPlugin,
  type WidgetType,
} from '@codemirror/view';

/**
 * The gutters of a unified view: a sign beside every line that comes or goes, and beside those that go also the number
 * that they have in the file. The merge package has one sign for all lines of a change that go.
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

/** One row for each line that goes. */
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
  // The class of what shows the lines that go is the merge package's own; this is the name of its only part.
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

/** The first chunk for which something holds that holds for all after it. */
function firstFrom(view: EditorView, isReached: (chunk: Chunk) => boolean): Chunk | undefined {
  const chunks = getChunks(view.state)?.chunks ?? [];
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const chunk = chunks[middle];
    if (chunk !== undefined && isReached(chunk)) high = middle;
    else low = middle + 1;
  }
  return chunks[low];
}

/** A line that is wrapped is as high as it is, and so is its row. */
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
