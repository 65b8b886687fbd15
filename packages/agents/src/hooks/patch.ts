import { applyChunks, type FileLine, linesOf, type PatchChunk, type PatchLine } from './applyChunks.js';
import { trim, trimEnd } from './unicodeSpace.js';

/**
 * The patches of the tool `apply_patch`, which models of OpenAI write: a text between `*** Begin Patch` and `*** End Patch` with one
 * operation for each file. Parses and applies them exactly as Codex CLI 0.171.0 does, and writes them. What it does not know for
 * certain it refuses: a patch that is understood in another way than by its agent would be written as the user never saw it.
 */

/** What a patch does to one file. */
export type PatchOperation =
  | { readonly kind: 'add'; readonly path: string; readonly content: string }
  | { readonly kind: 'delete'; readonly path: string }
  | {
      readonly kind: 'update';
      readonly path: string;
      /** Where the result is written in place of `path`. */
      readonly moveTo?: string;
      readonly chunks: readonly PatchChunk[];
    };

const begin = '*** Begin Patch';
const end = '*** End Patch';
const addFile = '*** Add File: ';
const deleteFile = '*** Delete File: ';
const updateFile = '*** Update File: ';
const moveTo = '*** Move to: ';
const endOfFile = '*** End of File';

const headers = [addFile, deleteFile, updateFile];
const signs = { kept: ' ', removed: '-', added: '+' } as const;
/** Models leave out the space of an empty line. */
const kinds = new Map<string, PatchLine['kind']>([
  [' ', 'kept'],
  ['', 'kept'],
  ['-', 'removed'],
  ['+', 'added'],
]);

/** The operations of a patch, in their order; undefined if it is not exactly in the format. */
export function parsePatch(patch: string): readonly PatchOperation[] | undefined {
  const lines = trim(patch)
    .split('\n')
    .map((line) => line.replace(/\r+$/, ''));
  if (trimEnd(lines.shift() ?? '') !== begin || lines.pop() !== end || lines.length === 0) return undefined;
  const sections: string[][] = [];
  for (const line of lines) {
    if (headers.some((header) => line.startsWith(header))) sections.push([line]);
    else if (sections.length > 0) sections.at(-1)?.push(line);
    else return undefined;
  }
  const operations = sections.map(parseSection);
  return operations.every((operation) => operation !== undefined) ? operations : undefined;
}

/** The patch of these operations. `parsePatch` returns them again, if the format can express them. */
export function formatPatch(operations: readonly PatchOperation[]): string {
  return [begin, ...operations.flatMap(formatOperation), end, ''].join('\n');
}

/**
 * The operation that writes exactly this text; undefined if none does. `present`: the text of the file, undefined if there is none.
 * Prefers an update, which the agent shows as one.
 */
export function writing(path: string, present: string | undefined, text: string): PatchOperation | undefined {
  const lines = linesOf(text);
  if (present !== undefined && present !== '') {
    const chunks = [{ lines: difference(linesOf(present), lines) }];
    const updated = { kind: 'update', path, chunks } as const;
    if (isExact(updated) && applyChunks(present, chunks) === text) return updated;
  }
  const added = { kind: 'add', path, content: text } as const;
  return isExact(added) && lines.every((line) => line.end === '\n') ? added : undefined;
}

/** Whether the format can express it. */
function isExact(operation: PatchOperation): boolean {
  const [parsed, ...others] = parsePatch(formatPatch([operation])) ?? [];
  return others.length === 0 && JSON.stringify(parsed) === JSON.stringify(operation);
}

function parseSection([header = '', ...lines]: readonly string[]): PatchOperation | undefined {
  const path = after(headers.find((marker) => header.startsWith(marker)) ?? '', header);
  if (path === '') return undefined;
  if (header.startsWith(deleteFile)) return lines.length === 0 ? { kind: 'delete', path } : undefined;
  if (header.startsWith(addFile)) {
    const content = lines.map((line) => `${line.slice(1)}\n`).join('');
    return lines.every((line) => line.startsWith('+')) ? { kind: 'add', path, content } : undefined;
  }
  const isMove = lines[0]?.startsWith(moveTo) === true;
  const target = isMove ? after(moveTo, lines[0] ?? '') : undefined;
  const chunks = target === '' ? undefined : parseChunks(isMove ? lines.slice(1) : lines);
  return chunks && { kind: 'update', path, ...(target !== undefined && { moveTo: target }), chunks };
}

function after(marker: string, line: string): string {
  return trimEnd(line.slice(marker.length));
}

function parseChunks(lines: readonly string[]): readonly PatchChunk[] | undefined {
  const chunks: { anchor?: string; lines: PatchLine[]; isAtEnd?: boolean }[] = [];
  for (const line of lines) {
    const marker = trimEnd(line);
    const chunk = chunks.at(-1);
    if (marker === '@@') chunks.push({ lines: [] });
    else if (marker.startsWith('@@ ')) chunks.push({ anchor: marker.slice(3), lines: [] });
    else if (chunk?.isAtEnd) {
      if (marker !== '') return undefined;
    } else if (marker === endOfFile && chunk !== undefined) chunk.isAtEnd = true;
    else {
      const kind = kinds.get(line.slice(0, 1));
      if (kind === undefined) return undefined;
      const parsed = { kind, text: line.slice(1) };
      if (chunk === undefined) chunks.push({ lines: [parsed] });
      else chunk.lines.push(parsed);
    }
  }
  return chunks.length > 0 && chunks.every((chunk) => chunk.lines.length > 0) ? chunks : undefined;
}

function formatOperation(operation: PatchOperation): readonly string[] {
  const { kind, path } = operation;
  if (kind === 'delete') return [`${deleteFile}${path}`];
  if (kind === 'add') {
    const lines = operation.content.split('\n').slice(0, -1);
    return [`${addFile}${path}`, ...lines.map((line) => `+${line}`)];
  }
  return [
    `${updateFile}${path}`,
    ...(operation.moveTo === undefined ? [] : [`${moveTo}${operation.moveTo}`]),
    ...operation.chunks.flatMap(({ anchor, lines, isAtEnd }) => [
      anchor === undefined ? '@@' : `@@ ${anchor}`,
      ...lines.map((line) => `${signs[line.kind]}${line.text}`),
      ...(isAtEnd ? [endOfFile] : []),
    ]),
  ];
}

/** What makes one list of lines of another: what is the same at both ends stays. */
function difference(present: readonly FileLine[], wanted: readonly FileLine[]): readonly PatchLine[] {
  const isSame = (one?: FileLine, other?: FileLine): boolean =>
    one !== undefined && one.text === other?.text && one.end === other.end;
  const shorter = Math.min(present.length, wanted.length);
  let start = 0;
  while (start < shorter && isSame(present[start], wanted[start])) start += 1;
  let rest = 0;
  while (rest < shorter - start && isSame(present.at(-1 - rest), wanted.at(-1 - rest))) rest += 1;
  const as = (kind: PatchLine['kind'], lines: readonly FileLine[]): readonly PatchLine[] =>
    lines.map(({ text }) => ({ kind, text }));
  return [
    ...as('kept', present.slice(0, start)),
    ...as('removed', present.slice(start, present.length - rest)),
    ...as('added', wanted.slice(start, wanted.length - rest)),
    ...as('kept', present.slice(present.length - rest)),
  ];
}
