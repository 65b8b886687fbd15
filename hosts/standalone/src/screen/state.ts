import type { ReviewDetails } from '@tandem/companion/control';
import type { Answer, Question, ReviewSummary, SessionSummary } from '@tandem/rpc';
import { type Diff, diffOf, type Row, rowsOf } from './diffModel.js';

/** What the view asks of the companion, the terminal or another program. `isUndo`: it takes a step back. */
export type Effect = Wanted & { readonly isUndo?: boolean };

type Wanted =
  | { readonly kind: 'load'; readonly id: string }
  /** An action of the desk, by its id. */
  | {
      readonly kind: 'act';
      readonly id: string;
      readonly action: string;
      readonly version: number | undefined;
      readonly answer?: Answer;
    }
  | { readonly kind: 'hunk'; readonly id: string; readonly hunk: number; readonly isKept: boolean }
  | {
      readonly kind: 'decide';
      readonly session: string;
      readonly decision: 'accept' | 'reject';
      readonly answer?: Answer;
    }
  | ({ readonly kind: 'comment'; readonly id: string; readonly text: string } & CommentPlace)
  | { readonly kind: 'removeComment'; readonly id: string; readonly comment: string }
  | { readonly kind: 'feedback'; readonly id: string }
  | { readonly kind: 'restore'; readonly ids: readonly string[] }
  | { readonly kind: 'setText'; readonly id: string; readonly content: string }
  /** Opens the text in the user's editor, at a 0-based line, or beside the file in a diff tool. */
  | { readonly kind: 'edit'; readonly id: string; readonly line: number; readonly isDiff: boolean }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'quit' };

/** The lines that a comment is about; absent for the whole proposal. */
interface CommentPlace {
  readonly side?: 'proposal' | 'file';
  readonly lines?: { readonly first: number; readonly last: number };
}

/** One way to go on in a list of them. */
interface Option {
  readonly label: string;
  readonly isDangerous?: boolean | undefined;
  readonly effects: readonly Effect[];
}

/** What covers the review. */
export type Overlay =
  | { readonly kind: 'help'; readonly top: number }
  /** A question of the desk, or the list of what can be done. */
  | {
      readonly kind: 'choose';
      readonly message: string;
      readonly detail: string;
      readonly options: readonly Option[];
      readonly chosen: number;
    }
  | {
      readonly kind: 'type';
      readonly purpose: 'comment' | 'search';
      readonly title: string;
      readonly text: string;
      readonly place: CommentPlace;
      readonly id: string;
    };

/** What the user reads below the review until the next key. */
interface Notice {
  readonly text: string;
  readonly isError: boolean;
}

/** What takes back a step of the user. */
export type UndoStep = Effect;

/** A review with its texts, compared. */
export interface Shown {
  readonly details: ReviewDetails;
  readonly diff: Diff;
}

/** Everything that the screen shows. */
export interface State {
  readonly columns: number;
  readonly rows: number;
  /** Apart ones and pending ones, session by session. */
  readonly reviews: readonly ReviewSummary[];
  readonly sessions: readonly SessionSummary[];
  readonly selected: string | undefined;
  readonly shown: Shown | undefined;
  readonly focus: 'list' | 'diff';
  /** The row of the diff at which the user is, and the first one on the screen. */
  readonly cursor: number;
  readonly top: number;
  /** How many columns are left of the screen. */
  readonly shift: number;
  readonly layout: 'split' | 'unified' | undefined;
  readonly unfolded: ReadonlySet<number>;
  readonly overlay: Overlay | undefined;
  readonly notice: Notice | undefined;
  readonly connection: 'live' | 'lost';
  readonly search: string;
  readonly undo: readonly UndoStep[];
}

/** What happened outside of the view. */
export type ScreenEvent =
  | { readonly kind: 'resized'; readonly columns: number; readonly rows: number }
  | {
      readonly kind: 'lists';
      readonly reviews: readonly ReviewSummary[];
      readonly sessions: readonly SessionSummary[];
    }
  | { readonly kind: 'shown'; readonly details: ReviewDetails }
  | {
      readonly kind: 'done';
      readonly effect: Effect;
      readonly note?: string | undefined;
      readonly undo?: UndoStep | undefined;
      /** For the clipboard. */
      readonly copied?: string | undefined;
    }
  | { readonly kind: 'asked'; readonly effect: Effect; readonly question: Question }
  | { readonly kind: 'failed'; readonly effect?: Effect; readonly message: string }
  | { readonly kind: 'connection'; readonly connection: 'live' | 'lost' };

/** The state before the companion has answered. */
export function initialState(columns: number, rows: number): State {
  return {
    columns,
    rows,
    reviews: [],
    sessions: [],
    selected: undefined,
    shown: undefined,
    focus: 'diff',
    cursor: 0,
    top: 0,
    shift: 0,
    layout: undefined,
    unfolded: new Set(),
    overlay: undefined,
    notice: undefined,
    connection: 'live',
    search: '',
    undo: [],
  };
}

/** From so many columns, the diff is side by side, unless the user chose. */
const splitColumns = 120;

export function isSplit({ columns, layout }: State): boolean {
  return layout === undefined ? columns >= splitColumns : layout === 'split';
}

const noRows: readonly Row[] = [];
let known:
  | { diff: Diff; isSplit: boolean; unfolded: unknown; comments: unknown; rows: readonly Row[] }
  | undefined;

