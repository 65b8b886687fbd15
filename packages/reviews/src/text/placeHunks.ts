import type { Hunk } from './hunks.js';
import { lineChangesInSteps } from './lineChanges.js';
import { linesOfInSteps } from './lines.js';
import type { Steps } from './steps.js';

/**
 * For each hunk its line in a text, or the line where it was before it was dropped: there an editor shows the controls
 * of the hunk. `composed` is the result of `composeHunks` for these hunks and decisions; `content` is that text with
 * the edits by hand. A hunk whose lines were edited away keeps their position.
 */
export function* placeHunks(
  hunks: readonly Hunk[],
  kept: readonly boolean[],
  composed: string,
  content: string,
): Steps<number[]> {
  let shift = 0;
  const inComposed = hunks.map(({ original, proposed }, index) => {
    const line = proposed.start + shift;
    if (!kept[index]) shift += original.count - proposed.count;
    return line;
  });
  if (composed === content) return inComposed;
  const changes = yield* lineChangesInSteps(yield* linesOfInSteps(composed), yield* linesOfInSteps(content));
  // Both ascend.
  let next = 0;
  return inComposed.map((line) => {
    while ((changes[next]?.from.start ?? Number.POSITIVE_INFINITY) <= line) next++;
    const before = changes[next - 1];
    if (before === undefined) return line;
    const { from, to } = before;
    const isInside = line < from.start + from.count;
    return isInside
      ? to.start + Math.min(line - from.start, to.count)
      : line - from.start - from.count + to.start + to.count;
  });
}
