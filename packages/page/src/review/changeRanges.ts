import { type Chunk, getChunks } from '@codemirror/merge';
import { Facet, StateEffect, StateField, type Text } from '@codemirror/state';
import type { PageHunk } from '../wire/index.js';
import { hidesSpaceChanges, isSpaceChange } from './spaceChanges.js';

/** A hunk of the proposal by characters of the file; `toA` is the start of the line after it. */
export interface HunkSpan {
  readonly index: number;
  readonly fromA: number;
  readonly toA: number;
  /** Its first line in the proposal. */
  readonly proposedStart: number;
  readonly removed: number;
  readonly added: number;
  /** The first lines of a proposal that is known. */
  readonly lines: readonly string[];
}

/** How many lines of a dropped hunk are shown. */
const mostLines = 12;

/**
 * One visible change. With a hunk it can be kept or dropped; without one it is the user's own edit. A dropped hunk has no
 * lines in the text: `fromB` is where they would be. Positions are those of `Chunk`: line starts, and `to` may be one past
 * the end of the text.
 */
export interface ChangeRange {
  readonly hunk: number | undefined;
  readonly isDropped: boolean;
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
  readonly removed: number;
  readonly added: number;
}

/** Finds the hunks in the file. They never move there: the file's side is read-only. */
export function hunkSpans(original: Text, hunks: readonly PageHunk[], proposed = ''): HunkSpan[] {
  const proposal = proposed.split('\n');
  const startOf = (line: number): number =>
    line < original.lines ? original.line(line + 1).from : original.length + 1;
  return hunks.map(({ original: gone, proposed: added }, index) => ({
    index,
    fromA: startOf(gone.start),
    toA: startOf(gone.start + gone.count),
    proposedStart: added.start,
    removed: gone.count,
    added: added.count,
    lines: proposal.slice(added.start, added.start + Math.min(added.count, mostLines)),
  }));
}

/** All changes in the order of the text. Takes one walk through hunks and chunks, which are both in order. */
export function changeRanges(
  spans: readonly HunkSpan[],
  kept: readonly boolean[],
  chunks: readonly Chunk[],
  original: Text,
  text: Text,
): ChangeRange[] {
  const ranges: ChangeRange[] = [];
  const isDropped = (span: HunkSpan): boolean => kept[span.index] === false;
  let at = 0;
  // The offset of unchanged positions between file and text.
  let shift = 0;
  const skipTo = (chunk: Chunk | undefined): void => {
    for (; at < spans.length; at++) {
      const span = spans[at];
      if (span === undefined || (chunk !== undefined && !isBefore(span, chunk))) return;
      // A kept hunk without a chunk was undone by hand: there is nothing to see.
      if (isDropped(span)) ranges.push(droppedRange(span, span.fromA + shift, text));
    }
  };
  for (const chunk of chunks) {
    skipTo(chunk);
    const only = spans[at];
    const next = spans[at + 1];
    // The usual chunk has one hunk of its own, and there can be thousands at every key.
    if (
      only !== undefined &&
      touches(only, chunk) &&
      !isDropped(only) &&
      (next === undefined || !touches(next, chunk))
    ) {
      ranges.push(keptRange(only, chunk.fromB, chunk.toB));
      at += 1;
      shift = chunk.toB - chunk.toA;
      continue;
    }
    const inside: HunkSpan[] = [];
    for (let span = spans[at]; span !== undefined && touches(span, chunk); span = spans[++at])
      inside.push(span);
    for (const span of inside.filter(isDropped)) {
      ranges.push(droppedRange(span, span.fromA <= chunk.fromA ? chunk.fromB : span.fromA + shift, text));
    }
    ranges.push(
      ...keptRanges(
        inside.filter((span) => !isDropped(span)),
        chunk,
        original,
        text,
      ),
    );
    shift = chunk.toB - chunk.toA;
  }
  skipTo(undefined);
  // Where lines repeat, chunks and hunks may pair them differently, and a dropped hunk then lies before its neighbour.
  ranges.sort((one, other) => one.fromB - other.fromB);
  return withSlidHunks(ranges, spans, kept, original);
}

