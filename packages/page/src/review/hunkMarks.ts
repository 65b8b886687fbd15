import { mergeViewSiblings } from '@codemirror/merge';
import { type EditorState, type Extension, RangeSetBuilder, StateField } from '@codemirror/state';
import {
  type BlockInfo,
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutter,
  WidgetType,
} from '@codemirror/view';
import { type ChangeRange, firstIndex, rangesField, reviewBasis } from './changeRanges.js';
import { lineCounts } from './reviewWords.js';

/** The user pressed the button of a change: drop it, keep it, or undo an edit. */
export type OnToggle = (range: ChangeRange) => void;

/**
 * A button at every change, in a gutter, and a line in place of every dropped hunk. Screen readers do not see gutters; F8
 * does the same for the change at the cursor.
 */
export function hunkMarks(onToggle: OnToggle): Extension {
  return [droppedLines('b', onToggle), changeButtons(onToggle)];
}

/** What the buttons of a hunk do in a text that cannot be edited. */
export interface HunkActions {
  readonly onUndo: OnToggle;
  readonly onKeep?: OnToggle | undefined;
}

/** Buttons at every hunk of a text that cannot be edited, which undo or keep it. Screen readers do not see them. */
export function hunkButtons(actions: HunkActions): Extension {
  return hunkGutter(
    (range) => (range.hunk === undefined ? null : new HunkButtons(range, actions)),
    actions.onKeep === undefined ? 1 : 2,
  );
}

/** Spacers on the file's side, which keep both sides aligned. */
export function hunkSpacers(): Extension {
  return droppedLines('a', undefined);
}

function droppedLines(side: 'a' | 'b', onToggle: OnToggle | undefined): Extension {
  const build = (state: EditorState): DecorationSet => {
    const builder = new RangeSetBuilder<Decoration>();
    let last = -1;
    for (const range of state.field(rangesField).ranges) {
      if (!range.isDropped) continue;
      const at = Math.min(side === 'a' ? range.fromA : range.fromB, state.doc.length);
      if (at < last) continue;
      last = at;
      const line = state.doc.lineAt(at).from;
      const lines = state.facet(reviewBasis)?.spans.find(({ index }) => index === range.hunk)?.lines ?? [];
      builder.add(line, line, lineWidget(new DroppedHunkWidget(range, lines, onToggle, state.readOnly)));
    }
    return builder.finish();
  };
  return StateField.define<DecorationSet>({
    create: build,
    update: (lines, { state, startState, changes }) =>
      state.field(rangesField).ranges === startState.field(rangesField).ranges &&
      state.readOnly === startState.readOnly
        ? lines.map(changes)
        : build(state),
    provide: (field) => EditorView.decorations.from(field),
  });
}

function lineWidget(widget: WidgetType): Decoration {
  return Decoration.widget({ widget, block: true, side: -2 });
}

function changeButtons(onToggle: OnToggle): Extension {
  return hunkGutter((range, isReadOnly) => new ChangeButton(range, onToggle, isReadOnly));
}

function hunkGutter(
  mark: (range: ChangeRange, isReadOnly: boolean) => GutterMarker | null,
  buttons = 1,
): Extension {
  return gutter({
    class: 'cm-hunkGutter',
    lineMarker: (view, line) => {
      const range = rangeOnLine(view, line, (found) => !isBlockMarked(view, found));
      return range === undefined ? null : mark(range, view.state.readOnly);
    },
    widgetMarker: (view, widget, block) => {
      if (widget instanceof DroppedHunkWidget) return null;
      const range = rangeOnLine(view, block, (found) => isBlockMarked(view, found));
      return range === undefined ? null : mark(range, view.state.readOnly);
    },
    lineMarkerChange: (update) =>
      update.startState.field(rangesField) !== update.state.field(rangesField) ||
      update.startState.readOnly !== update.state.readOnly,
    initialSpacer: () => new Spacer(buttons),
  });
}

/**
 * Whether the button of a change is beside the block above its lines: for removed lines only, and in a unified view, which
 * shows removed lines first.
 */
function isBlockMarked(view: EditorView, { fromA, toA, fromB, toB }: ChangeRange): boolean {
  if (fromB > view.state.doc.length) return false;
  return fromB === toB || (fromA < toA && mergeViewSiblings(view) === null);
}

function rangeOnLine(
  view: EditorView,
  line: BlockInfo,
  isWanted: (range: ChangeRange) => boolean,
): ChangeRange | undefined {
  const { ranges } = view.state.field(rangesField);
  const { length } = view.state.doc;
  const first = firstIndex(ranges, ({ fromB }) => Math.min(fromB, length) >= line.from);
  for (let at = first; at < ranges.length; at++) {
    const range = ranges[at];
    if (range === undefined || Math.min(range.fromB, length) > line.to) return undefined;
    if (!range.isDropped && isWanted(range)) return range;
  }
  return undefined;
}

class ChangeButton extends GutterMarker {
  readonly #range: ChangeRange;
  readonly #onToggle: OnToggle;
  readonly #isReadOnly: boolean;

