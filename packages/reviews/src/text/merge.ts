import { joinLines } from './joinLines.js';
import {
  describeLineEnds,
  dominantLineEnd,
  type Line,
  type LineEnd,
  type LineSpan,
  linesIn,
  linesOfInSteps,
  splitBom,
} from './lines.js';
import { findMergeRegions } from './mergeRegions.js';
import { finish, type Steps } from './steps.js';

/** How many lines are merged in one step; a few milliseconds. */
const linesPerStep = 4_000;

/** Both sides changed the same or adjoining lines in different ways. Spans of `mine` and of `theirs`. */
interface MergeConflict {
  readonly mine: LineSpan;
  readonly theirs: LineSpan;
}

/** A merged text, or that both sides changed the same lines. */
export type MergeResult =
  | { readonly ok: true; readonly text: string }
  /** In each conflict `text` has the lines of `mine`, or both versions between marks. The rest is merged. */
  | { readonly ok: false; readonly text: string; readonly conflicts: readonly MergeConflict[] };

/** The names of the two sides in conflict marks. */
export interface ConflictNames {
  readonly mine: string;
  readonly theirs: string;
}

/** Gives the lines of a conflict, in steps, from those of the three texts. */
export type ConflictLines = (
  base: readonly Line[],
  mine: readonly Line[],
  theirs: readonly Line[],
) => Steps<readonly SidedLine[]>;

/** A line of a merged text, and the side whose line ends it has. */
export interface SidedLine {
  readonly line: Line;
  readonly side: 'mine' | 'theirs';
}

/**
 * Applies to `mine` what `theirs` changed in `base`, by lines. When one side did not change, the result is the other
 * side byte for byte.
 *
 * Lines are compared without their ends, and the ends are merged separately: otherwise an editor or a tool that only
 * converts them would put every line in conflict. For line ends, byte order mark and final line end, the side that
 * changed them wins; `mine` wins when both did. When one side converts the whole text from one kind of end to another,
 * the lines that the other side adds are converted too.
 *
 * With `marks`, a conflict has the lines of both sides, between the marks that git and editors know.
 *
 * This is the diff3 of Khanna, Kunal and Pierce on `findLineChanges`. The package node-diff3 serves only as a reference
 * in tests: its search for common lines takes 107 s for 10,000 lines of which a third are blank, and its `diff3Merge`
 * overflows the stack at 137,000 (3.2.1).
 */
export function mergeText(base: string, mine: string, theirs: string, marks?: ConflictNames): MergeResult {
  return finish(mergeInSteps(base, mine, theirs, marks));
}

/** `mergeText`, with other work between its steps. `inConflict` can also give the lines of a conflict. */
export function* mergeInSteps(
  base: string,
  mine: string,
  theirs: string,
  inConflict?: ConflictNames | ConflictLines,
): Steps<MergeResult> {
  if (mine === base || mine === theirs) return { ok: true, text: theirs };
  if (theirs === base) return { ok: true, text: mine };

  const baseLines = yield* linesOfInSteps(base);
  const mineLines = yield* linesOfInSteps(mine);
  const theirLines = yield* linesOfInSteps(theirs);
  const convertMine = converter(base, theirs);
  const convertTheirs = converter(base, mine);
  const lines: Line[] = [];
  const conflicts: MergeConflict[] = [];
  let stepEnd = linesPerStep;
  for (const region of yield* findMergeRegions(baseLines, mineLines, theirLines)) {
    if (lines.length > stepEnd) {
      stepEnd = lines.length + linesPerStep;
      yield undefined;
    }
    if (region.changedBy === 'neither') {
      for (let at = 0; at < region.base.count; at++) {
        const line = baseLines[region.base.start + at];
        if (line === undefined) break;
        const mineEnd = endOf(mineLines[region.mine.start + at]);
        const theirEnd = endOf(theirLines[region.theirs.start + at]);
        const end = mergeValue(endOf(line), mineEnd, theirEnd) ?? '';
        lines.push(end === line.end ? line : { text: line.text, end });
        if (at % linesPerStep === linesPerStep - 1) yield undefined;
      }
      continue;
    }
    const ours = linesIn(mineLines, region.mine);
    const others = linesIn(theirLines, region.theirs);
    if (region.changedBy === 'theirs') {
      for (const line of others) lines.push(convertTheirs(line));
    } else {
      const isConflict = region.changedBy === 'both' && !hasSameTexts(ours, others);
      if (isConflict) conflicts.push({ mine: region.mine, theirs: region.theirs });
      const how = isConflict ? inConflict : undefined;
      if (typeof how === 'function') {
        for (const { line, side } of yield* how(linesIn(baseLines, region.base), ours, others))
          lines.push(side === 'mine' ? convertMine(line) : convertTheirs(line));
        continue;
      }
      if (how !== undefined) lines.push(markLine('<', how.mine));
      for (const line of ours) lines.push(convertMine(line));
      if (how === undefined) continue;
      lines.push(markLine('='));
      for (const line of others) lines.push(convertTheirs(line));
      lines.push(markLine('>', how.theirs));
    }
  }

  yield undefined;
  const body = yield* joinLines(lines, {
    hasFinalLineEnd:
      mergeValue(hasFinalLineEnd(baseLines), hasFinalLineEnd(mineLines), hasFinalLineEnd(theirLines)) ??
      false,
    lineEnd: dominantLineEnd(mine) ?? dominantLineEnd(theirs) ?? '\n',
  });
  const bom = mergeValue(splitBom(base).bom, splitBom(mine).bom, splitBom(theirs).bom) ?? '';
  const text = body === '' ? '' : bom + body;
  return conflicts.length === 0 ? { ok: true, text } : { ok: false, text, conflicts };
}

/** It has no end of its own: `joinLines` gives it that of the line before it. */
function markLine(sign: string, name?: string): Line {
  return { text: sign.repeat(7) + (name === undefined ? '' : ` ${name}`), end: '' };
}

/** Converts the lines of one side when the other side converted all of `base` from one kind of end to another. */
function converter(base: string, otherSide: string): (line: Line) => Line {
  const kinds = [describeLineEnds(base), describeLineEnds(otherSide)];
  const to = dominantLineEnd(otherSide);
  if (to === undefined || kinds.includes('mixed') || kinds[0] === kinds[1]) return (line) => line;
  const from = dominantLineEnd(base);
  return (line) => (line.end === from ? { text: line.text, end: to } : line);
}

/** The value of the side that changed it, `mine` when both did. A side without a value does not count. */
function mergeValue<T>(base: T | undefined, mine: T | undefined, theirs: T | undefined): T | undefined {
  if (mine === undefined) return theirs;
  if (theirs === undefined) return mine;
  return mine === base ? theirs : mine;
}

function hasSameTexts(ours: readonly Line[], others: readonly Line[]): boolean {
  return ours.length === others.length && ours.every((line, at) => line.text === others[at]?.text);
}

function endOf(line: Line | undefined): LineEnd | undefined {
  return line === undefined || line.end === '' ? undefined : line.end;
}

function hasFinalLineEnd(lines: readonly Line[]): boolean | undefined {
  const last = lines.at(-1);
  return last && last.end !== '';
}
