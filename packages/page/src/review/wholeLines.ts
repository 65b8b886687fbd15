import { getChunks } from '@codemirror/merge';
import { type Extension, RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

const wholeLine = Decoration.line({ class: 'cm-wholeLine' });

/**
 * Tells lines that are new, or gone, from lines in which some words are: to mark every word of a line says no more than
 * the line's own colour does, and hides where the words matter.
 */
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
