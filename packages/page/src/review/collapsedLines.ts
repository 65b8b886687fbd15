import { type Chunk, getChunks, mergeViewSiblings, uncollapseUnchanged } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, WidgetType } from '@codemirror/view';

/** Lines that are left around a change, and the fewest that are worth hiding. */
export const collapseConfig = { margin: 3, minSize: 6 };

/**
 * Words for what hides unchanged lines, and what opens it without a mouse: the caret goes in, by a search, a jump to a
 * line or from a change beside it.
 */
export const collapsedLines: Extension = [
  EditorState.phrases.of({ '$ unchanged lines': 'Show $ unchanged lines' }),
  EditorView.updateListener.of(({ view, selectionSet }) => {
    if (selectionSet) expandAt(view, view.state.selection.main.head);
  }),
];

/** Shows the hidden lines around a position, on both sides; false when none are hidden there. */
export function expandAt(view: EditorView, position: number): boolean {
  const from = findCollapsed(view.state, position);
  if (from === undefined) return false;
  view.dispatch({ effects: uncollapseUnchanged.of(from) });
  const pair = mergeViewSiblings(view);
  const state = getChunks(view.state);
  if (pair === null || state === null) return true;
  const isFileSide = view === pair.a;
  const other = isFileSide ? pair.b : pair.a;
  other.dispatch({ effects: uncollapseUnchanged.of(acrossFrom(from, state.chunks, isFileSide)) });
  return true;
}

function findCollapsed(state: EditorState, position: number): number | undefined {
  for (const decorations of state.facet(EditorView.decorations)) {
    if (typeof decorations === 'function') continue;
    let found: number | undefined;
    decorations.between(position, position, (from, _to, { spec }) => {
      const widget: unknown = spec.widget;
      // The widget's class is the merge package's own; this is the name it gives to its kind.
      if (!(widget instanceof WidgetType) || !('type' in widget)) return;
      if (widget.type === 'collapsed-unchanged-code') found = from;
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where an unchanged position lies on the other side. */
function acrossFrom(position: number, chunks: readonly Chunk[], isFileSide: boolean): number {
  const before = chunks.findLast(({ toA, toB }) => (isFileSide ? toA : toB) <= position);
  if (before === undefined) return position;
  const shift = before.toB - before.toA;
  return isFileSide ? position + shift : position - shift;
}
