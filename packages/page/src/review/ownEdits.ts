import { Chunk } from '@codemirror/merge';
import { EditorState, type Extension, Facet, RangeSetBuilder, StateField, Text } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutter,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { diffByLines } from '@tandem/chat-panel/code';
import { countOf } from '@tandem/chat-panel/primitives';
import { composeHunks } from '@tandem/reviews';
import type { PageHunk } from '../wire/index.js';
import { firstIndex, setKeptHunks } from './changeRanges.js';
import { lineWords } from './reviewWords.js';

/** What an agent proposed. Texts have `\n` line ends. */
export interface ProposalBasis {
  readonly original: string;
  readonly proposed: string;
  readonly hunks: readonly PageHunk[];
}

const proposalBasis = Facet.define<ProposalBasis, ProposalBasis>({
  combine: ([basis]) => basis ?? { original: '', proposed: '', hunks: [] },
});

interface OwnEdits {
  /** The proposal without the dropped hunks. */
  readonly expected: Text;
  /** Where the text differs from it. */
  readonly chunks: readonly Chunk[];
}

const diffConfig = { override: diffByLines };

/** What the user changed in the proposal, kept in step with every edit. */
const ownEditsField = StateField.define<OwnEdits>({
  create: (state) => compare(state.facet(proposalBasis), [], state.doc),
  update(value, { state, effects, docChanged, changes }) {
    const kept = effects.findLast((effect) => effect.is(setKeptHunks))?.value;
    if (kept !== undefined) return compare(state.facet(proposalBasis), kept, state.doc);
    if (!docChanged) return value;
    const { expected, chunks } = value;
    return { expected, chunks: Chunk.updateB(chunks, expected, state.doc, changes, diffConfig) };
  },
});

function compare(
  { original, proposed, hunks }: ProposalBasis,
  kept: readonly boolean[],
  doc: Text,
): OwnEdits {
  const indexed = hunks.map((hunk, index) => ({ ...hunk, index }));
  const decisions = hunks.map((_hunk, index) => kept[index] ?? true);
  const expected = Text.of(composeHunks(original, proposed, indexed, decisions).split('\n'));
  return { expected, chunks: expected.eq(doc) ? [] : Chunk.build(expected, doc, diffConfig) };
}

/**
 * Marks the lines that the user changed in the proposal, by a tint and a bar in a gutter. An edit is announced when the
 * cursor enters it.
 */
export function ownEdits(basis: ProposalBasis): Extension {
  return [proposalBasis.of(basis), ownEditsField, tint, bar, announcement];
}

/** The user's edits in the text, in order. */
export function ownEditsOf(state: EditorState): readonly Chunk[] {
  return state.field(ownEditsField, false)?.chunks ?? [];
}

/** The edit after the cursor, around the end. */
export function nextOwnEdit(state: EditorState): Chunk | undefined {
  const edits = ownEditsOf(state);
  const { head } = state.selection.main;
  return edits.find(({ fromB }) => Math.min(fromB, state.doc.length) > head) ?? edits[0];
}

/** One edit, for screen readers: `Your edit 1 of 2, lines 3 to 5.` */
export function describeOwnEdit(state: EditorState, edit: Chunk): string {
  const edits = ownEditsOf(state);
  const { doc } = state;
  const name = edits.length === 1 ? 'Your edit' : `Your edit ${edits.indexOf(edit) + 1} of ${edits.length}`;
  const first = doc.lineAt(Math.min(edit.fromB, doc.length)).number;
  if (edit.fromB >= edit.toB) {
    const { expected } = state.field(ownEditsField);
    const gone = expected.lineAt(edit.endA).number - expected.lineAt(edit.fromA).number + 1;
    return `${name}: you removed ${countOf(gone, 'line')} before line ${first}.`;
  }
  const last = doc.lineAt(Math.min(edit.endB, doc.length)).number;
  return `${name}, ${lineWords(first, last)}.`;
}

/** The edit that has the line which starts at a position, or that removed lines just before it. */
function editOnLine(edits: readonly Chunk[], doc: Text, lineStart: number): Chunk | undefined {
  const lastLine = doc.line(doc.lines).from;
  const startOf = ({ fromB }: Chunk): number => Math.min(fromB, lastLine);
  const edit = edits[firstIndex(edits, (each) => Math.max(each.toB, startOf(each) + 1) > lineStart)];
  return edit !== undefined && startOf(edit) <= lineStart ? edit : undefined;
}

const ownLine = Decoration.line({ class: 'cm-ownLine' });

const tint = ViewPlugin.fromClass(
  class {
    lines: DecorationSet;

    constructor(view: EditorView) {
      this.lines = tintedLines(view);
    }

    update({ startState, state, view, viewportChanged }: ViewUpdate): void {
      if (viewportChanged || ownEditsOf(startState) !== ownEditsOf(state)) this.lines = tintedLines(view);
    }
  },
  { decorations: ({ lines }) => lines },
);

function tintedLines({ state, visibleRanges }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const edits = ownEditsOf(state);
  let last = -1;
  for (const { from, to } of edits.length === 0 ? [] : visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      const edit = editOnLine(edits, state.doc, line.from);
      if (edit !== undefined && edit.fromB < edit.toB && line.from > last) {
        builder.add(line.from, line.from, ownLine);
        last = line.from;
      }
      at = line.to + 1;
    }
  }
  return builder.finish();
}

class OwnEditBar extends GutterMarker {
  readonly #isRemoval: boolean;

  constructor(isRemoval: boolean) {
    super();
    this.#isRemoval = isRemoval;
    this.elementClass = isRemoval ? 'cm-ownRemoval' : 'cm-ownBar';
  }

  override toDOM(): Node {
    const bar = document.createElement('span');
    bar.title = this.#isRemoval ? 'You removed lines here' : 'You changed this line of the proposal';
    return bar;
  }
}

const changedBar = new OwnEditBar(false);
const removalBar = new OwnEditBar(true);

const bar = gutter({
  class: 'cm-ownGutter',
  lineMarker: ({ state }, { from }) => {
    const edit = editOnLine(ownEditsOf(state), state.doc, from);
    if (edit === undefined) return null;
    return edit.fromB < edit.toB ? changedBar : removalBar;
  },
  lineMarkerChange: ({ startState, state }) => ownEditsOf(startState) !== ownEditsOf(state),
});

/** Announces an edit when the cursor moves into it without typing. */
const announcement = EditorState.transactionExtender.of(
  ({ startState, docChanged, newSelection, selection }) => {
    const edits = ownEditsOf(startState);
    if (docChanged || selection === undefined || edits.length === 0) return null;
    const { doc } = startState;
    const at = (position: number): Chunk | undefined => editOnLine(edits, doc, doc.lineAt(position).from);
    const entered = at(newSelection.main.head);
    if (entered === undefined || entered === at(startState.selection.main.head)) return null;
    return { effects: EditorView.announce.of(describeOwnEdit(startState, entered)) };
  },
);
