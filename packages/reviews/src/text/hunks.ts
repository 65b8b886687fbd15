import { joinLines, replaceLines, takeEndsOf } from './joinLines.js';
import { lineChangesInSteps } from './lineChanges.js';
import {
  describeLineEnds,
  dominantLineEnd,
  type Line,
  type LineEnd,
  type LineEndKind,
  type LineSpan,
  lineStarts,
  linesIn,
  linesOf,
  linesOfInSteps,
  splitBom,
  uniformLineEnd,
  withFinalLineEnd,
} from './lines.js';
import { finish, type Steps } from './steps.js';

/** One range of lines that a proposal changes. It can be kept or dropped independently. */
export interface Hunk {
  /** Its index among the hunks of its proposal, from 0. */
  readonly index: number;
  /** The lines it removes; empty for an insertion, which goes before line `start`. */
  readonly original: LineSpan;
  /** The lines it adds; empty for a deletion. */
  readonly proposed: LineSpan;
}

/**
 * Where a proposal differs, by lines. Line ends, byte order mark and final line end are not compared: an agent that
 * reads a CRLF file may propose LF for it, and that changes no line. `describeExactDifferences` reports such
 * differences.
 */
export function computeHunks(original: string, proposed: string): Hunk[] {
  return finish(hunksInSteps(original, proposed));
}

/** `computeHunks`, with other work between its steps. */
export function* hunksInSteps(original: string, proposed: string): Steps<Hunk[]> {
  const from = yield* linesOfInSteps(original);
  const to = yield* linesOfInSteps(proposed);
  const changes = yield* lineChangesInSteps(from, to);
  yield undefined;
  return changes.map((change, index) => ({ index, original: change.from, proposed: change.to }));
}

/** How many lines these changes add and remove. */
export function countLines(hunks: readonly Pick<Hunk, 'original' | 'proposed'>[]): {
  readonly added: number;
  readonly removed: number;
} {
  return {
    added: hunks.reduce((sum, { proposed }) => sum + proposed.count, 0),
    removed: hunks.reduce((sum, { original }) => sum + original.count, 0),
  };
}

/**
 * The proposal with some of its hunks undone. `hunks` are those of `computeHunks` for these two texts; `kept` has for
 * each whether it stays. Throws a `RangeError` when the two differ in length.
 *
 * With all hunks kept, the result is the proposal byte for byte. Byte order mark and final line end are always the
 * proposal's. A proposal without lines does not define the final line end: then the original's is used. A result
 * without lines has neither. Lines that are restored from the original have their own ends if the proposal did not
 * change the ends of unchanged lines, otherwise those of the lines they replace, as in `conformText`.
 */
export function composeHunks(
  original: string,
  proposed: string,
  hunks: readonly Hunk[],
  kept: readonly boolean[],
): string {
  return finish(composeInSteps(original, proposed, hunks, kept));
}

/** `composeHunks`, with other work between its steps. */
export function* composeInSteps(
  original: string,
  proposed: string,
  hunks: readonly Hunk[],
  kept: readonly boolean[],
): Steps<string> {
  if (hunks.length !== kept.length) {
    throw new RangeError(
      `There are ${hunks.length} hunks and ${kept.length} decisions: pass one for each hunk.`,
    );
  }
  const dropped = hunks.filter((_, at) => !kept[at]);
  if (dropped.length === 0) return proposed;

  const end = uniformLineEnd(proposed);
  if (end !== undefined && describeLineEnds(original) !== 'mixed') {
    const body = yield* composeBodies(splitBom(original).body, splitBom(proposed).body, dropped, end);
    return body === '' ? '' : splitBom(proposed).bom + body;
  }
  const originalLines = yield* linesOfInSteps(original);
  const proposedLines = yield* linesOfInSteps(proposed);
  const areEndsKept = compareUnchangedEnds(originalLines, proposedLines, hunks) === 'same';
  const lines = replaceLines(
    proposedLines,
    dropped.map((hunk) => ({
      span: hunk.proposed,
      lines: areEndsKept
        ? linesIn(originalLines, hunk.original)
        : takeEndsOf(linesIn(proposedLines, hunk.proposed), linesIn(originalLines, hunk.original)),
    })),
  );
  yield undefined;
  const text = yield* joinLines(lines, {
    hasFinalLineEnd: (proposedLines.at(-1) ?? originalLines.at(-1))?.end !== '',
    lineEnd: dominantLineEnd(proposed) ?? dominantLineEnd(original) ?? '\n',
  });
  return text === '' ? '' : splitBom(proposed).bom + text;
}

