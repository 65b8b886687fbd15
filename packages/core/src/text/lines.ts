/** What ends a line. U+2028, U+2029, U+0085 and form feed do not: to compilers and to git they are ordinary characters. */
export type LineEnd = '\n' | '\r\n' | '\r';

/** One line without its end, and the end apart. Only the last line of a text can have none. */
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
 * The lines of a text; joining every `text` and `end` gives it back exactly. An end terminates a line and does
 * not begin another: `'a\n'` is one line, `''` is none. A byte order mark stays in the first line: take it off
 * with `splitBom` before.
 */
export function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  const parts = text.split(/(\r\n|\r|\n)/);
  for (let at = 0; at < parts.length; at += 2) {
    const line: Line = { text: parts[at] ?? '', end: (parts[at + 1] ?? '') as Line['end'] };
    if (line.text !== '' || line.end !== '') lines.push(line);
  }
  return lines;
}

/** The lines of one span. */
export function linesIn(lines: readonly Line[], span: LineSpan): Line[] {
  return lines.slice(span.start, span.start + span.count);
}

/** Takes off one byte order mark; `bom + body` is the text again. */
export function splitBom(text: string): { readonly bom: '' | '\uFEFF'; readonly body: string } {
  return text.startsWith('\uFEFF') ? { bom: '\uFEFF', body: text.slice(1) } : { bom: '', body: text };
}

/** The most frequent line end, of equally frequent ones the first to occur; `undefined` when there is none. */
export function dominantLineEnd(text: string): LineEnd | undefined {
  let dominant: LineEnd | undefined;
  let most = 0;
  for (const [end, count] of countLineEnds(text)) {
    if (count > most) [dominant, most] = [end, count];
  }
  return dominant;
}

/** The one kind of line end that a text has, or that it has none or several. */
export function describeLineEnds(text: string): LineEndKind {
  const [first, ...others] = countLineEnds(text).keys();
  if (first === undefined) return 'none';
  if (others.length > 0) return 'mixed';
  return first === '\n' ? 'lf' : first === '\r\n' ? 'crlf' : 'cr';
}

/** Counts by kind, in the order in which the kinds first occur. */
function countLineEnds(text: string): Map<LineEnd, number> {
  const counts = new Map<LineEnd, number>();
  for (const match of text.match(/\r\n|\r|\n/g) ?? []) {
    const end = match as LineEnd;
    counts.set(end, (counts.get(end) ?? 0) + 1);
  }
  return counts;
}
