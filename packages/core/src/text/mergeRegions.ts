import { findLineChanges } from './lineChanges.js';
import type { Line, LineSpan } from './lines.js';

/** Corresponding lines of three texts. If neither side changed them, all three texts have the same lines. */
export interface MergeRegion {
  readonly changedBy: 'neither' | 'mine' | 'theirs' | 'both';
  readonly base: LineSpan;
  readonly mine: LineSpan;
  readonly theirs: LineSpan;
}

/**
 * Splits three texts into regions, in order and without gaps. Changes that overlap or touch in `base` form one region.
 */
export function findMergeRegions(
  base: readonly Line[],
  mine: readonly Line[],
  theirs: readonly Line[],
): MergeRegion[] {
  const regions: MergeRegion[] = [];
  const next = { base: 0, mine: 0, theirs: 0 };
  const cutAt = (baseEnd: number, changedBy: MergeRegion['changedBy'], growth: Growth) => {
    const count = baseEnd - next.base;
    const region: MergeRegion = {
      changedBy,
      base: { start: next.base, count },
      mine: { start: next.mine, count: count + growth.mine },
      theirs: { start: next.theirs, count: count + growth.theirs },
    };
    regions.push(region);
    next.base = baseEnd;
    next.mine += region.mine.count;
    next.theirs += region.theirs.count;
  };
  for (const group of groupChanges(base, mine, theirs)) {
    cutAt(group.start, 'neither', { mine: 0, theirs: 0 });
    cutAt(group.end, group.changedBy, group.growth);
  }
  cutAt(base.length, 'neither', { mine: 0, theirs: 0 });
  return regions;
}

/** By how many lines each side is longer than `base`; negative when shorter. */
interface Growth {
  mine: number;
  theirs: number;
}

/** Changes of either side that overlap or touch; `start` and the exclusive `end` are lines of `base`. */
interface ChangeGroup {
  readonly start: number;
  end: number;
  changedBy: 'mine' | 'theirs' | 'both';
  readonly growth: Growth;
}

function groupChanges(base: readonly Line[], mine: readonly Line[], theirs: readonly Line[]): ChangeGroup[] {
  const changes = [
    ...findLineChanges(base, mine).map((change) => ({ ...change, side: 'mine' as const })),
    ...findLineChanges(base, theirs).map((change) => ({ ...change, side: 'theirs' as const })),
  ].sort((one, other) => one.from.start - other.from.start);

  const groups: ChangeGroup[] = [];
  for (const { from, to, side } of changes) {
    let group = groups.at(-1);
    if (group === undefined || from.start > group.end) {
      group = { start: from.start, end: from.start, changedBy: side, growth: { mine: 0, theirs: 0 } };
      groups.push(group);
    }
    group.end = Math.max(group.end, from.start + from.count);
    if (group.changedBy !== side) group.changedBy = 'both';
    group.growth[side] += to.count - from.count;
  }
  return groups;
}
