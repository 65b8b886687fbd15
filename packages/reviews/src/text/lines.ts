import type { Steps } from './steps.js';

/** A line end. U+2028, U+2029, U+0085 and form feed are not: compilers and git treat them as ordinary characters. */
export type LineEnd = '\n' | '\r\n' | '\r';

/** One line: its text without the end, and its end. Only the last line of a text can have no end. */
export interface Line {
  readonly text: string;
  readonly end: LineEnd | '';
}

/** A run of whole lines: 0-based number of the first, and how many. Line 0 begins after the byte order mark. */
export interface LineSpan {
  readonly start: number;
  readonly count: number;
}

/** How the lines of a whole text end. `none` is a text without any line end. */
export type LineEndKind = 'none' | 'lf' | 'crlf' | 'cr' | 'mixed';

/**
 * The lines of a text; joining every `text` and `end` restores it exactly. An end terminates a line and does not begin
 * another: `'a\n'` is one line, `''` is none. A byte order mark stays in the first line: remove it with `splitBom`
 * first.
 */
export function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  const rest = eachLineEnd(text, (start, at, end) => lines.push({ text: text.slice(start, at), end }));
  if (rest < text.length) lines.push({ text: text.slice(rest), end: '' });
  return lines;
}

/** How many code units are split in one step; some milliseconds. */
const unitsPerStep = 20_000;

/** The lines of a text without its byte order mark. */
export function linesOf(text: string): Line[] {
  return splitLines(splitBom(text).body);
}

/** How many lines `linesOf` finds. */
export function countLinesIn(text: string): number {
  const { body } = splitBom(text);
  let count = 0;
  const rest = eachLineEnd(body, () => {
    count += 1;
  });
  return rest < body.length ? count + 1 : count;
}

/** `linesOf`, with other work between its steps. */
export function linesOfInSteps(text: string): Steps<Line[]> {
  return splitInSteps(splitBom(text).body);
}

/** `splitLines`, with other work between its steps. */
export function* splitInSteps(text: string): Steps<Line[]> {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start + unitsPerStep) + 1 || text.length;
    for (const line of splitLines(text.slice(start, end))) lines.push(line);
    start = end;
    if (start < text.length) yield undefined;
  }
  return lines;
}

/**
 * Calls `visit` for every line end in turn, with the offset of its line and of the end itself. Returns the offset of
 * the last line, which has no end. Uses `indexOf`, which is several times as fast as a pattern in large texts.
 */
function eachLineEnd(text: string, visit: (start: number, at: number, end: LineEnd) => void): number {
  const next = (end: '\n' | '\r', from: number): number => {
    const at = text.indexOf(end, from);
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  };
  let start = 0;
  let [lf, cr] = [next('\n', 0), next('\r', 0)];
  for (let at = Math.min(lf, cr); at < text.length; at = Math.min(lf, cr)) {
    const end = lf < cr ? '\n' : lf === cr + 1 ? '\r\n' : '\r';
    visit(start, at, end);
    start = at + end.length;
    if (lf < start) lf = next('\n', start);
    if (cr < start) cr = next('\r', start);
  }
  return start;
}

/** The lines of one span. */
export function linesIn(lines: readonly Line[], span: LineSpan): Line[] {
  return lines.slice(span.start, span.start + span.count);
}

/** Splits off one byte order mark; `bom + body` is the text again. */
export function splitBom(text: string): { readonly bom: '' | '\uFEFF'; readonly body: string } {
  return text.startsWith('\uFEFF') ? { bom: '\uFEFF', body: text.slice(1) } : { bom: '', body: text };
}

/** The line end of all lines of a text that have one; `undefined` if there are several kinds or none. */
export function uniformLineEnd(text: string): LineEnd | undefined {
  const kind = describeLineEnds(text);
  return kind === 'lf' ? '\n' : kind === 'crlf' ? '\r\n' : kind === 'cr' ? '\r' : undefined;
}

/** Where the lines of a text begin that all end in `end`, and where the text ends. */
export function lineStarts(text: string, end: LineEnd): number[] {
  const starts = [0];
  for (let at = text.indexOf(end); at !== -1; at = text.indexOf(end, at + end.length))
    starts.push(at + end.length);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return starts;
}

/**
 * Adds or removes the final line end of a text whose lines all end in `end`. An empty last line keeps its end: without it, it
 * would not be a line.
 */
export function withFinalLineEnd(text: string, end: LineEnd, hasFinalLineEnd: boolean): string {
  if (text === '' || text.endsWith(end) === hasFinalLineEnd) return text;
  if (hasFinalLineEnd) return text + end;
  const isEmptyLine = text === end || text.endsWith(end + end);
  return isEmptyLine ? text : text.slice(0, -end.length);
}

/** The most frequent line end, or the first of equally frequent ones; `undefined` when there is none. */
export function dominantLineEnd(text: string): LineEnd | undefined {
  if (!text.includes('\r')) return text.includes('\n') ? '\n' : undefined;
  let dominant: LineEnd | undefined;
  let most = 0;
  for (const [end, count] of countLineEnds(text)) {
    if (count > most) [dominant, most] = [end, count];
  }
  return dominant;
}

/** The kind of line end that a text has, or `none` or `mixed`. */
export function describeLineEnds(text: string): LineEndKind {
  if (!text.includes('\r')) return text.includes('\n') ? 'lf' : 'none';
  const [first, ...others] = countLineEnds(text).keys();
  if (first === undefined) return 'none';
  if (others.length > 0) return 'mixed';
  return first === '\n' ? 'lf' : first === '\r\n' ? 'crlf' : 'cr';
}

/** Counts by kind, in the order in which the kinds first occur. */
function countLineEnds(text: string): Map<LineEnd, number> {
  const counts = new Map<LineEnd, number>();
  eachLineEnd(text, (_start, _at, end) => counts.set(end, (counts.get(end) ?? 0) + 1));
  return counts;
}
