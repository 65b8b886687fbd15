import { diffArrays } from 'diff';
import { type Line, type LineSpan, linesIn } from './lines.js';

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

/**
 * The changes that turn the lines of one text into those of another, in order, with at least one unchanged line between
 * two changes. Line ends are not compared. Texts that cannot be aligned within `MAX_EDITS` give one change, from the
 * first difference to the last.
 */
export function findLineChanges(from: readonly Line[], to: readonly Line[]): LineChange[] {
  const shorter = Math.min(from.length, to.length);
  let head = 0;
  while (head < shorter && from[head]?.text === to[head]?.text) head++;
  let tail = 0;
  while (tail < shorter - head && from.at(-1 - tail)?.text === to.at(-1 - tail)?.text) tail++;
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
  for (const [fromLine, toLine] of alignLines(from, fromSpan, to, toSpan)) {
    changeUpTo(fromLine, toLine);
    fromNext = fromLine + 1;
    toNext = toLine + 1;
  }
  changeUpTo(from.length - tail, to.length - tail);
  return changes;
}

/** The numbers of equal lines, paired and ascending on both sides; no pairs when `MAX_EDITS` is exceeded. */
function alignLines(
  from: readonly Line[],
  fromSpan: LineSpan,
  to: readonly Line[],
  toSpan: LineSpan,
): [number, number][] {
  const ids = new Map<string, number>();
  for (const { text } of linesIn(from, fromSpan)) {
    if (!ids.has(text)) ids.set(text, ids.size);
  }
  const shared = new Set<number>();
  for (const { text } of linesIn(to, toSpan)) {
    const id = ids.get(text);
    if (id !== undefined) shared.add(id);
  }
  const left = keepShared(from, fromSpan, ids, shared);
  const right = keepShared(to, toSpan, ids, shared);

  const pairs: [number, number][] = [];
  let leftAt = 0;
  let rightAt = 0;
  for (const part of diffArrays(left.ids, right.ids, { maxEditLength: MAX_EDITS }) ?? []) {
    for (let step = 0; step < part.count; step++) {
      const fromLine = part.added ? undefined : left.lineNumbers[leftAt++];
      const toLine = part.removed ? undefined : right.lineNumbers[rightAt++];
      if (fromLine !== undefined && toLine !== undefined) pairs.push([fromLine, toLine]);
    }
  }
  return pairs;
}

/**
 * The lines of a span that the other text has too. A line without a counterpart is changed in every alignment: to leave
 * it out loses nothing and makes the usual large change, thousands of rewritten lines, cheap.
 */
function keepShared(
  lines: readonly Line[],
  span: LineSpan,
  ids: ReadonlyMap<string, number>,
  shared: ReadonlySet<number>,
): { ids: number[]; lineNumbers: number[] } {
  const kept = { ids: [] as number[], lineNumbers: [] as number[] };
  let lineNumber = span.start;
  for (const { text } of linesIn(lines, span)) {
    const id = ids.get(text);
    if (id !== undefined && shared.has(id)) {
      kept.ids.push(id);
      kept.lineNumbers.push(lineNumber);
    }
    lineNumber++;
  }
  return kept;
}
