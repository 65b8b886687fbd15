import { type LineChange, lineChangesInSteps } from './lineChanges.js';
import type { Line, LineSpan } from './lines.js';
import type { Steps } from './steps.js';

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
export function* findMergeRegions(
  base: readonly Line[],
  mine: readonly Line[],
  theirs: readonly Line[],
): Steps<MergeRegion[]> {
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
  const mineChanges = yield* lineChangesInSteps(base, mine);
  const theirChanges = yield* lineChangesInSteps(base, theirs);
  yield undefined;
  for (const group of groupChanges(mineChanges, theirChanges)) {
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

function groupChanges(mine: readonly LineChange[], theirs: readonly LineChange[]): ChangeGroup[] {
  const groups: ChangeGroup[] = [];
  let group: ChangeGroup | undefined;
  const add = ({ from, to }: LineChange, side: 'mine' | 'theirs'): void => {
    if (group === undefined || from.start > group.end) {
      group = { start: from.start, end: from.start, changedBy: side, growth: { mine: 0, theirs: 0 } };
      groups.push(group);
    }
    group.end = Math.max(group.end, from.start + from.count);
    if (group.changedBy !== side) group.changedBy = 'both';
    group.growth[side] += to.count - from.count;
  };
  let next = 0;
  for (const change of mine) {
    for (let other = theirs[next]; other && other.from.start < change.from.start; other = theirs[++next])
      add(other, 'theirs');
    add(change, 'mine');
  }
  for (const change of theirs.slice(next)) add(change, 'theirs');
  return groups;
}