/** The rows of the diff. Computed again only when what they depend on is another. */
export function diffRows(state: State): readonly Row[] {
  const { shown, unfolded } = state;
  if (shown === undefined) return noRows;
  const split = isSplit(state);
  const { diff, details } = shown;
  const { commentList: comments } = details;
  if (
    known?.diff !== diff ||
    known.isSplit !== split ||
    known.unfolded !== unfolded ||
    known.comments !== comments
  )
    known = {
      diff,
      isSplit: split,
      unfolded,
      comments,
      rows: rowsOf(diff, { isSplit: split, unfolded, comments }),
    };
  return known.rows;
}

/** The review at which the user is. */
export function selectedReview(state: State): ReviewSummary | undefined {
  const { shown, selected, reviews } = state;
  return shown?.details.id === selected ? shown?.details : reviews.find(({ id }) => id === selected);
}

/** The state after an event, and what is to be done then. */
export function afterEvent(state: State, event: ScreenEvent): { state: State; effects: readonly Effect[] } {
  switch (event.kind) {
    case 'resized':
      return { state: { ...state, columns: event.columns, rows: event.rows }, effects: [] };
    case 'connection':
      return { state: { ...state, connection: event.connection }, effects: [] };
    case 'lists':
      return afterLists(state, event);
    case 'shown':
      return { state: afterShown(state, event.details), effects: [] };
    case 'asked':
      return { state: { ...state, overlay: askedBy(event) }, effects: [] };
    case 'failed':
      return { state: { ...state, notice: { text: event.message, isError: true } }, effects: [] };
    case 'done': {
      const undo = event.undo === undefined || event.effect.isUndo ? state.undo : [...state.undo, event.undo];
      const notice = event.note === undefined ? state.notice : { text: event.note, isError: false };
      const isSent = event.effect.kind === 'comment' && state.overlay?.kind === 'type';
      const overlay = isSent ? undefined : state.overlay;
      return { state: { ...state, undo, notice, overlay }, effects: [] };
    }
  }
}

/** The reviews of a session stay together, and sessions stay in the order of their oldest review. */
function bySession(reviews: readonly ReviewSummary[]): ReviewSummary[] {
  const sessions = [...new Set(reviews.map(groupKeyOf))];
  return sessions.flatMap((key) => reviews.filter((review) => groupKeyOf(review) === key));
}

/** What reviews that are listed below one heading have in common. */
export function groupKeyOf({ group, session }: Pick<ReviewSummary, 'group' | 'session'>): string {
  return group === undefined ? `session ${session}` : `group ${group.label}`;
}

function afterLists(
  state: State,
  { reviews: listed, sessions }: Extract<ScreenEvent, { kind: 'lists' }>,
): { state: State; effects: readonly Effect[] } {
  const pending = listed.filter(({ group }) => group === undefined);
  const reviews = [...bySession(pending), ...listed.filter(({ group }) => group !== undefined)];
  const next = { ...state, reviews, sessions };
  const isThere = reviews.some(({ id }) => id === state.selected);
  if (isThere) return { state: next, effects: [] };
  // The next one of the list takes its place.
  const before = state.reviews.findIndex(({ id }) => id === state.selected);
  const following = state.reviews.slice(before + 1).find(({ id }) => reviews.some((each) => each.id === id));
  const selected = following?.id ?? reviews.at(before < 0 ? 0 : -1)?.id;
  // What the user types stays, whatever happens to the review.
  if (state.overlay?.kind === 'type' && state.overlay.purpose === 'comment' && state.selected !== undefined)
    return { state: next, effects: [] };
  return select(next, selected);
}

/** Shows another review. */
export function select(state: State, id: string | undefined): { state: State; effects: readonly Effect[] } {
  if (id === state.selected) return { state, effects: [] };
  const moved = {
    ...state,
    selected: id,
    shown: undefined,
    cursor: 0,
    top: 0,
    shift: 0,
    unfolded: new Set<number>(),
  };
  return { state: moved, effects: id === undefined ? [] : [{ kind: 'load', id }] };
}

function afterShown(state: State, details: ReviewDetails): State {
  if (details.id !== state.selected) return state;
  const before = state.shown?.details;
  const isSame =
    before !== undefined &&
    before.content === details.content &&
    before.original === details.original &&
    before.proposed === details.proposed &&
    before.hunkList.every(({ isKept }, at) => isKept === details.hunkList[at]?.isKept);
  const diff = isSame && state.shown !== undefined ? state.shown.diff : diffOf(details);
  const shown = { ...state, shown: { details, diff } };
  const rows = diffRows(shown);
  if (before !== undefined) return { ...shown, cursor: Math.max(0, Math.min(state.cursor, rows.length - 1)) };
  const first = rows.findIndex(({ kind }) => kind === 'change' || kind === 'dropped');
  return { ...shown, cursor: Math.max(0, first), top: Math.max(0, first - 3) };
}

/** The desk's question, with its choices in its order. */
function askedBy({ effect, question }: Extract<ScreenEvent, { kind: 'asked' }>): Overlay {
  const options = question.choices.map(({ label, isDangerous, answer }) => ({
    label,
    isDangerous,
    effects: [{ ...effect, answer } as Effect],
  }));
  const { message, detail } = question;
  // Enter confirms no danger by itself.
  const chosen = options[0]?.isDangerous ? -1 : 0;
  return { kind: 'choose', message, detail, options, chosen };
}
