import type { ChangedFile } from '@tandem/companion/control';
import { textOf } from '@tandem/reviews';
import { type StructuredPatchHunk, structuredPatch } from 'diff';
import { functionBefore } from './diffPaint.js';

/** Unchanged lines around each hunk. */
const contextLines = 3;
/** A comparison that takes longer, in milliseconds, is replaced by all lines removed and all lines added. */
const diffLimitMs = 2_000;

/** How many lines a patch adds and removes. */
export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/**
 * The change of one file as `git apply` accepts it, byte by byte if both texts are UTF-8; undefined if there is none, or if it is not text.
 * `name` is relative to the folder in which `git apply` runs, with slashes. `isExecutable` is for a new file.
 */
export function gitPatch(
  { before, now }: Pick<ChangedFile, 'before' | 'now'>,
  name: string,
  isExecutable = false,
): { readonly text: string; readonly counts: LineCounts } | undefined {
  if (before.kind === 'binary' || now.kind === 'binary') return undefined;
  const [from, to] = [textOf(before), textOf(now)];
  if (before.kind === now.kind && from === to) return undefined;
  const mode = isExecutable ? '100755' : '100644';
  const hunks = hunksOf(from, to);
  const old = from.split('\n');
  const lines = [
    `diff --git ${quoted(`a/${name}`)} ${quoted(`b/${name}`)}`,
    ...(before.kind === 'missing' ? [`new file mode ${mode}`] : []),
    ...(now.kind === 'missing' ? [`deleted file mode ${mode}`] : []),
    ...(hunks.length === 0
      ? []
      : [
          `--- ${before.kind === 'missing' ? '/dev/null' : labelled(`a/${name}`)}`,
          `+++ ${now.kind === 'missing' ? '/dev/null' : labelled(`b/${name}`)}`,
        ]),
    ...hunks.flatMap((hunk) => [headOf(hunk, functionBefore(old, hunk.oldStart - 1)), ...hunk.lines]),
  ];
  const all = hunks.flatMap((hunk) => hunk.lines);
  const count = (mark: string): number => all.filter((line) => line.startsWith(mark)).length;
  return { text: `${lines.join('\n')}\n`, counts: { added: count('+'), removed: count('-') } };
}

function hunksOf(from: string, to: string): StructuredPatchHunk[] {
  const options = { context: contextLines, timeout: diffLimitMs };
  const patch = structuredPatch('', '', from, to, undefined, undefined, options);
  return patch?.hunks ?? [wholeHunk(from, to)];
}

function wholeHunk(from: string, to: string): StructuredPatchHunk {
  const [gone, come] = [markedLines('-', from), markedLines('+', to)];
  const isLine = (line: string): boolean => !line.startsWith('\\');
  return {
    oldStart: 1,
    oldLines: gone.filter(isLine).length,
    newStart: 1,
    newLines: come.filter(isLine).length,
    lines: [...gone, ...come],
  };
}

function markedLines(mark: string, text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n').map((line) => `${mark}${line}`);
  if (text.endsWith('\n')) return lines.slice(0, -1);
  return [...lines, '\\ No newline at end of file'];
}

/** An empty side begins before line 1. */
function headOf({ oldStart, oldLines, newStart, newLines }: StructuredPatchHunk, heading: string): string {
  const span = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`;
  return `@@ -${span(oldStart, oldLines)} +${span(newStart, newLines)} @@ ${heading}`.trimEnd();
}

/** A name of a file as git writes it: quoted if it contains a quote, a backslash or a control character. */
function quoted(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what git quotes.
  if (!/["\\\u0000-\u001f\u007f]/.test(name)) return name;
  const escaped = name.replace(/["\\]/g, '\\$&').replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what git quotes.
    /[\u0000-\u001f\u007f]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${escaped}"`;
}

/** After a name with a space, git needs a tab to find its end. */
function labelled(name: string): string {
  const shown = quoted(name);
  return shown === name && name.includes(' ') ? `${name}\t` : shown;
}
