import type { Hunk } from './hunks.js';
import { linesIn, linesOf } from './lines.js';

/** The dropped hunks in order, each identified by the lines that it removes and adds. */
export function droppedHunks(
  original: string,
  proposed: string,
  hunks: readonly Hunk[],
  kept: readonly boolean[],
): readonly string[] {
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
  const textOf = hunkTexts(original, proposed);
  let next = 0;
  return hunks.map((hunk) => {
    const found = dropped.indexOf(textOf(hunk), next);
    if (found < 0) return true;
    next = found + 1;
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
