import type { Text } from '@codemirror/state';
import { decodeText, RefusedFileError, readBoundedFile } from '@tandem/companion/files';
import { DocumentError, type Path, type Position, type Range, type Selection } from '@tandem/core';
import { type LineEndKind, splitBom } from '@tandem/reviews';

const uniformEnds = { none: '\n', lf: '\n', crlf: '\r\n', cr: '\r' } as const;

/**
 * The selection of a range in a document, clipped to its lines and to the text. The selected text has the line ends of the
 * file; `asFile` returns the whole text with these ends, and is called only for mixed ends, because cursor moves in a
 * large file must be cheap.
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

/** In larger files there is no selection. */
const maxBytes = 64 * 1024 * 1024;

/**
 * The selection of a range in a file on disk, clipped to its lines and to the text. A byte order mark does not count, as in
 * editors. `undefined` if the file is too large or is not text; rejects with `DocumentError` if it cannot be read.
 */
export async function readSelection(path: Path, range: Range): Promise<Selection | undefined> {
  const text = await readText(path);
  return text === undefined ? undefined : selectionIn(text, range);
}

function selectionIn(fileText: string, range: Range): Selection {
  const text = splitBom(fileText).body;
  const lines = linesOf(text);
  const [start, end] = [within(lines, range.start), within(lines, range.end)];
  return { range: { start: start.position, end: end.position }, text: text.slice(start.offset, end.offset) };
}

async function readText(path: Path): Promise<string | undefined> {
  try {
    return (await decodeText((await readBoundedFile(path, { maxBytes })).bytes))?.text;
  } catch (cause) {
    if (cause instanceof RefusedFileError && cause.reason === 'too-large') return undefined;
    throw new DocumentError('failed', `${path} cannot be read.`, { cause });
  }
}

interface Line {
  /** Of its start in the text. */
  readonly offset: number;
  /** Without its end. */
  readonly length: number;
}

/** One line more than line ends. */
function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let offset = 0;
  for (const end of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push({ offset, length: end.index - offset });
    offset = end.index + end[0].length;
  }
  return [...lines, { offset, length: text.length - offset }];
}

function within(lines: readonly Line[], position: Position): { position: Position; offset: number } {
  const line = Math.min(position.line, lines.length - 1);
  const { offset = 0, length = 0 } = lines[line] ?? {};
  const character = position.line > line ? length : Math.min(position.character, length);
  return { position: { line, character }, offset: offset + character };
}
