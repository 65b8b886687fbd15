import type { Review } from '@tandem/reviews';

/** One change of a review that can be kept or dropped separately. */
export interface HunkChoice {
  readonly index: number;
  readonly isKept: boolean;
  /** Its first line in the text, or its line before it was dropped. */
  readonly line: number;
  /** How many lines it has in the text; of a dropped change, how many lines of the file it would replace. */
  readonly count: number;
}

/** The changes that can be dropped or kept. Dropping the only one would be a rejection. */
export function hunkChoices({ hunks, keptHunks, hunkLines }: HunksOf): HunkChoice[] {
  if (hunks.length < 2 && keptHunks[0] !== false) return [];
  return hunks.map(({ original, proposed }, index) => {
    const isKept = keptHunks[index] !== false;
    return { index, isKept, line: hunkLines[index] ?? 0, count: (isKept ? proposed : original).count };
  });
}

/** The change at a line. One without lines is at the line that it precedes, or at the last one. */
export function hunkAtLine(review: HunksOf, line: number, lineCount: number): HunkChoice | undefined {
  return hunkChoices(review).findLast((hunk) => {
    const start = Math.min(hunk.line, lineCount - 1);
    return line >= start && line < start + Math.max(1, hunk.count);
  });
}

type HunksOf = Pick<Review, 'hunks' | 'keptHunks' | 'hunkLines'>;