/** Where the keys for the next and the previous change go. A conflict is one place, whatever changes it consists of. */
export interface ChangeStop {
  readonly fromB: number;
  readonly toB: number;
  /** Absent for a conflict: its own buttons resolve it. */
  readonly range: ChangeRange | undefined;
}

/** The changes and the conflicts of a text, in order. */
export function changeStops(
  ranges: readonly ChangeRange[],
  conflicts: readonly { readonly from: number; readonly to: number }[],
): readonly ChangeStop[] {
  if (conflicts.length === 0) return ranges.map((range) => ({ fromB: range.fromB, toB: range.toB, range }));
  const isInConflict = ({ fromB, toB }: ChangeRange): boolean =>
    conflicts.some(({ from, to }) => fromB < to && from < Math.max(toB, fromB + 1));
  return [
    ...changeStops(
      ranges.filter((range) => !isInConflict(range)),
      [],
    ),
    ...conflicts.map(({ from, to }) => ({ fromB: from, toB: to, range: undefined })),
  ].toSorted((one, other) => one.fromB - other.fromB);
}

/** The index of the change at the cursor, or -1. */
export function rangeAt(ranges: readonly Pick<ChangeRange, 'fromB' | 'toB'>[], caret: number): number {
  return ranges.findIndex(({ fromB, toB }) => fromB <= caret && caret <= Math.max(fromB, toB - 1));
}

/** The index of the change before or after the cursor, around the ends; -1 if there is none. */
export function rangeFrom(
  ranges: readonly Pick<ChangeRange, 'fromB' | 'toB'>[],
  caret: number,
  direction: 1 | -1,
): number {
  if (ranges.length === 0) return -1;
  const current = rangeAt(ranges, caret);
  if (current >= 0) return (current + direction + ranges.length) % ranges.length;
  if (direction > 0)
    return Math.max(
      ranges.findIndex(({ fromB }) => fromB > caret),
      0,
    );
  const before = ranges.findLastIndex(({ fromB }) => fromB < caret);
  return before < 0 ? ranges.length - 1 : before;
}

