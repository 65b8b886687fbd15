import type { Hunk } from './hunks.js';
import { findLineChanges } from './lineChanges.js';
import { splitBom, splitLines } from './lines.js';

/**
 * For each hunk the line of a text at which it stands, or stood before it was dropped: where an editor puts what belongs
 * to the hunk. `composed` is what `composeHunks` makes of these hunks and decisions, `content` what became of
 * that by hand. A hunk whose lines were edited away stands where they were.
 */
export function placeHunks(
  hunks: readonly Hunk[],
  kept: readonly boolean[],
  composed: string,
  content: string,
): number[] {
  let shift = 0;
  const inComposed = hunks.map(({ original, proposed }, index) => {
    const line = proposed.start + shift;
    if (!kept[index]) shift += original.count - proposed.count;
    return line;
  });
  if (composed === content) return inComposed;
  const changes = findLineChanges(linesOf(composed), linesOf(content));
  return inComposed.map((line) => {
    const before = changes.findLast(({ from }) => from.start <= line);
    if (before === undefined) return line;
    const { from, to } = before;
    const isInside = line < from.start + from.count;
    return isInside
      ? to.start + Math.min(line - from.start, to.count)
      : line - from.start - from.count + to.start + to.count;
  });
}

function linesOf(text: string) {
  return splitLines(splitBom(text).body);
}
