import { wrap } from './cells.js';
import { diffRows, groupKeyOf, type State, selectedReview } from './state.js';

/** Where the parts of the screen are. */
export interface Geometry {
  /** Of the list; 0 on a narrow screen. */
  readonly listWidth: number;
  /** The first column of the review, and how many it has. */
  readonly left: number;
  readonly width: number;
  /** The first row of the diff, and how many it has. */
  readonly bodyTop: number;
  readonly bodyHeight: number;
  /** What the review says above its diff, in lines that fit. */
  readonly notes: readonly { readonly text: string; readonly isWarning: boolean }[];
}

/** A narrower screen has no list. */
const leastColumns = 60;
/** The bar above, and the two lines below. */
const aroundBody = 3;

export function geometryOf(state: State): Geometry {
  const { columns, rows } = state;
  const listWidth = columns < leastColumns ? 0 : Math.max(24, Math.min(44, Math.floor(columns * 0.24)));
  const left = listWidth === 0 ? 0 : listWidth + 1;
  const width = Math.max(1, columns - left);
  const notes = notesIn(state, width).slice(0, Math.max(1, Math.floor(rows / 4)));
  const bodyTop = 2 + notes.length;
  return {
    listWidth,
    left,
    width,
    bodyTop,
    bodyHeight: Math.max(1, rows - aroundBody - notes.length - 1),
    notes,
  };
}

function notesIn(state: State, width: number): { text: string; isWarning: boolean }[] {
  const review = selectedReview(state);
  if (review === undefined) return [];
  const end = review.end === undefined ? [] : [{ text: review.end.text, isWarning: false }];
  return [...end, ...review.notes].flatMap(({ text, isWarning }) =>
    wrap(isWarning ? `! ${text}` : text, Math.max(10, width - 2)).map((line) => ({ text: line, isWarning })),
  );
}

/** A row of the list. */
export type ListRow =
  | { readonly kind: 'heading'; readonly key: string; readonly first: number }
  | { readonly kind: 'review'; readonly index: number };

/** The reviews below the headings of their sessions. */
export function listRows({ reviews }: State): ListRow[] {
  let last: string | undefined;
  return reviews.flatMap((review, index): ListRow[] => {
    const key = groupKeyOf(review);
    const isNew = key !== last;
    last = key;
    const row: ListRow = { kind: 'review', index };
    return isNew ? [{ kind: 'heading', key, first: index }, row] : [row];
  });
}

/** The first row of the list on the screen: the selected review is always there. */
export function listTop(state: State, rows: readonly ListRow[], height: number): number {
  const at = rows.findIndex(
    (row) => row.kind === 'review' && state.reviews[row.index]?.id === state.selected,
  );
  return Math.max(0, Math.min(at - Math.floor(height / 2), rows.length - height));
}

/** The same with the cursor on the screen, and not too far below the last row. */
export function withCursorShown(state: State): State {
  const { bodyHeight } = geometryOf(state);
  const last = Math.max(0, diffRows(state).length - 1);
  const cursor = Math.max(0, Math.min(state.cursor, last));
  const margin = Math.min(2, Math.floor((bodyHeight - 1) / 2));
  const least = cursor - bodyHeight + 1 + margin;
  const top = Math.max(
    0,
    Math.min(Math.max(state.top, least), cursor - margin, Math.max(0, last - bodyHeight + 1)),
  );
  return { ...state, cursor, top: Math.max(top, Math.min(least, Math.max(0, last - bodyHeight + 1)), 0) };
}