/** The first index that satisfies a condition, which all later items satisfy too; the length if none does. */
export function firstIndex<T>(items: readonly T[], isReached: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && isReached(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Finds hunks that the chunks show some lines earlier or later, because lines around them are equal: a new function and the
 * one before it both end with `}` and a blank line. Such a hunk has the same size and is near.
 */
function withSlidHunks(
  ranges: ChangeRange[],
  spans: readonly HunkSpan[],
  kept: readonly boolean[],
  original: Text,
): ChangeRange[] {
  if (ranges.every(({ hunk }) => hunk !== undefined)) return ranges;
  const found = new Set(ranges.map(({ hunk }) => hunk));
  const missing = spans.filter(({ index }) => !found.has(index) && kept[index] !== false);
  const lineOf = (at: number): number => original.lineAt(Math.min(at, original.length)).number;
  return ranges.map((range) => {
    if (range.hunk !== undefined || missing.length === 0) return range;
    const { added, removed } = range;
    const at = missing.findIndex(
      (span) =>
        span.added === added &&
        span.removed === removed &&
        Math.abs(lineOf(span.fromA) - lineOf(range.fromA)) <= Math.max(added, removed),
    );
    const [span] = at < 0 ? [] : missing.splice(at, 1);
    return span === undefined ? range : { ...range, hunk: span.index };
  });
}

function isBefore(span: HunkSpan, chunk: Chunk): boolean {
  return span.fromA < chunk.fromA && !touches(span, chunk);
}

function touches(span: HunkSpan, { fromA, toA }: Chunk): boolean {
  if (span.fromA === span.toA || fromA === toA) return span.fromA <= toA && span.toA >= fromA;
  return span.fromA < toA && span.toA > fromA;
}

function droppedRange(span: HunkSpan, position: number, text: Text): ChangeRange {
  const fromB = text.lineAt(Math.min(position, text.length)).from;
  const { index: hunk, fromA, toA, removed, added } = span;
  return { hunk, isDropped: true, fromA, toA, fromB, toB: fromB, removed, added };
}

function keptRange(span: HunkSpan, fromB: number, toB: number): ChangeRange {
  const { index: hunk, fromA, toA, removed, added } = span;
  return { hunk, isDropped: false, fromA, toA, fromB, toB, removed, added };
}

function keptRanges(spans: readonly HunkSpan[], chunk: Chunk, original: Text, text: Text): ChangeRange[] {
  const { fromA, toA, fromB, toB } = chunk;
  const [first] = spans;
  if (first === undefined) {
    const removed = countLines(original, fromA, toA);
    const added = countLines(text, fromB, toB);
    return [{ hunk: undefined, isDropped: false, fromA, toA, fromB, toB, removed, added }];
  }
  return spans.map((span, at) => {
    // Hunks that are a short line apart share a chunk.
    const own = spans.length === 1 ? { from: fromB, to: toB } : ownLines(span, spans, chunk, text);
    return keptRange(span, at === 0 ? fromB : own.from, at === spans.length - 1 ? toB : own.to);
  });
}

/** The lines of one of several hunks in a chunk: by their number if they are not edited, otherwise by what changed. */
function ownLines(
  span: HunkSpan,
  spans: readonly HunkSpan[],
  chunk: Chunk,
  text: Text,
): { from: number; to: number } {
  const startOf = (line: number): number => (line <= text.lines ? text.line(line).from : text.length + 1);
  const lineAt = (offset: number) => text.lineAt(Math.min(chunk.fromB + offset, text.length));
  const [first = span] = spans;
  const last = spans.at(-1) ?? span;
  const expected = last.proposedStart + last.added - first.proposedStart;
  if (countLines(text, chunk.fromB, chunk.toB) === expected) {
    const line = lineAt(0).number + span.proposedStart - first.proposedStart;
    return { from: startOf(line), to: startOf(line + span.added) };
  }
  const own = chunk.changes.filter(
    ({ fromA, toA }) => fromA + chunk.fromA <= span.toA && toA + chunk.fromA >= span.fromA,
  );
  const start = own[0]?.fromB ?? 0;
  const end = Math.max(start, (own.at(-1)?.toB ?? 0) - 1);
  return { from: lineAt(start).from, to: lineAt(end).to + 1 };
}

function countLines(text: Text, from: number, to: number): number {
  if (from >= to) return 0;
  const last = Math.min(Math.max(from, to - 1), text.length);
  return text.lineAt(last).number - text.lineAt(Math.min(from, text.length)).number + 1;
}

/** What is fixed for the life of a review. */
interface ReviewBasis {
  readonly original: Text;
  readonly spans: readonly HunkSpan[];
}

export const reviewBasis = Facet.define<ReviewBasis, ReviewBasis | undefined>({
  combine: ([basis]) => basis,
});

/** Which hunks are kept. */
export const setKeptHunks = StateEffect.define<readonly boolean[]>();

interface RangesState {
  readonly kept: readonly boolean[];
  readonly ranges: readonly ChangeRange[];
}

/** The changes of the text that an editor holds, kept in step with every edit. */
export const rangesField = StateField.define<RangesState>({
  create: () => ({ kept: [], ranges: [] }),
  update(value, transaction) {
    const { state } = transaction;
    const kept = transaction.effects.findLast((effect) => effect.is(setKeptHunks))?.value ?? value.kept;
    const chunks = getChunks(state)?.chunks;
    const hidesSpace = state.facet(hidesSpaceChanges);
    const isSame = kept === value.kept && hidesSpace === transaction.startState.facet(hidesSpaceChanges);
    // A merge view gives the chunks of a new text in a transaction of their own, right after it.
    if (isSame && chunks === getChunks(transaction.startState)?.chunks) return value;
    const basis = state.facet(reviewBasis);
    if (basis === undefined) return value;
    const ranges = changeRanges(basis.spans, kept, chunks ?? [], basis.original, state.doc);
    if (!hidesSpace) return { kept, ranges };
    const hidden = (chunks ?? []).filter((chunk) => isSpaceChange(chunk, basis.original, state.doc));
    const isHidden = ({ fromB, toB }: ChangeRange): boolean =>
      hidden.some((chunk) => chunk.fromB <= fromB && toB <= chunk.toB);
    return { kept, ranges: ranges.filter((range) => range.isDropped || !isHidden(range)) };
  },
});
