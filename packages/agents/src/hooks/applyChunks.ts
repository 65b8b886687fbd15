import { trim, trimEnd } from './unicodeSpace.js';

/** Lines of a file in a row, and what becomes of them. */
export interface PatchChunk {
  /** A line of the file somewhere before them. */
  readonly anchor?: string;
  readonly lines: readonly PatchLine[];
  /** They are the last lines of the file. */
  readonly isAtEnd?: boolean;
}

export interface PatchLine {
  readonly kind: 'kept' | 'removed' | 'added';
  readonly text: string;
}

export interface FileLine {
  readonly text: string;
  /** Empty for a last line without an end. */
  readonly end: string;
}

/** The lines of a file. */
export function linesOf(text: string): readonly FileLine[] {
  const parts = text.split(/(\r\n|\n|\r)/);
  const lines: FileLine[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const line = { text: parts[at] ?? '', end: parts[at + 1] ?? '' };
    if (line.text !== '' || line.end !== '') lines.push(line);
  }
  return lines;
}

/**
 * The text of a file after an update; undefined if a chunk does not fit. `text`: with its line ends and byte order mark. A line that
 * is kept stays as it is in the file, also where the patch differs in white space; an added one ends like the first line of the
 * file. Then the last line has an end, too.
 */
export function applyChunks(text: string, chunks: readonly PatchChunk[]): string | undefined {
  const file = linesOf(text);
  const search = new LineSearch(file.map((line) => line.text));
  const replacements: Replacement[] = [];
  let from = 0;
  for (const { anchor, lines, isAtEnd = false } of chunks) {
    if (anchor !== undefined) {
      const at = search.find([anchor], from);
      if (at === undefined) return undefined;
      from = at + 1;
    }
    if (lines.every(({ kind }) => kind === 'added')) {
      replacements.push({ at: file.length, removed: 0, added: lines.map((line) => line.text) });
      continue;
    }
    const found = findChunk(search, lines, from, isAtEnd);
    if (found === undefined) return undefined;
    replacements.push(...replacementsOf(found.lines, found.at));
    from = found.at + oldTexts(found.lines).length;
  }
  return replaceLines(file, replacements);
}

interface Replacement {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly string[];
}

/** The lines that a chunk expects in the file. */
function oldTexts(lines: readonly PatchLine[]): readonly string[] {
  return lines.filter(({ kind }) => kind !== 'added').map(({ text }) => text);
}

/** Where a chunk fits, and the lines of it that fit. */
function findChunk(
  search: LineSearch,
  lines: readonly PatchLine[],
  from: number,
  isAtEnd: boolean,
): { readonly at: number; readonly lines: readonly PatchLine[] } | undefined {
  const at = search.find(oldTexts(lines), from, isAtEnd);
  if (at !== undefined) return { at, lines };
  // Models end a chunk with an empty line that stands for the end of the line before it.
  const last = lines.findLastIndex(({ kind }) => kind !== 'added');
  if (lines[last]?.text !== '') return undefined;
  const shorter = withoutEmptyNewEnd(withoutSide(lines, last, 'added'));
  const found = search.find(oldTexts(shorter), from, isAtEnd);
  return found === undefined ? undefined : { at: found, lines: shorter };
}

function withoutEmptyNewEnd(lines: readonly PatchLine[]): readonly PatchLine[] {
  const last = lines.findLastIndex(({ kind }) => kind !== 'removed');
  return lines[last]?.text === '' ? withoutSide(lines, last, 'removed') : lines;
}

/** Without the old or the new side of a line; of a kept line the other side remains. */
function withoutSide(
  lines: readonly PatchLine[],
  at: number,
  remaining: 'added' | 'removed',
): readonly PatchLine[] {
  return lines.flatMap((line, index) => {
    if (index !== at) return [line];
    return line.kind === 'kept' ? [{ ...line, kind: remaining }] : [];
  });
}

/** What a chunk at this place replaces. */
function replacementsOf(lines: readonly PatchLine[], at: number): readonly Replacement[] {
  const replacements: Replacement[] = [];
  let next = at;
  let current: { at: number; removed: number; added: string[] } | undefined;
  for (const { kind, text } of lines) {
    if (kind === 'kept') {
      current = undefined;
      next += 1;
      continue;
    }
    if (current === undefined) {
      current = { at: next, removed: 0, added: [] };
      replacements.push(current);
    }
    if (kind === 'added') current.added.push(text);
    else {
      current.removed += 1;
      next += 1;
    }
  }
  return replacements;
}

/** Undefined if two replacements overlap. */
function replaceLines(file: readonly FileLine[], replacements: readonly Replacement[]): string | undefined {
  const lineEnd = file.find((line) => line.end !== '')?.end ?? '\n';
  const whole = (line: FileLine): string => line.text + (line.end || lineEnd);
  let text = '';
  let next = 0;
  for (const { at, removed, added } of [...replacements].sort((one, other) => one.at - other.at)) {
    if (at < next) return undefined;
    text += file.slice(next, at).map(whole).join('');
    text += added.map((line) => line + lineEnd).join('');
    next = at + removed;
  }
  return text + file.slice(next).map(whole).join('');
}

/** How lines are compared: first exactly, at last with as much tolerance as possible. */
const forms: readonly ((line: string) => string)[] = [
  (line) => line,
  trimEnd,
  trim,
  (line) =>
    trim(line)
      .replace(/[\u2010-\u2015\u2212]/g, '-')
      .replace(/[\u2018-\u201b]/g, "'")
      .replace(/[\u201c-\u201f]/g, '"')
      .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' '),
];

/** Finds lines in a file. */
class LineSearch {
  readonly #file: readonly string[];
  /** The lines of the file in each of `forms` that was needed. */
  readonly #inForm = new Map<(line: string) => string, readonly string[]>();

  constructor(file: readonly string[]) {
    this.#file = file;
  }

  /** The first place of these lines from `from` on; if `isAtEnd`, only that at the end of the file. */
  find(lines: readonly string[], from: number, isAtEnd = false): number | undefined {
    if (lines.length === 0) return from;
    const last = this.#file.length - lines.length;
    if (last < 0) return undefined;
    for (const form of forms) {
      const file = this.#fileIn(form);
      const wanted = lines.map(form);
      for (let at = isAtEnd ? last : from; at <= last; at += 1) {
        if (wanted.every((line, offset) => file[at + offset] === line)) return at;
      }
    }
    return undefined;
  }

  #fileIn(form: (line: string) => string): readonly string[] {
    const known = this.#inForm.get(form) ?? this.#file.map(form);
    this.#inForm.set(form, known);
    return known;
  }
}
