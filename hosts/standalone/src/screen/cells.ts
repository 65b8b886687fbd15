import { visibleLines } from '@tandem/core';

/** What a text is; a palette gives each a colour. */
export type Ink =
  | 'dim'
  | 'accent'
  | 'added'
  | 'removed'
  | 'warning'
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'name'
  | 'type'
  | 'tag';

/** What is behind a text. */
export type Paper = 'added' | 'removed' | 'addedWord' | 'removedWord' | 'selected' | 'bar';

export interface Style {
  readonly ink?: Ink | undefined;
  readonly paper?: Paper | undefined;
  readonly isBold?: boolean;
  readonly isInverse?: boolean;
  readonly isUnderlined?: boolean;
}

/** Text of one style. It contains no control character: `span` makes it. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}

/** One row of the screen, from left to right. */
export type Line = readonly Span[];

const plain: Style = {};

/** Text from anywhere as a part of a line: what controls or reorders a terminal's text becomes a visible sign. */
export function span(text: string, style: Style = plain): Span {
  return { text: visibleLines(text).replace(/[\n\t]+/g, ' '), style };
}

/** The parts of a row whose columns are one per code unit. */
const simple = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u2010-\u2027\u2190-\u21ff\u2400-\u259f]*$/;
const segmenter = new Intl.Segmenter();
/** A letter can carry any number of marks; a terminal draws these over the lines around. */
const mostMarks = 16;

/** A character as a user sees it, and how many columns a terminal gives it. */
export interface Grapheme {
  readonly text: string;
  readonly width: number;
}

/** Whether each code unit of a text has one column. */
export function isSimple(text: string): boolean {
  return simple.test(text);
}

/** The characters of a text as a user sees them. */
export function graphemesOf(text: string): Grapheme[] {
  const found: Grapheme[] = [];
  for (const { segment } of segmenter.segment(text)) {
    const points = [...segment];
    const shown = points.length > mostMarks ? points.slice(0, mostMarks).join('') : segment;
    found.push({ text: shown, width: widthOfGrapheme(shown) });
  }
  return found;
}

/** How many columns a text has. */
export function widthOf(text: string): number {
  if (isSimple(text)) return text.length;
  return graphemesOf(text).reduce((sum, { width }) => sum + width, 0);
}

function widthOfGrapheme(text: string): number {
  if (/^[\p{M}\u200c\u200d]/u.test(text)) return 0;
  const isPicture = /^\p{Emoji_Presentation}|^\p{Extended_Pictographic}\ufe0f|^[#*0-9]\ufe0f/u.test(text);
  return isPicture || isWide(text.codePointAt(0) ?? 0) ? 2 : 1;
}

/** The blocks whose characters East Asian Width calls wide or full width. */
const wideBlocks: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe1f],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18d08],
  [0x1aff0, 0x1b2fb],
  [0x1f200, 0x1f251],
  [0x20000, 0x3fffd],
];

function isWide(point: number): boolean {
  return point >= 0x1100 && wideBlocks.some(([first, last]) => point >= first && point <= last);
}

/** The columns `from` to `from + width` of a line. Half of a wide character becomes a space. */
export function cut(line: Line, from: number, width: number): Span[] {
  const shown: Span[] = [];
  const end = from + width;
  let at = 0;
  for (const { text, style } of line) {
    if (at >= end) break;
    if (isSimple(text)) {
      const part = text.slice(Math.max(0, from - at), end - at);
      if (part !== '') shown.push({ text: part, style });
      at += text.length;
      continue;
    }
    let part = '';
    for (const grapheme of graphemesOf(text)) {
      const next = at + grapheme.width;
      if (at >= from && next <= end) part += grapheme.text;
      else if (next > from && at < end) part += ' '.repeat(Math.min(next, end) - Math.max(at, from));
      at = next;
    }
    if (part !== '') shown.push({ text: part, style });
  }
  return shown;
}

/** A line with exactly `width` columns: cut, or filled with spaces. */
export function fit(line: Line, width: number, fill: Style = plain): Span[] {
  const shown = cut(line, 0, width);
  const rest = width - widthOfLine(shown);
  return rest > 0 ? [...shown, { text: ' '.repeat(rest), style: fill }] : shown;
}

/** As `fit`; a line that is cut ends in `…`. */
export function shorten(line: Line, width: number, fill: Style = plain): Span[] {
  if (widthOfLine(line) <= width || width < 1) return fit(line, width, fill);
  return [...fit(line, width - 1), { text: '…', style: line.at(-1)?.style ?? plain }];
}

export function widthOfLine(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** A text in lines of at most `width` columns, broken between words where possible. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of span(paragraph).text.split(' ')) {
      const joined = line === '' ? word : `${line} ${word}`;
      if (widthOf(joined) <= width) {
        line = joined;
        continue;
      }
      if (line !== '') lines.push(line);
      line = word;
      while (widthOf(line) > width) {
        const [head = ''] = cut([{ text: line, style: plain }], 0, width).map((each) => each.text);
        if (head === '') break;
        lines.push(head);
        line = line.slice(head.length);
      }
    }
    lines.push(line);
  }
  return lines;
}
