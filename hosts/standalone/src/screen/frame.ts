import { graphemesOf, isSimple, type Line, type Span, type Style, span } from './cells.js';

/** Gives a style the escape sequence that selects it, from any other. */
export type Palette = (style: Style) => string;

/** What the terminal shows: what `drawFrame` returned for each row. */
export type ShownRows = readonly string[];

/**
 * What to write so that a terminal which shows `before` shows these lines: only rows that differ. Each line must have the full width.
 */
export function drawFrame(
  lines: readonly Line[],
  before: ShownRows,
  palette: Palette,
): { readonly output: string; readonly rows: ShownRows } {
  const rows = lines.map((line) => drawLine(line, palette));
  let output = '';
  for (const [at, row] of rows.entries()) {
    if (row !== before[at]) output += `\u001b[${at + 1};1H${row}`;
  }
  // Together, so that the terminal shows no half of it.
  return { output: output === '' ? '' : `\u001b[?2026h${output}\u001b[0m\u001b[?2026l`, rows };
}

function drawLine(line: Line, palette: Palette): string {
  let row = '';
  let column = 1;
  let style = '';
  for (const each of line) {
    const next = palette(each.style);
    if (next !== style) row += next;
    style = next;
    const drawn = drawText(each, column);
    row += drawn.text;
    column = drawn.column;
  }
  return row;
}

/**
 * Terminals disagree on the width of emoji and of some scripts. So the cursor is set after each such character, and nothing after it moves.
 */
function drawText({ text, style }: Span, start: number): { readonly text: string; readonly column: number } {
  // Again, so that no way to this place can bring a control character to the terminal.
  const safe = span(text, style).text;
  if (isSimple(safe)) return { text: safe, column: start + safe.length };
  let drawn = '';
  let column = start;
  for (const grapheme of graphemesOf(safe)) {
    column += grapheme.width;
    drawn += isSimple(grapheme.text) ? grapheme.text : `${grapheme.text}\u001b[${column}G`;
  }
  return { text: drawn, column };
}
