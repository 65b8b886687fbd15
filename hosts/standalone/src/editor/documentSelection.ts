import type { Text } from '@codemirror/state';
import type { LineEndKind, Position, Range, Selection } from '@tandem/core';
import { selectionIn } from './readSelection.js';

const uniformEnds = { none: '\n', lf: '\n', crlf: '\r\n', cr: '\r' } as const;

/**
 * The selection that a range means in a document: what lies beyond the end of a line or of the text is cut off, and
 * the selected text has the line ends of the file. `asFile` gives the whole text with these ends; it is asked only where
 * they are mixed, for a caret that moves in a large file must cost nothing.
 */
export function documentSelection(
  doc: Text,
  range: Range,
  lineEnds: LineEndKind,
  asFile: () => string,
): Selection {
  const [start, end] = [offsetAt(doc, range.start), offsetAt(doc, range.end)];
  const cut = { start: positionAt(doc, start), end: positionAt(doc, end) };
  if (start >= end) return { range: { start: cut.start, end: cut.start }, text: '' };
  if (lineEnds === 'mixed') return selectionIn(asFile(), cut);
  return { range: cut, text: doc.sliceString(start, end, uniformEnds[lineEnds]) };
}

function offsetAt(doc: Text, { line, character }: Position): number {
  if (line >= doc.lines) return doc.length;
  const { from, length } = doc.line(line + 1);
  return from + Math.min(character, length);
}

function positionAt(doc: Text, offset: number): Position {
  const { number, from } = doc.lineAt(offset);
  return { line: number - 1, character: offset - from };
}
