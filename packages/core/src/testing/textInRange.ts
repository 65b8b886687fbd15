import type { Position, Range } from '../position.js';

/** The text between two positions, with its original line ends. Positions beyond the text are clamped. */
export function textInRange(text: string, range: Range): string {
  return text.slice(offsetAt(text, range.start), offsetAt(text, range.end));
}

/** The range, clamped to the text. */
export function clampRange(text: string, range: Range): Range {
  return { start: clampPosition(text, range.start), end: clampPosition(text, range.end) };
}

function clampPosition(text: string, position: Position): Position {
  const lines = linesOf(text);
  const line = lines[position.line];
  if (line !== undefined)
    return { line: position.line, character: Math.min(position.character, line.length) };
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}

function offsetAt(text: string, position: Position): number {
  const { line, character } = clampPosition(text, position);
  let offset = 0;
  const ends = text.matchAll(/\r\n|\r|\n/g);
  for (let count = 0; count < line; count++) {
    const end = ends.next().value;
    if (end !== undefined) offset = end.index + end[0].length;
  }
  return offset + character;
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}
