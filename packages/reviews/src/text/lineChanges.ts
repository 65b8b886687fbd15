import { align } from './alignment.js';
import type { Line, LineSpan } from './lines.js';
import { finish, type Steps } from './steps.js';

/** Lines of one text that differ from those of another. Either span may be empty, never both. */
export interface LineChange {
  readonly from: LineSpan;
  readonly to: LineSpan;
}

/**
 * The maximum of insertions plus deletions, counted among lines that both texts have, for which an alignment is
 * computed: the cost grows with the square of this number. A count and not a time limit, because the same two texts
 * must always give the same changes.
 */
const MAX_EDITS = 1000;
/** How many lines are hashed in one step; some milliseconds. */
const linesPerStep = 2_000;

/**
 * The changes that turn the lines of one text into those of another, in order, with at least one unchanged line between
 * two changes. Line ends are not compared. Texts that cannot be aligned within `MAX_EDITS` give one change, from the
 * first difference to the last.
 */
export function findLineChanges(from: readonly Line[], to: readonly Line[]): LineChange[] {
  return finish(lineChangesInSteps(from, to));
}

/** `findLineChanges`, with other work between its steps. */
export function* lineChangesInSteps(from: readonly Line[], to: readonly Line[]): Steps<LineChange[]> {
  const shorter = Math.min(from.length, to.length);
  let head = 0;
  while (head < shorter && from[head]?.text === to[head]?.text)
    if (++head % linesPerStep === 0) yield undefined;
  let tail = 0;
  const isSameAtEnd = (): boolean => from[from.length - 1 - tail]?.text === to[to.length - 1 - tail]?.text;
  while (tail < shorter - head && isSameAtEnd()) if (++tail % linesPerStep === 0) yield undefined;
  const fromSpan = { start: head, count: from.length - tail - head };
  const toSpan = { start: head, count: to.length - tail - head };

  const changes: LineChange[] = [];
  let fromNext = head;
  let toNext = head;
  const changeUpTo = (fromLine: number, toLine: number) => {
    if (fromLine === fromNext && toLine === toNext) return;
    changes.push({
      from: { start: fromNext, count: fromLine - fromNext },
      to: { start: toNext, count: toLine - toNext },
    });
  };
  const shared = yield* findShared(from, fromSpan, to, toSpan);
  const aligned = yield* align(shared.from.ids, shared.to.ids, MAX_EDITS);
  for (let at = 0; at < (aligned?.left.length ?? 0); at++) {
    const fromLine = shared.from.lineNumbers[aligned?.left[at] ?? 0] ?? 0;
    const toLine = shared.to.lineNumbers[aligned?.right[at] ?? 0] ?? 0;
    changeUpTo(fromLine, toLine);
    fromNext = fromLine + 1;
    toNext = toLine + 1;
    if (at % linesPerStep === linesPerStep - 1) yield undefined;
  }
  changeUpTo(from.length - tail, to.length - tail);
  return changes;
}

/** Some lines of a text: a number for each that equal lines share, and its line number. */
interface SharedLines {
  readonly ids: Int32Array;
  readonly lineNumbers: Int32Array;
}

/**
 * The lines of each span that the other one has too. A line without a counterpart is changed in every alignment: to leave
 * it out loses nothing and makes the usual large change, thousands of rewritten lines, cheap.
 */
function* findShared(
  from: readonly Line[],
  fromSpan: LineSpan,
  to: readonly Line[],
  toSpan: LineSpan,
): Steps<{ readonly from: SharedLines; readonly to: SharedLines }> {
  const ids = new Map<string, number>();
  const fromIds = new Int32Array(fromSpan.count);
  for (let at = 0; at < fromSpan.count; at++) {
    const text = from[fromSpan.start + at]?.text ?? '';
    const id = ids.get(text) ?? ids.size;
    if (id === ids.size) ids.set(text, id);
    fromIds[at] = id;
    if (at % linesPerStep === linesPerStep - 1) yield undefined;
  }
  const toIds = new Int32Array(toSpan.count);
  const isShared = new Uint8Array(ids.size);
  for (let at = 0; at < toSpan.count; at++) {
    const id = ids.get(to[toSpan.start + at]?.text ?? '') ?? -1;
    toIds[at] = id;
    if (id >= 0) isShared[id] = 1;
    if (at % linesPerStep === linesPerStep - 1) yield undefined;
  }
  yield undefined;
  const keptFrom = keepShared(fromIds, fromSpan.start, isShared);
  yield undefined;
  return { from: keptFrom, to: keepShared(toIds, toSpan.start, isShared) };
}

function keepShared(all: Int32Array, firstLine: number, isShared: Uint8Array): SharedLines {
  const ids = new Int32Array(all.length);
  const lineNumbers = new Int32Array(all.length);
  let count = 0;
  // An iterator would take several times as long.
  for (let at = 0; at < all.length; at++) {
    const id = all[at] ?? -1;
    if (id < 0 || isShared[id] !== 1) continue;
    ids[count] = id;
    lineNumbers[count] = firstLine + at;
    count += 1;
  }
  return { ids: ids.subarray(0, count), lineNumbers: lineNumbers.subarray(0, count) };
}
