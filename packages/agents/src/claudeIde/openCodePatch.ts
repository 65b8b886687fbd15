import { splitBom } from '@tandem/reviews';
import type { PatchChunk } from '../hooks/applyChunks.js';
import { formatPatch, parsePatch } from '../hooks/patch.js';
import type { PatchTool } from '../hooks/patchEdits.js';

/** The patches of opencode 1.18 and its forks. They have the format of Codex CLI, and are applied in another way. */

/** The tool `apply_patch`. */
export const openCodeTool: PatchTool = {
  add: (_before, content) => content,
  update: updated,
  // It also overwrites, and cannot write a last line without an end.
  writing: (path, _present, text) =>
    text === '' || text.endsWith('\n') ? { kind: 'add', path, content: text } : undefined,
};

/** Whether it reads a patch as we do: it reads other spellings than ours in its own way. */
export function isClear(patch: string): boolean {
  return formatPatch(parsePatch(patch) ?? []).trim() === patch.trim();
}

/** As it updates a file. It compares lines with their carriage returns, at first. */
function updated(file: string, chunks: readonly PatchChunk[]): string | undefined {
  const { bom, body } = splitBom(file);
  const lines = body.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const replaced: { readonly at: number; readonly count: number; readonly by: readonly string[] }[] = [];
  let from = 0;
  for (const { anchor, lines: patched, isAtEnd = false } of chunks) {
    if (anchor !== undefined) {
      const at = find(lines, [anchor.trim()], from, false);
      if (at === -1) return undefined;
      from = at + 1;
    }
    const old = patched.filter(({ kind }) => kind !== 'added').map(({ text }) => text);
    const by = patched.filter(({ kind }) => kind !== 'removed').map(({ text }) => text);
    if (old.length === 0) {
      replaced.push({ at: lines.length - (lines.at(-1) === '' ? 1 : 0), count: 0, by });
      continue;
    }
    let at = find(lines, old, from, isAtEnd);
    if (at === -1 && old.at(-1) === '') {
      old.pop();
      if (by.at(-1) === '') by.pop();
      at = find(lines, old, from, isAtEnd);
    }
    if (at === -1) return undefined;
    replaced.push({ at, count: old.length, by });
    from = at + old.length;
  }
  for (const { at, count, by } of replaced.toSorted((one, other) => one.at - other.at).toReversed()) {
    lines.splice(at, count, ...by);
  }
  return bom + [...lines, ...(lines.at(-1) === '' ? [] : [''])].join('\n');
}

/** The first place of these lines, compared ever more loosely; -1 if there is none. */
function find(lines: readonly string[], wanted: readonly string[], from: number, isAtEnd: boolean): number {
  if (wanted.length === 0) return -1;
  const last = lines.length - wanted.length;
  const places = Array.from({ length: Math.max(0, last + 1 - from) }, (_, at) => from + at);
  const ordered = isAtEnd && last >= from ? [last, ...places] : places;
  for (const form of forms) {
    const at = ordered.find((place) =>
      wanted.every((line, on) => form(lines[place + on] ?? '') === form(line)),
    );
    if (at !== undefined) return at;
  }
  return -1;
}

const forms: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) =>
    line
      .trim()
      .replace(/[\u2018-\u201b]/g, "'")
      .replace(/[\u201c-\u201f]/g, '"')
      .replace(/[\u2010-\u2015]/g, '-')
      .replace(/\u2026/g, '...')
      .replace(/\u00a0/g, ' '),
];
