import type { Review } from '@tandem/core';

/** One change of a review, of several that can be kept or dropped each by itself. */
export interface HunkChoice {
  readonly index: number;
  readonly isKept: boolean;
  /** The line of the text at which it stands, or stood before it was dropped. */
  readonly line: number;
  /** How many lines of the text are its own; of a dropped change those of the file that it would replace. */
  readonly count: number;
}

/** The changes that can be dropped or kept. To drop all there is would be a rejection by another name. */
export function hunkChoices({ hunks, keptHunks, hunkLines }: HunksOf): HunkChoice[] {
  if (hunks.length < 2 && keptHunks[0] !== false) return [];
  return hunks.map(({ original, proposed }, index) => {
    const isKept = keptHunks[index] !== false;
    return { index, isKept, line: hunkLines[index] ?? 0, count: (isKept ? proposed : original).count };
  });
}

/** The change at a line; one without lines of its own is at the line that it goes before, or at the last one. */
export function hunkAtLine(review: HunksOf, line: number, lineCount: number): HunkChoice | undefined {
  return hunkChoices(review).findLast((hunk) => {
    const start = Math.min(hunk.line, lineCount - 1);
    return line >= start && line < start + Math.max(1, hunk.count);
  });
}

type HunksOf = Pick<Review, 'hunks' | 'keptHunks' | 'hunkLines'>;
