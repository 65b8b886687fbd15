import { invertedEffects, isolateHistory } from '@codemirror/commands';
import { type Chunk, getChunks, MergeView, unifiedMergeView } from '@codemirror/merge';
import { openSearchPanel } from '@codemirror/search';
import {
  Compartment,
  EditorSelection,
  type Extension,
  Prec,
  StateEffect,
  type Text,
} from '@codemirror/state';
import { EditorView, panels, ViewPlugin } from '@codemirror/view';
import { diffByLines } from '@tandem/chat-panel/code';
import type { TextSession } from '../client/textSession.js';
import { codeExtensions, setReadOnly } from '../code/codeExtensions.js';
import { conflictActions, conflictsIn } from '../code/conflictActions.js';
import { type KeptPosition, keepPosition } from '../code/textPositions.js';
import type { PageHunk } from '../wire/index.js';
import {
  type ChangeRange,
  type ChangeStop,
  changeStops,
  hunkSpans,
  rangeAt,
  rangeFrom,
  rangesField,
  reviewBasis,
  setKeptHunks,
} from './changeRanges.js';
import {
  type CommentHooks,
  type CommentSpot,
  commentBoxes,
  selectedLines,
  setCommentSpots,
} from './commentBoxes.js';
import { CommentRooms } from './commentRooms.js';
import { expandAt, hiddenLines } from './hiddenLines.js';
import { type HunkActions, hunkButtons, hunkMarks, hunkSpacers, type OnToggle } from './hunkMarks.js';
import { removedLines, syncSideways, wholeLines } from './mergeExtensions.js';
import { nextOwnEdit, ownEdits, ownEditsOf, type ProposalBasis } from './ownEdits.js';
import { reviewSearch, searchedFile } from './reviewSearch.js';
import { newFileTheme, reviewTheme } from './reviewTheme.js';
import { spaceChanges } from './spaceChanges.js';

/** `single`: there is nothing to compare with, such as for a new file. */
export type ReviewLayout = 'split' | 'unified' | 'single';

/**
 * The change or the conflict at the cursor: `index` of `total`, or -1 between them. `range` is absent in a conflict. `ownEdits`: how many the user made.
 */
export interface CurrentChange {
  readonly index: number;
  readonly total: number;
  readonly range: ChangeRange | undefined;
  readonly ownEdits: number;
}

interface ReviewEditorOptions {
  readonly parent: HTMLElement;
  /** Where the search panel goes: within one of two sides it would push that one's lines down. */
  readonly panelParent: HTMLElement;
  readonly layout: ReviewLayout;
  readonly path: string;
  /** The accessible names of the two sides. */
  readonly fileLabel: string;
  readonly label: string;
  readonly original: Text;
  /** The proposal with its hunks, and which of them are kept; absent where there is none. */
  readonly proposal?: ProposalBasis;
  readonly kept?: readonly boolean[];
  readonly isReadOnly: boolean;
  readonly collapses: boolean;
  /** Whether it does not scroll to the first change. */
  readonly staysPut?: boolean;
  /** The key of `textPositions`. Without a position there, the first change is shown. */
  readonly positionKey?: string;
  /** A shared text, or one of this editor only. */
  readonly text: TextSession | Text;
  /** What the buttons beside the changes do; without it, there are none. */
  readonly onToggle?: OnToggle;
  /** The hunks that can be undone or kept beside their lines, without a proposal. */
  readonly written?: ({ readonly hunks: readonly PageHunk[] } & HunkActions) | undefined;
  /** Where comments have a box, and what fills it; without it, there are none. */
  readonly comments?: CommentHooks;
  readonly onMove?: (now: CurrentChange) => void;
  /** The text was edited, by undo and redo as well. */
  readonly onEdit?: () => void;
  /** Undo or redo reversed these decisions on hunks. */
  readonly onStep?: (decisions: readonly HunkDecision[]) => void;
}

/** That a hunk is kept or dropped. */
export interface HunkDecision {
  readonly hunk: number;
  readonly isKept: boolean;
}

/** The host keeps and drops hunks. This records it in the editor's history, which reverses it in turn with edits. */
export const decided = StateEffect.define<HunkDecision>();

export const decisionHistory = invertedEffects.of(({ effects }) =>
  effects.flatMap((effect) =>
    effect.is(decided) ? decided.of({ ...effect.value, isKept: !effect.value.isKept }) : [],
  ),
);

