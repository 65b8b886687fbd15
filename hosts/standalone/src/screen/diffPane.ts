import { cut, fit, type Ink, type Line, type Paper, type Span, type Style, span, widthOf } from './cells.js';
import { counterpart, type Diff, type Row } from './diffModel.js';
import { diffRows, isSplit, type State } from './state.js';
import { type Part, wordChanges } from './wordChanges.js';

/** A coloured part of a line. */
interface InkedPart extends Part {
  readonly ink: Ink;
}

type Side = 'old' | 'new';
/** The syntax colours of a line, from left to right. */
export type InkOf = (side: Side, line: number) => readonly InkedPart[];

interface Pane {
  readonly width: number;
  readonly height: number;
  readonly inkOf?: InkOf;
}

/** The rows of the diff that are on the screen. */
export function diffLines(state: State, pane: Pane): Line[] {
  const { shown, top } = state;
  const rows = diffRows(state);
  if (shown === undefined) return [];
  const most = Math.max(shown.diff.old.length, shown.diff.new.length);
  const digits = Math.max(2, String(most).length);
  const draw = isSplit(state) ? splitLine : unifiedLine;
  return Array.from({ length: pane.height }, (_, at) => {
    const row = rows[top + at];
    if (row === undefined) return fit([], pane.width);
    const isHere = top + at === state.cursor && state.focus === 'diff';
    return draw({ state, diff: shown.diff, row, digits, isHere, pane });
  });
}

interface Drawn {
  readonly state: State;
  readonly diff: Diff;
  readonly row: Row;
  readonly digits: number;
  readonly isHere: boolean;
  readonly pane: Pane;
}

/** Where the user is: also seen without colours. */
function pointer(isHere: boolean): Span {
  return span(isHere ? '▌' : ' ', { ink: 'accent', isBold: true });
}

function number(line: number | undefined, digits: number, isHere: boolean): Span {
  const text = line === undefined ? ' '.repeat(digits) : String(line + 1).padStart(digits);
  return span(`${text} `, { ink: isHere ? 'accent' : 'dim' });
}

function specialLine({ row, diff, isHere, pane: { width } }: Drawn): Line | undefined {
  switch (row.kind) {
    case 'fold': {
      const text = `  ⋯ ${row.count} unchanged lines (Enter shows them)`;
      return fit([pointer(isHere), span(text, { ink: 'dim', isUnderlined: isHere })], width);
    }
    case 'comment':
      return fit(
        [pointer(isHere), span('  » ', { ink: 'accent' }), span(row.text ?? '', { ink: 'accent' })],
        width,
      );
    case 'bom': {
      const text = diff.bom?.new ? 'A byte order mark is added.' : 'The byte order mark is removed.';
      return fit([pointer(isHere), span(`  ${text}`, { ink: 'warning' })], width);
    }
    default:
      return undefined;
  }
}

function unifiedLine(drawn: Drawn): Line {
  const special = specialLine(drawn);
  if (special !== undefined) return special;
  const { row, digits, isHere, pane } = drawn;
  const gutter = [pointer(isHere), number(row.old, digits, isHere), number(row.new, digits, isHere)];
  const width = Math.max(1, pane.width - 1 - 2 * (digits + 1));
  const side = row.new === undefined && row.kind !== 'dropped' ? 'old' : 'new';
  return [...gutter, ...codeCell(drawn, side, width)];
}

function splitLine(drawn: Drawn): Line {
  const special = specialLine(drawn);
  if (special !== undefined) return special;
  const { row, digits, isHere, pane } = drawn;
  const half = Math.floor((pane.width - 2) / 2);
  const rest = pane.width - 2 - half;
  const cell = (side: Side, width: number): Line => [
    number(row[side], digits, isHere),
    ...codeCell(drawn, side, Math.max(1, width - digits - 1)),
  ];
  return [pointer(isHere), ...cell('old', half), span('│', { ink: 'dim' }), ...cell('new', rest)];
}