  constructor(range: ChangeRange, onToggle: OnToggle, isReadOnly: boolean) {
    super();
    this.#range = range;
    this.#onToggle = onToggle;
    this.#isReadOnly = isReadOnly;
  }

  override eq(other: ChangeButton): boolean {
    // An old button must not act on lines that have moved.
    return this.#range === other.#range && this.#isReadOnly === other.#isReadOnly;
  }

  override toDOM(): Node {
    if (this.#isReadOnly) return document.createTextNode('');
    const isOwnEdit = this.#range.hunk === undefined;
    const title = isOwnEdit ? "Undo this edit: restore the file's lines" : 'Drop this change (F8)';
    return drawButton(title, isOwnEdit ? 'undo' : 'drop', () => this.#onToggle(this.#range));
  }
}

class HunkButtons extends GutterMarker {
  readonly #range: ChangeRange;
  readonly #actions: HunkActions;

  constructor(range: ChangeRange, actions: HunkActions) {
    super();
    this.#range = range;
    this.#actions = actions;
  }

  override eq(other: HunkButtons): boolean {
    return this.#range === other.#range && this.#actions === other.#actions;
  }

  override toDOM(): Node {
    const { onUndo, onKeep } = this.#actions;
    const buttons = document.createDocumentFragment();
    if (onKeep !== undefined)
      buttons.append(drawButton('Keep this change (Shift+F8)', 'keep', () => onKeep(this.#range)));
    buttons.append(drawButton('Undo this change (F8)', 'undo', () => onUndo(this.#range)));
    return group(buttons);
  }
}

function group(buttons: Node): Node {
  const element = document.createElement('span');
  element.className = 'cm-hunkButtons';
  element.append(buttons);
  return element;
}

function drawButton(title: string, icon: keyof typeof paths, onClick: () => void): Node {
  const button = document.createElement('button');
  button.type = 'button';
  button.tabIndex = -1;
  button.className = 'cm-hunkButton';
  button.title = title;
  button.append(drawIcon(icon));
  // The caret stays where it is.
  button.addEventListener('mousedown', (event) => event.preventDefault());
  button.addEventListener('click', onClick);
  return button;
}

/** Keeps the gutter as wide as it is with buttons. */
class Spacer extends GutterMarker {
  readonly #buttons: number;

  constructor(buttons: number) {
    super();
    this.#buttons = buttons;
  }

  override toDOM(): Node {
    const places = document.createDocumentFragment();
    for (let at = 0; at < this.#buttons; at += 1) {
      const place = document.createElement('span');
      place.className = 'cm-hunkButton';
      places.append(place);
    }
    return group(places);
  }
}

/** The lines of a dropped hunk, below what says so; without `onToggle`, an empty block of the same height. */
class DroppedHunkWidget extends WidgetType {
  readonly #range: ChangeRange;
  readonly #lines: readonly string[];
  readonly #onToggle: OnToggle | undefined;
  readonly #isReadOnly: boolean;

  constructor(
    range: ChangeRange,
    lines: readonly string[],
    onToggle: OnToggle | undefined,
    isReadOnly: boolean,
  ) {
    super();
    this.#range = range;
    this.#lines = lines;
    this.#onToggle = onToggle;
    this.#isReadOnly = isReadOnly;
  }

  override eq(other: DroppedHunkWidget): boolean {
    return (
      this.#range.hunk === other.#range.hunk &&
      this.#onToggle === other.#onToggle &&
      this.#isReadOnly === other.#isReadOnly
    );
  }

  override get estimatedHeight(): number {
    return 30 + 20 * this.#lines.length;
  }

  override toDOM(): HTMLElement {
    const block = document.createElement('div');
    block.className = 'cm-droppedHunk';
    block.style.setProperty('--lines', String(this.#lines.length));
    const onToggle = this.#onToggle;
    if (onToggle === undefined) {
      block.setAttribute('aria-hidden', 'true');
      return block;
    }
    const line = block.appendChild(document.createElement('div'));
    const words = line.appendChild(document.createElement('span'));
    const more = this.#range.added - this.#lines.length;
    words.textContent = `Dropped change: ${lineCounts(this.#range)}${more > 0 ? `, ${more} more not shown` : ''}`;
    for (const text of this.#lines) block.appendChild(document.createElement('del')).textContent = text;
    if (this.#isReadOnly) return block;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Keep it';
    button.title = 'Keep this change (F8)';
    button.addEventListener('mousedown', (event) => event.preventDefault());
    button.addEventListener('click', () => onToggle(this.#range));
    line.append(button);
    return block;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** Paths of lucide's icons, for elements outside React. */
const paths = {
  drop: 'M18 6 6 18M6 6l12 12',
  keep: 'M20 6 9 17l-5-5',
  undo: 'M9 14 4 9l5-5M4 9h10.5a5.5 5.5 0 0 1 0 11H11',
} as const;

/** A small icon, hidden from screen readers. */
function drawIcon(name: keyof typeof paths): Node {
  const template = document.createElement('template');
  template.innerHTML = `<svg viewBox="0 0 24 24" width="14" height="14" fill="none" stroke="currentColor" stroke-width="2"
    stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${paths[name]}"/></svg>`;
  return template.content;
}
