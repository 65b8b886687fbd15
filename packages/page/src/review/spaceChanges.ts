import { type Chunk, getChunks, mergeViewSiblings } from '@codemirror/merge';
import {
  Compartment,
  type Extension,
  Facet,
  RangeSet,
  StateEffect,
  StateField,
  type Text,
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutterLineClass,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { codePreferences } from '../client/preferences.js';

/** Whether changes of white space alone are shown like unchanged lines. Hunks and decisions do not depend on it. */
export const hidesSpaceChanges = Facet.define<boolean, boolean>({
  combine: (values) => values.includes(true),
});

/** Whether a chunk changes white space alone, within its lines. */
export function isSpaceChange(chunk: Chunk, file: Text, text: Text): boolean {
  const { fromA, toA, endA, fromB, toB, endB } = chunk;
  if (fromA === toA || fromB === toB) return false;
  const linesA = linesBetween(file, fromA, endA);
  const linesB = linesBetween(text, fromB, endB);
  return linesA.length === linesB.length && linesA.every((line, at) => line === linesB[at]);
}

function linesBetween(doc: Text, from: number, to: number): string[] {
  const lines = doc.sliceString(from, Math.min(to, doc.length)).split('\n');
  return lines.map((line) => line.replace(/\s+/g, ''));
}

interface PlainLines {
  readonly lines: DecorationSet;
  readonly gutters: RangeSet<GutterMarker>;
}

const setPlainLines = StateEffect.define<PlainLines>();

const plainLine = Decoration.line({ class: 'cm-spaceChange' });
const plainGutter = new (class extends GutterMarker {
  override elementClass = 'cm-spaceChangeGutter';
})();

/** Removes the colours and signs of changes of white space. Both sides of a merge view are known only to a view. */
function plainLines(file: Text): Extension {
  const field = StateField.define<PlainLines>({
    create: () => ({ lines: Decoration.none, gutters: RangeSet.empty }),
    update: (value, { effects, changes }) =>
      effects.findLast((effect) => effect.is(setPlainLines))?.value ?? {
        lines: value.lines.map(changes),
        gutters: value.gutters.map(changes),
      },
    provide: (plain) => [
      EditorView.decorations.from(plain, ({ lines }) => lines),
      gutterLineClass.from(plain, ({ gutters }) => gutters),
    ],
  });
  const finder = ViewPlugin.define((view) => {
    const look = (): void =>
      queueMicrotask(() => {
        if (view.dom.isConnected && view.state.field(field, false) !== undefined)
          view.dispatch({ effects: setPlainLines.of(findPlainLines(view, file)) });
      });
    look();
    return {
      update: ({ startState, state }: ViewUpdate) => {
        if (getChunks(startState)?.chunks !== getChunks(state)?.chunks) look();
      },
    };
  });
  return [field, finder];
}

function findPlainLines(view: EditorView, file: Text): PlainLines {
  const { doc } = view.state;
  const state = getChunks(view.state);
  const text = mergeViewSiblings(view)?.b.state.doc ?? doc;
  const isFileSide = state?.side === 'a';
  const starts: number[] = [];
  for (const chunk of state?.chunks ?? []) {
    if (!isSpaceChange(chunk, file, text)) continue;
    const end = Math.min(isFileSide ? chunk.endA : chunk.endB, doc.length);
    for (let at = isFileSide ? chunk.fromA : chunk.fromB; at <= end; at = doc.lineAt(at).to + 1)
      starts.push(at);
  }
  return {
    lines: Decoration.set(starts.map((at) => plainLine.range(at))),
    gutters: RangeSet.of(starts.map((at) => plainGutter.range(at))),
  };
}

/** Follows the user's preference. `file` is the file's text. */
export function spaceChanges(file: Text): Extension {
  const compartment = new Compartment();
  const wanted = (): Extension => {
    const isOn = codePreferences.getState().hidesSpaceChanges;
    return isOn ? [hidesSpaceChanges.of(true), plainLines(file)] : [];
  };
  const follower = ViewPlugin.define((view) => ({
    destroy: codePreferences.subscribe((now, before) => {
      if (now.hidesSpaceChanges !== before.hidesSpaceChanges)
        view.dispatch({ effects: compartment.reconfigure(wanted()) });
    }),
  }));
  return [compartment.of(wanted()), follower];
}
