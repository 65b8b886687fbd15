import type { Hunk } from './hunks.js';
import { linesIn, linesOf } from './lines.js';

/** The dropped hunks in order, each identified by the lines that it removes and adds. */
export function droppedHunks(
  original: string,
  proposed: string,
  hunks: readonly Hunk[],
  kept: readonly boolean[],
): readonly string[] {
  if (!kept.includes(false)) return [];
  const textOf = hunkTexts(original, proposed);
  return hunks.filter((_, at) => kept[at] === false).map(textOf);
}

/** For each hunk whether it is kept. `dropped` are the hunks that were dropped for the previous texts. */
export function reapplyDropped(
  original: string,
  proposed: string,
  hunks: readonly Hunk[],
  dropped: readonly string[],
): readonly boolean[] {
  if (dropped.length === 0) return hunks.map(() => true);
  const textOf = hunkTexts(original, proposed);
  /** For each text where it occurs in `dropped`, the last one first. */
  const places = new Map<string, number[]>();
  for (let at = dropped.length - 1; at >= 0; at--) {
    const text = dropped[at] ?? '';
    const found = places.get(text);
    if (found === undefined) places.set(text, [at]);
    else found.push(at);
  }
  let next = 0;
  return hunks.map((hunk) => {
    const found = places.get(textOf(hunk)) ?? [];
    while ((found.at(-1) ?? next) < next) found.pop();
    const at = found.pop();
    if (at === undefined) return true;
    next = at + 1;
    return false;
  });
}

function hunkTexts(original: string, proposed: string): (hunk: Hunk) => string {
  const before = linesOf(original);
  const after = linesOf(proposed);
  return ({ original: gone, proposed: come }) =>
    JSON.stringify([linesIn(before, gone), linesIn(after, come)].map(textsOf));
}

function textsOf(lines: readonly { readonly text: string }[]): string[] {
  return lines.map(({ text }) => text);
}