/** This many characters at the start of a line are always visible. */
const farInLine = 60;

const diffConfig = { override: diffByLines };

/** The editors of one review in one layout. The owner destroys it; the text continues in its session. */
export class ReviewEditor {
  /** The side that is edited. */
  readonly view: EditorView;
  readonly #merge: MergeView | undefined;
  readonly #options: ReviewEditorOptions;
  readonly #collapse = new Compartment();
  readonly #stopSideways: (() => void) | undefined;
  readonly #position: KeptPosition | undefined;
  readonly #rooms: CommentRooms | undefined;
  #now: CurrentChange = { index: -1, total: 0, range: undefined, ownEdits: 0 };

  constructor(options: ReviewEditorOptions) {
    this.#options = options;
    const { parent, layout, text, original } = options;
    const isLive = 'start' in text;
    const { doc, extensions } = isLive ? text.start() : { doc: text, extensions: [] };
    if (layout === 'split') {
      this.#merge = new MergeView({
        parent,
        a: { doc: original, extensions: this.#fileSide() },
        b: { doc, extensions: [extensions, this.#textSide(doc), this.#alignOnce()] },
        diffConfig,
      });
      this.view = this.#merge.b;
      this.#rooms = new CommentRooms(this.#merge);
      // The merge view has found the changes only now.
      const hiding = StateEffect.appendConfig.of(this.#collapse.of(options.collapses ? hiddenLines : []));
      for (const view of this.#views) view.dispatch({ effects: hiding });
      this.#stopSideways = syncSideways(this.#merge);
    } else {
      const compared =
        layout === 'unified'
          ? [this.#unified(), this.#collapse.of(options.collapses ? hiddenLines : [])]
          : Prec.high(newFileTheme);
      this.view = new EditorView({ parent, doc, extensions: [extensions, this.#textSide(doc), compared] });
    }
    if (isLive) text.bind(this.view);
    this.setKept(options.kept ?? []);
    const scroller = this.#merge?.dom;
    const { positionKey } = options;
    this.#position =
      positionKey === undefined ? undefined : keepPosition(positionKey, this.view, { scroller });
    const conflict = this.#stops.find(({ range }) => range === undefined);
    const first = conflict ?? (this.#position?.isRestored ? undefined : this.#stops[0]);
    if (!options.staysPut && first !== undefined) this.#goTo(first);
  }

  get now(): CurrentChange {
    return this.#now;
  }

  setKept(kept: readonly boolean[]): void {
    for (const view of this.#views) view.dispatch({ effects: setKeptHunks.of(kept) });
    // A dropped change must not be hidden with the unchanged lines around it.
    for (const { isDropped, fromB } of this.#ranges) if (isDropped) expandAt(this.view, fromB);
    this.#reportChange();
  }

  setReadOnly(isReadOnly: boolean): void {
    setReadOnly(this.view, isReadOnly);
  }

  setCollapses(collapses: boolean): void {
    const effects = this.#collapse.reconfigure(collapses ? hiddenLines : []);
    for (const view of this.#views) view.dispatch({ effects });
    this.setKept(this.view.state.field(rangesField).kept);
  }

  /** Moves the cursor to the next or previous change, around the ends, without the focus. */
  goToChange(direction: 1 | -1): CurrentChange {
    const stops = this.#stops;
    const stop = stops[rangeFrom(stops, this.view.state.selection.main.head, direction)];
    if (stop !== undefined) this.#goTo(stop);
    return this.#now;
  }

  /** Moves the cursor to the next edit of the user, around the end, without the focus. */
  goToOwnEdit(): void {
    const { state } = this.view;
    const edit = nextOwnEdit(state);
    if (edit === undefined) return;
    const anchor = Math.min(edit.fromB, state.doc.length);
    this.view.dispatch({
      selection: { anchor },
      effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
    });
  }

  /** Shows a box for each comment on lines that this layout has. */
  setComments(spots: readonly CommentSpot[]): void {
    for (const view of this.#views) {
      const side = view === this.view ? 'proposal' : 'file';
      const own = spots.filter((spot) => spot.side === side);
      this.#rooms?.forgetAllBut(spots);
      view.dispatch({ effects: setCommentSpots.of(own) });
      // A comment must not be hidden with the unchanged lines around it.
      for (const { lines } of own)
        expandAt(view, view.state.doc.line(Math.min(lines.last + 1, view.state.doc.lines)).from);
    }
  }

  /** The selected lines, on the side that has the focus. */
  commentTarget(): Omit<CommentSpot, 'key'> {
    const isFile = this.#merge?.a.hasFocus === true;
    const { doc, selection } = (isFile ? this.#merge?.a : this.view)?.state ?? this.view.state;
    const { from, to } = selection.main;
    return { side: isFile ? 'file' : 'proposal', lines: selectedLines(doc, from, to) };
  }

  /** The current change of a hunk; the text may have changed since the button was pressed. */
  rangeOf(hunk: number): ChangeRange | undefined {
    return this.#ranges.find((range) => range.hunk === hunk);
  }

  /** Replaces a change by the file's lines. It can be undone. */
  revert({ fromA, toA, fromB, toB }: ChangeRange): void {
    const { state } = this.view;
    const { original } = this.#options;
    let insert = original.sliceString(fromA, Math.max(fromA, toA - 1));
    if (fromA !== toA && toB <= state.doc.length) insert += state.lineBreak;
    const from = Math.min(fromB, state.doc.length);
    const to = Math.min(toB, state.doc.length);
    this.view.dispatch({ changes: { from, to, insert }, userEvent: 'revert' });
  }

  /** Shows the hidden lines next to the cursor. Returns false if there are none. */
  showHiddenLines(): boolean {
    const { state } = this.view;
    const { from, to } = state.doc.lineAt(state.selection.main.head);
    return (
      (to < state.doc.length && expandAt(this.view, to + 1)) || (from > 0 && expandAt(this.view, from - 1))
    );
  }

  /** Records what the host did with a hunk, for undo. */
  record(decision: HunkDecision): void {
    this.view.dispatch({ effects: decided.of(decision), annotations: isolateHistory.of('full') });
  }

  /** Scrolls by a key, as a browser does where the focus is in no text. Returns whether it is such a key. */
  scroll({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
    const scroller = this.#merge?.dom ?? this.view.scrollDOM;
    const page = scroller.clientHeight - this.view.defaultLineHeight;
    const distances: Record<string, number> = {
      ArrowDown: this.view.defaultLineHeight,
      ArrowUp: -this.view.defaultLineHeight,
      PageDown: page,
      ' ': shiftKey ? -page : page,
      PageUp: -page,
      Home: -scroller.scrollHeight,
      End: scroller.scrollHeight,
    };
    const distance = distances[key];
    if (distance === undefined || altKey || ctrlKey || metaKey) return false;
    scroller.scrollBy({ top: distance });
    return true;
  }

  find(): void {
    openSearchPanel(this.view);
  }

  destroy(): void {
    const { text } = this.#options;
    this.#position?.end();
    if ('unbind' in text) text.unbind(this.view);
    this.#stopSideways?.();
    this.#rooms?.dispose();
    if (this.#merge !== undefined) this.#merge.destroy();
    else this.view.destroy();
  }

  get #views(): EditorView[] {
    return this.#merge === undefined ? [this.view] : [this.#merge.a, this.#merge.b];
  }

  get #stops(): readonly ChangeStop[] {
    return changeStops(this.#ranges, conflictsIn(this.view.state));
  }

  get #ranges(): readonly ChangeRange[] {
    return this.view.state.field(rangesField).ranges;
  }

  #shared(): Extension {
    const { original, proposal, written, panelParent } = this.#options;
    const hunks = proposal?.hunks ?? written?.hunks ?? [];
    const basis = { original, spans: hunkSpans(original, hunks, proposal?.proposed) };
    return [
      reviewBasis.of(basis),
      rangesField,
      wholeLines,
      reviewTheme,
      spaceChanges(original),
      panels({ topContainer: panelParent }),
    ];
  }

  #fileSide(): Extension {
    const { path, fileLabel, original, comments } = this.#options;
    return [
      this.#shared(),
      hunkSpacers(),
      comments === undefined ? [] : commentBoxes('file', this.#observed(comments)),
      searchedFile(() => this.view),
      codeExtensions({ path, label: fileLabel, isReadOnly: true, doc: original }),
    ];
  }

  #textSide(doc: Text): Extension {
    const { path, label, isReadOnly, onToggle, written, layout, proposal, comments, panelParent } =
      this.#options;
    return [
      this.#shared(),
      decisionHistory,
      layout === 'single' || onToggle === undefined ? [] : hunkMarks(onToggle),
      layout === 'single' || written === undefined ? [] : hunkButtons(written),
      conflictActions,
      comments === undefined ? [] : commentBoxes('proposal', this.#observed(comments)),
      EditorView.updateListener.of((update) => {
        if (update.view !== this.view) return;
        if (update.docChanged) this.#options.onEdit?.();
        for (const transaction of update.transactions) {
          if (!transaction.isUserEvent('undo') && !transaction.isUserEvent('redo')) continue;
          const decisions = transaction.effects.flatMap((effect) => (effect.is(decided) ? effect.value : []));
          this.#options.onStep?.(decisions);
        }
        const isOther = update.startState.field(rangesField) !== update.state.field(rangesField);
        if (update.docChanged || update.selectionSet || isOther) this.#reportChange();
      }),
      reviewSearch(panelParent),
      codeExtensions({ path, label, isReadOnly, doc }),
      proposal === undefined ? [] : ownEdits(proposal),
    ];
  }

  /**
   * A merge view aligns its sides at once when an edit moves the viewport, and again in the next frame. With thousands
   * of changes that is most of the cost of a key, so the work of the next frame is requested before the edit is reported.
   */
  #alignOnce(): Extension {
    return ViewPlugin.define(() => ({
      update: ({ docChanged }) => {
        if (docChanged) this.#merge?.reconfigure({});
      },
    }));
  }

  /** The hooks of comments, with boxes whose heights the other side follows. */
  #observed(hooks: CommentHooks): CommentHooks {
    return {
      ...hooks,
      onBox: (key, box, isShown) => {
        this.#rooms?.onBox(key, box, isShown);
        hooks.onBox(key, box, isShown);
      },
    };
  }

  #unified(): Extension {
    return [
      removedLines,
      unifiedMergeView({
        original: this.#options.original,
        mergeControls: false,
        gutter: false,
        diffConfig,
      }),
    ];
  }

  #goTo(range: ChangeStop): void {
    const { state } = this.view;
    const { length } = state.doc;
    const line = Math.min(range.fromB, length);
    const word = Math.min(firstChanged(getChunks(state)?.chunks ?? [], range), length);
    // In a long line, the change may be far from the start of the line.
    const isFar = word - line > farInLine && word <= state.doc.lineAt(line).to;
    const from = isFar ? word : line;
    const to = isFar ? word : Math.min(Math.max(line, range.toB - 1), length);
    const scroll = (): StateEffect<unknown> =>
      EditorView.scrollIntoView(EditorSelection.range(to, from), {
        y: 'center',
        x: isFar ? 'center' : 'start',
      });
    const { view } = this;
    view.dispatch({ selection: { anchor: from }, userEvent: 'select.change', effects: scroll() });
    // The size of a long line is an estimate until it is laid out.
    if (isFar) requestAnimationFrame(() => view.dom.isConnected && view.dispatch({ effects: scroll() }));
  }

  #reportChange(): void {
    const stops = this.#stops;
    const index = rangeAt(stops, this.view.state.selection.main.head);
    const range = stops[index]?.range;
    const before = this.#now;
    const ownCount = ownEditsOf(this.view.state).length;
    this.#now = { index, total: stops.length, range, ownEdits: ownCount };
    // Positions change with every key; listeners need only the kind of the change.
    const isSame =
      before.index === index &&
      before.total === stops.length &&
      before.ownEdits === ownCount &&
      before.range?.hunk === range?.hunk &&
      before.range?.isDropped === range?.isDropped;
    if (!isSame) this.#options.onMove?.(this.#now);
  }
}

/** The position of the first difference in a change. */
function firstChanged(chunks: readonly Chunk[], { fromB, toB }: ChangeStop): number {
  const chunk = chunks.find((each) => each.fromB <= fromB && each.toB >= toB && each.toB > fromB);
  const changed = chunk?.changes.find((change) => chunk.fromB + change.toB >= fromB);
  return chunk === undefined || changed === undefined ? fromB : Math.max(fromB, chunk.fromB + changed.fromB);
}
