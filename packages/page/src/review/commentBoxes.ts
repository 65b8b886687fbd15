import {
  type EditorState,
  type Extension,
  Facet,
  StateEffect,
  StateField,
  type Text,
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  lineNumbers,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';
import type { PageComment } from '../wire/index.js';

export type CommentSide = PageComment['side'];
export type CommentLines = NonNullable<PageComment['lines']>;

/** Where the box of a comment belongs. */
export interface CommentSpot {
  readonly key: string;
  readonly side: CommentSide;
  readonly lines: CommentLines;
}

/** What fills the boxes, and what adds comments. */
export interface CommentHooks {
  /** The element of a box, or that it has none any more. */
  readonly onBox: (key: string, element: HTMLElement, isShown: boolean) => void;
  /** The user asked for a comment on these lines. */
  readonly onComment: (side: CommentSide, lines: CommentLines) => void;
  /** The lines of the boxes after an edit of the text. */
  readonly onMove: (linesByKey: ReadonlyMap<string, CommentLines>) => void;
}

interface PlacedSpot extends CommentSpot {
  readonly from: number;
  readonly to: number;
}

interface PlacedSpots {
  readonly spots: readonly PlacedSpot[];
  readonly boxes: DecorationSet;
}

/** The comments on one side of a review. */
export const setCommentSpots = StateEffect.define<readonly CommentSpot[]>();

const commentHooks = Facet.define<CommentHooks>();

const placedSpots = StateField.define<PlacedSpots>({
  create: () => ({ spots: [], boxes: Decoration.none }),
  update(value, { state, effects, changes, docChanged }) {
    const { doc } = state;
    const [hooks] = state.facet(commentHooks);
    const set = effects.findLast((effect) => effect.is(setCommentSpots))?.value;
    const isMoved = docChanged && value.spots.length > 0;
    if (hooks === undefined || (set === undefined && !isMoved)) return value;
    const moved = value.spots.map((spot) => {
      const from = changes.mapPos(spot.from, 1);
      return { ...spot, from, to: Math.max(from, changes.mapPos(spot.to, -1)) };
    });
    const spots = set === undefined ? moved : place(set, moved, doc);
    const boxes = spots.map(({ key, to }) => blockBelow(new CommentBox(key, hooks)).range(doc.lineAt(to).to));
    return { spots, boxes: Decoration.set(boxes, true) };
  },
  provide: (field) => EditorView.decorations.from(field, ({ boxes }) => boxes),
});

/** Room of this height below the line at a position, beside the box of a comment on the other side. */
export interface CommentRoom {
  readonly at: number;
  readonly height: number;
}

const setRooms = StateEffect.define<readonly CommentRoom[]>({
  map: (rooms, changes) => rooms.map(({ at, height }) => ({ at: changes.mapPos(at), height })),
});

const commentRooms = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(rooms, { state: { doc }, effects, changes }) {
    const set = effects.findLast((effect) => effect.is(setRooms))?.value;
    if (set === undefined) return rooms.map(changes);
    const blocks = set.map(({ at, height }) =>
      blockBelow(new Room(height)).range(doc.lineAt(Math.min(at, doc.length)).to),
    );
    return Decoration.set(blocks, true);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Keeps room on this side for the boxes of the other one. */
export function setCommentRooms(view: EditorView, rooms: readonly CommentRoom[]): void {
  if (rooms.length > 0 || view.state.field(commentRooms).size > 0)
    view.dispatch({ effects: setRooms.of(rooms) });
}

/** Where the boxes of this side are: the end of their last lines. */
export function commentPositions(
  state: EditorState,
): readonly { readonly key: string; readonly at: number }[] {
  return state.field(placedSpots).spots.map(({ key, to }) => ({ key, at: to }));
}

function blockBelow(widget: WidgetType): Decoration {
  return Decoration.widget({ widget, block: true, side: 1 });
}

/** Shows the boxes of comments below their lines; they follow the text. A line number adds a comment when it is clicked. */
export function commentBoxes(side: CommentSide, hooks: CommentHooks): Extension {
  const reportLines = ({ docChanged, state }: ViewUpdate): void => {
    const { spots } = state.field(placedSpots);
    if (!docChanged || spots.length === 0) return;
    hooks.onMove(new Map(spots.map((spot) => [spot.key, linesOf(state.doc, spot)])));
  };
  return [
    commentHooks.of(hooks),
    placedSpots,
    commentRooms,
    EditorView.updateListener.of(reportLines),
    lineNumbers({
      domEventHandlers: {
        click: ({ state }, { from }) => {
          hooks.onComment(side, linesAround(state, from));
          return true;
        },
      },
    }),
  ];
}

/** A spot whose lines the host has not moved stays where the text has moved it. */
function place(set: readonly CommentSpot[], before: readonly PlacedSpot[], doc: Text): PlacedSpot[] {
  return set.map((spot) => {
    const { key, lines } = spot;
    const last = before.find((each) => each.key === key);
    if (last?.lines.first === lines.first && last.lines.last === lines.last) return last;
    const lineAt = (index: number) => doc.line(Math.min(Math.max(index + 1, 1), doc.lines));
    return { ...spot, from: lineAt(lines.first).from, to: lineAt(lines.last).to };
  });
}

function linesOf(doc: Text, { from, to }: { readonly from: number; readonly to: number }): CommentLines {
  return { first: doc.lineAt(from).number - 1, last: doc.lineAt(to).number - 1 };
}

/** The selected lines, if the position is among them, otherwise its line. */
function linesAround({ doc, selection }: EditorState, position: number): CommentLines {
  const { from, to } = selection.main;
  const at = doc.lineAt(Math.min(position, doc.length)).number - 1;
  const selected = selectedLines(doc, from, to);
  return selected.first <= at && at <= selected.last ? selected : { first: at, last: at };
}

/** The lines of a selection. One that ends at the start of a line does not include that line. */
export function selectedLines(doc: Text, from: number, to: number): CommentLines {
  const end = to > from && doc.lineAt(to).from === to ? to - 1 : to;
  return linesOf(doc, { from, to: end });
}

class CommentBox extends WidgetType {
  readonly #key: string;
  readonly #hooks: CommentHooks;

  constructor(key: string, hooks: CommentHooks) {
    super();
    this.#key = key;
    this.#hooks = hooks;
  }

  override eq(other: CommentBox): boolean {
    return this.#key === other.#key && this.#hooks === other.#hooks;
  }

  override get estimatedHeight(): number {
    return 90;
  }

  override toDOM(): HTMLElement {
    const box = document.createElement('div');
    box.className = 'cm-commentBox';
    this.#hooks.onBox(this.#key, box, true);
    return box;
  }

  override destroy(box: HTMLElement): void {
    this.#hooks.onBox(this.#key, box, false);
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

class Room extends WidgetType {
  readonly #height: number;

  constructor(height: number) {
    super();
    this.#height = height;
  }

  override eq(other: Room): boolean {
    return this.#height === other.#height;
  }

  override get estimatedHeight(): number {
    return this.#height;
  }

  override toDOM(): HTMLElement {
    const room = document.createElement('div');
    room.className = 'cm-mergeSpacer';
    room.style.height = `${this.#height}px`;
    return room;
  }
}
