import { RefusedFileError, readBoundedFile } from '@tandem/companion/files';
import { DocumentError, type Path, type Position, type Range, type Selection, splitBom } from '@tandem/core';

/** Nobody selects in a larger file, and reading it would take a while. */
const maxBytes = 64 * 1024 * 1024;

/**
 * The selection that a range means in a file as it is now: what lies beyond the end of a line or of the text is cut
 * off. A byte order mark counts for nothing, as in editors. `undefined` when the file is too large for that; rejects with
 * `DocumentError` when it cannot be read.
 */
export async function readSelection(path: Path, range: Range): Promise<Selection | undefined> {
  const text = await readText(path);
  return text === undefined ? undefined : selectionIn(text, range);
}

/** The same for the text of a file. */
export function selectionIn(fileText: string, range: Range): Selection {
  const text = splitBom(fileText).body;
  const lines = linesOf(text);
  const [start, end] = [within(lines, range.start), within(lines, range.end)];
  return { range: { start: start.position, end: end.position }, text: text.slice(start.offset, end.offset) };
}

async function readText(path: Path): Promise<string | undefined> {
  try {
    return (await readBoundedFile(path, { maxBytes })).bytes.toString('utf8');
  } catch (cause) {
    if (cause instanceof RefusedFileError && cause.reason === 'too-large') return undefined;
    throw new DocumentError('failed', `${path} cannot be read.`, { cause });
  }
}

interface Line {
  /** Where it begins in the text. */
  readonly offset: number;
  /** Without its end. */
  readonly length: number;
}

/** There is always one more line than line ends. */
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
