import { lineChangesInSteps } from './lineChanges.js';
import { type Line, type LineEnd, type LineSpan, linesIn } from './lines.js';
import type { Steps } from './steps.js';

/** How many lines are joined in one step; some milliseconds. */
const linesPerStep = 8_000;

/** What `joinLines` needs besides the lines. */
export interface EndConvention {
  /** Whether the last line has an end. */
  readonly hasFinalLineEnd: boolean;
  /** For a line without an end of its own and with no line before it. */
  readonly lineEnd: LineEnd;
}

/**
 * Joins lines of mixed origin so that `splitLines` finds the same lines again. A line without an end takes the end of
 * the line before it.
 *
 * There are two exceptions, to preserve the lines. An empty last line keeps its end although `hasFinalLineEnd` is
 * false: without it, it would not be a line. And an empty line with `\n` after a line with `\r` gets `\r`, because the
 * two ends would read as one `\r\n`.
 */
export function* joinLines(lines: readonly Line[], convention: EndConvention): Steps<string> {
  let text = '';
  let parts: string[] = [];
  let lastEnd = convention.lineEnd;
  let isAfterCr = false;
  for (const [at, line] of lines.entries()) {
    let end = line.end === '' ? lastEnd : line.end;
    if (isAfterCr && line.text === '' && end === '\n') end = '\r';
    const isBare = at === lines.length - 1 && line.text !== '' && !convention.hasFinalLineEnd;
    parts.push(line.text, isBare ? '' : end);
    isAfterCr = end === '\r';
    lastEnd = end;
    if (at % linesPerStep !== linesPerStep - 1) continue;
    text += parts.join('');
    parts = [];
    yield undefined;
  }
  return text + parts.join('');
}

/** Replaces each span with other lines. The spans ascend and do not overlap. */
export function replaceLines(
  lines: readonly Line[],
  replacements: readonly { readonly span: LineSpan; readonly lines: readonly Line[] }[],
): Line[] {
  const runs: (readonly Line[])[] = [];
  let next = 0;
  for (const replacement of replacements) {
    runs.push(lines.slice(next, replacement.span.start), replacement.lines);
    next = replacement.span.start + replacement.span.count;
  }
  runs.push(lines.slice(next));
  return runs.flat();
}

/**
 * Gives each line the end of the line that it replaces. Additional lines get no end; `joinLines` chooses one.
 */
export function takeEndsOf(replaced: readonly Line[], lines: readonly Line[]): Line[] {
  return lines.map((line, at) => ({ text: line.text, end: replaced[at]?.end ?? '' }));
}

/**
 * The lines of `edited` with the ends of the lines of `model` that they replace, and unchanged lines with their own;
 * undefined if no line changed.
 */
export function* takeAllEnds(model: readonly Line[], edited: readonly Line[]): Steps<Line[] | undefined> {
  const changes = yield* lineChangesInSteps(model, edited);
  if (changes.length === 0) return undefined;
  yield undefined;
  return replaceLines(
    model,
    changes.map(({ from, to }) => ({
      span: from,
      lines: takeEndsOf(linesIn(model, from), linesIn(edited, to)),
    })),
  );
}
