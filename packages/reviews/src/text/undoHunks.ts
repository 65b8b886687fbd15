import { composeInSteps, type Hunk, hunksInSteps } from './hunks.js';
import { dominantLineEnd, linesOfInSteps, withFinalLineEnd } from './lines.js';
import { type FileContent, textOf } from './mergeWithFile.js';
import { finish, type Steps } from './steps.js';

/** A text, or no file. */
type Text = Exclude<FileContent, { readonly kind: 'binary' }>;

/** A file once some hunks are undone. */
export interface WithoutHunks {
  readonly content: Text;
  /** None is left. */
  readonly areAll: boolean;
}

/**
 * Undoes the chosen ones of the hunks between two contents of a file: their lines return as they were in `before`, and everything
 * else stays as it is in `now`. With all of them chosen, the result is `before`, byte for byte. Undefined if none is chosen.
 */
export function undoHunks(
  before: Text,
  now: Text,
  isChosen: (hunk: Hunk) => boolean,
): WithoutHunks | undefined {
  return finish(undoHunksInSteps(before, now, isChosen));
}

/** `undoHunks`, with other work between its steps. */
export function* undoHunksInSteps(
  before: Text,
  now: Text,
  isChosen: (hunk: Hunk) => boolean,
): Steps<WithoutHunks | undefined> {
  const [earlier, present] = [textOf(before), textOf(now)];
  const hunks = yield* hunksInSteps(earlier, present);
  const kept = hunks.map((hunk) => !isChosen(hunk));
  if (!kept.includes(false)) return undefined;
  if (!kept.includes(true)) return { content: before, areAll: true };
  const text = yield* composeInSteps(earlier, present, hunks, kept);
  const last = hunks.at(-1);
  // The end of the last line belongs to the hunk that has this line.
  const isEndUndone =
    kept.at(-1) === false &&
    last !== undefined &&
    endOf(last.original) === (yield* linesOfInSteps(earlier)).length &&
    endOf(last.proposed) === (yield* linesOfInSteps(present)).length;
  const end = dominantLineEnd(text) ?? dominantLineEnd(earlier) ?? '\n';
  return {
    content: {
      ...now,
      kind: 'text',
      text: isEndUndone ? withFinalLineEnd(text, end, /[\r\n]$/.test(earlier)) : text,
    },
    areAll: false,
  };
}

function endOf({ start, count }: Hunk['original']): number {
  return start + count;
}

/** Whether a hunk is in these lines of the present text, counted from 0. Removed lines are in the line before and the line after them. */
export function isHunkInLines(
  { proposed: { start, count } }: { readonly proposed: Pick<Hunk['proposed'], 'start' | 'count'> },
  { first, last }: { readonly first: number; readonly last: number },
): boolean {
  const [from, to] = count > 0 ? [start, start + count - 1] : [start - 1, start];
  return from <= last && to >= first;
}