/**
 * The usual case of `composeHunks`, in which all lines of the result end in `end`. No line is copied by itself, so that
 * dropping a hunk of a large text is fast.
 */
function* composeBodies(
  original: string,
  proposed: string,
  dropped: readonly Hunk[],
  end: LineEnd,
): Steps<string> {
  const originalEnd = uniformLineEnd(original) ?? end;
  const from = lineStarts(original, originalEnd);
  yield undefined;
  const to = lineStarts(proposed, end);
  yield undefined;
  let text = '';
  let next = 0;
  const add = (part: string): void => {
    if (part === '') return;
    // The last line of either text may have no end.
    text += text === '' || text.endsWith(end) ? part : end + part;
  };
  for (const hunk of dropped) {
    const gone = linesBetween(original, from, hunk.original);
    add(proposed.slice(to[next], to[hunk.proposed.start]));
    add(originalEnd === end ? gone : gone.replaceAll(originalEnd, end));
    next = hunk.proposed.start + hunk.proposed.count;
  }
  add(proposed.slice(to[next]));
  return withFinalLineEnd(text, end, proposed.endsWith(end));
}

function linesBetween(text: string, starts: readonly number[], { start, count }: LineSpan): string {
  return text.slice(starts[start], starts[start + count]);
}

/** What hunks do not show. A property is absent where nothing differs. */
export interface ExactDifferences {
  readonly bom?: 'added' | 'removed';
  /** Set only if both texts have line ends. Both `mixed` means: mixed in another way. */
  readonly lineEnds?: { readonly from: LineEndKind; readonly to: LineEndKind };
  /** Set only if both texts have lines. */
  readonly finalNewline?: 'added' | 'removed';
}

/** Describes how two texts differ apart from their lines. Without hunks it is empty only for equal texts. */
export function describeExactDifferences(original: string, proposed: string): ExactDifferences {
  const [before, after] = [splitBom(original), splitBom(proposed)];
  const bom = describeChange(before.bom !== '', after.bom !== '');
  const from = describeLineEnds(original);
  const to = describeLineEnds(proposed);
  const areEndsOther =
    from === to
      ? from === 'mixed' &&
        compareUnchangedEnds(linesOf(original), linesOf(proposed), computeHunks(original, proposed)) ===
          'different'
      : from !== 'none' && to !== 'none';
  const finalNewline =
    before.body === '' || after.body === ''
      ? undefined
      : describeChange(hasFinalLineEnd(before.body), hasFinalLineEnd(after.body));
  return {
    ...(bom && { bom }),
    ...(areEndsOther && { lineEnds: { from, to } }),
    ...(finalNewline && { finalNewline }),
  };
}

function hasFinalLineEnd(body: string): boolean {
  return body.endsWith('\n') || body.endsWith('\r');
}

function describeChange(isBefore: boolean, isAfter: boolean): 'added' | 'removed' | undefined {
  if (isBefore === isAfter) return undefined;
  return isAfter ? 'added' : 'removed';
}

/** Compares the ends of the lines outside all hunks. `unknown`: there is no such line that has an end in both. */
function compareUnchangedEnds(
  original: readonly Line[],
  proposed: readonly Line[],
  hunks: readonly Hunk[],
): 'same' | 'different' | 'unknown' {
  let result: 'same' | 'unknown' = 'unknown';
  let at = 0;
  let shift = 0;
  for (const { original: gone, proposed: come } of [...hunks, endOf(original, proposed)]) {
    for (; at < gone.start; at++) {
      const before = original[at]?.end ?? '';
      const after = proposed[at + shift]?.end ?? '';
      if (before === '' || after === '') continue;
      if (before !== after) return 'different';
      result = 'same';
    }
    at += gone.count;
    shift += come.count - gone.count;
  }
  return result;
}

function endOf(original: readonly Line[], proposed: readonly Line[]): Omit<Hunk, 'index'> {
  return { original: { start: original.length, count: 0 }, proposed: { start: proposed.length, count: 0 } };
}
