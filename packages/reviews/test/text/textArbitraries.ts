import fc from 'fast-check';
import { linesOf } from '../../src/text/lines.js';

const end = fc.constantFrom('\n', '\r\n', '\r');
const lineText = fc.constantFrom('', '', 'a', 'b', 'c', 'd', '\u2028', '\u{1F600}', '\uD83D', '\0', ' a');

/**
 * Texts of few different lines, so that two of them have much in common. U+FEFF occurs only at the start: where a line
 * that begins with it comes first, it cannot be distinguished from a byte order mark.
 */
export const linedText = fc
  .tuple(fc.constantFrom('', '\uFEFF'), fc.array(fc.tuple(lineText, end), { maxLength: 12 }), lineText)
  .map(([bom, lines, last]) => bom + lines.map(([text, lineEnd]) => text + lineEnd).join('') + last);

/** What an editor does that knows one kind of line end. */
export function normaliseTo(lineEnd: '\n' | '\r\n' | '\r', text: string): string {
  return text.replace(/\r\n|\r|\n/g, lineEnd);
}

/** The texts of the lines after the byte order mark. */
export function lineTexts(text: string): string[] {
  return linesOf(text).map((line) => line.text);
}

/** `count` different lines, each with `end`. */
export function numberedLines(count: number, lineEnd = '\n'): string {
  return Array.from({ length: count }, (_, at) => `line ${at}${lineEnd}`).join('');
}
