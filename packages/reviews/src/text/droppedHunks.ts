import type { Hunk } from './hunks.js';
import { linesIn, linesOfInSteps } from './lines.js';
import type { Steps } from './steps.js';

/** How many hunks are described in one step; some milliseconds. */
const hunksPerStep = 5_000;

/** The dropped hunks in order, each identified by the lines that it removes and adds. */
export function* droppedHunks(
  original: string,
  proposed: string,
  hunks: readonly Hunk[],
  kept: readonly boolean[],
): Steps<readonly string[]> {
  if (!kept.includes(false)) return [];
  const dropped = hunks.filter((_, at) => kept[at] === false);
  return yield* hunkTexts(original, proposed, dropped);
}

/** For each hunk whether it is kept. `dropped` are the hunks that were dropped for the previous texts. */
export function* reapplyDropped(
  original: string,
  proposed: string,
  hunks: readonly Hunk[],
  dropped: readonly string[],
): Steps<readonly boolean[]> {
  if (dropped.length === 0) return hunks.map(() => true);
  /** For each text where it occurs in `dropped`, the last one first. */
  const places = new Map<string, number[]>();
  for (let at = dropped.length - 1; at >= 0; at--) {
    const text = dropped[at] ?? '';
    const found = places.get(text);
    if (found === undefined) places.set(text, [at]);
    else found.push(at);
  }
  let next = 0;
  return (yield* hunkTexts(original, proposed, hunks)).map((text) => {
    const found = places.get(text) ?? [];
    while ((found.at(-1) ?? next) < next) found.pop();
    const at = found.pop();
    if (at === undefined) return true;
    next = at + 1;
    return false;
  });
}

function* hunkTexts(original: string, proposed: string, hunks: readonly Hunk[]): Steps<string[]> {
  const before = yield* linesOfInSteps(original);
  const after = yield* linesOfInSteps(proposed);
  const texts: string[] = [];
  for (const { original: gone, proposed: come } of hunks) {
    texts.push(JSON.stringify([linesIn(before, gone), linesIn(after, come)].map(textsOf)));
    if (texts.length % hunksPerStep === 0) yield undefined;
  }
  return texts;
}

function textsOf(lines: readonly { readonly text: string }[]): string[] {
  return lines.map(({ text }) => text);
}