/** The mark of a line and its text. */
function codeCell({ state, diff, row, isHere, pane }: Drawn, side: Side, width: number): Line {
  const room = Math.max(1, width - 1);
  if (row.kind === 'dropped') {
    if (side === 'old') return fit([], width);
    const line = diff.proposed[row.proposed ?? 0];
    return [
      span('#', { ink: 'dim' }),
      ...fit(codeSpans(line?.text ?? '', [], { ink: 'dim' }, state.shift, room), room),
    ];
  }
  const at = row[side];
  if (at === undefined) return fit([span('')], width);
  const line = diff[side][at];
  const isChange = row.kind === 'change';
  const paper: Paper | undefined = isChange ? (side === 'old' ? 'removed' : 'added') : undefined;
  const base: Style = { paper };
  const inks = pane.inkOf?.(side, at) ?? [];
  const parts = isChange ? inked(inks, changedParts(diff, row, side), side) : inks;
  const ends = diff.showsEnds && line !== undefined ? endMark(line.end) : '';
  const text = `${line?.text ?? ''}`;
  const found = searched(text, state.search);
  const spans = codeSpans(text, [...parts, ...found], base, state.shift, room);
  const mark = isChange ? (side === 'old' ? '-' : '+') : ' ';
  const markStyle: Style = {
    paper,
    ink: isChange ? (side === 'old' ? 'removed' : 'added') : 'dim',
    isBold: isHere,
  };
  const shown = ends === '' ? spans : cut([...spans, span(ends, { paper, ink: 'dim' })], 0, room);
  return [span(mark, markStyle), ...fit(shown, room, base)];
}

function endMark(end: string): string {
  return end === '\r\n' ? '␍␊' : end === '\r' ? '␍' : end === '' ? '' : '␊';
}

interface StyledPart extends Part {
  readonly style: Style;
}

type AnyPart = InkedPart | StyledPart;

function changedParts(diff: Diff, row: Row, side: Side): readonly Part[] {
  const pair = counterpart(diff.blocks[row.block], row);
  if (pair === undefined) return [];
  return wordChanges(diff.old[pair.old]?.text ?? '', diff.new[pair.new]?.text ?? '')[side];
}

/** Changed words have their own paper, over the colours of the syntax. */
function inked(inks: readonly InkedPart[], changed: readonly Part[], side: Side): AnyPart[] {
  const paper: Paper = side === 'old' ? 'removedWord' : 'addedWord';
  return [...inks, ...changed.map((part) => ({ ...part, style: { paper } }))];
}

function searched(text: string, search: string): StyledPart[] {
  if (search === '') return [];
  const isExact = search !== search.toLowerCase();
  const within = isExact ? text : text.toLowerCase();
  const parts: StyledPart[] = [];
  for (
    let at = within.indexOf(search);
    at >= 0 && parts.length < 200;
    at = within.indexOf(search, at + search.length)
  )
    parts.push({ from: at, to: at + search.length, style: { isInverse: true } });
  return parts;
}

/** Columns to the next tab stop. */
const tabWidth = 4;
/** Some characters have no column of their own. */
const unitsPerColumn = 4;

/** The columns of a line that are on the screen, in the styles of its parts. */
function codeSpans(
  text: string,
  parts: readonly AnyPart[],
  base: Style,
  shift: number,
  width: number,
): Span[] {
  // Nothing right of the screen is looked at: a line can have millions of characters.
  const seen = text.slice(0, (shift + width) * unitsPerColumn + 100);
  const edges = new Set([0, seen.length]);
  for (const { from, to } of parts) {
    if (from < seen.length) edges.add(from);
    if (to < seen.length) edges.add(to);
  }
  const sorted = [...edges].sort((a, b) => a - b);
  const spans: Span[] = [];
  let column = 0;
  for (const [at, from] of sorted.entries()) {
    const to = sorted[at + 1];
    if (to === undefined) break;
    const own = parts.filter((part) => part.from <= from && part.to >= to);
    const style: Style = Object.assign(
      {},
      base,
      ...own.map((part) => ('ink' in part ? { ink: part.ink } : part.style)),
    );
    for (const [index, piece] of seen.slice(from, to).split('\t').entries()) {
      if (index > 0) {
        const gap = tabWidth - (column % tabWidth);
        spans.push({ text: ' '.repeat(gap), style });
        column += gap;
      }
      if (piece === '') continue;
      const shown = span(piece, style);
      spans.push(shown);
      column += widthOf(shown.text);
    }
  }
  return cut(spans, shift, width);
}
