import { type LineChange, lineChangesInSteps } from './lineChanges.js';
import type { Line, LineSpan } from './lines.js';
import type { Steps } from './steps.js';

/** How many changes are grouped in one step; a few milliseconds. */
const changesPerStep = 4_000;

/** Corresponding lines of three texts. If neither side changed them, all three texts have the same lines. */
export interface MergeRegion {
  readonly changedBy: 'neither' | 'mine' | 'theirs' | 'both';
  readonly base: LineSpan;
  readonly mine: LineSpan;
  readonly theirs: LineSpan;
}

/**
 * Splits three texts into regions, in order and without gaps. Changes that overlap or touch in `base` form one region.
 * They are found one by one, because a large text has many.
 */
export function* findMergeRegions(
  base: readonly Line[],
  mine: readonly Line[],
  theirs: readonly Line[],
): Steps<Iterable<MergeRegion>> {
  const mineChanges = yield* lineChangesInSteps(base, mine);
  const theirChanges = yield* lineChangesInSteps(base, theirs);
  yield undefined;
  return regionsIn(yield* groupChanges(mineChanges, theirChanges), base.length);
}

function* regionsIn(groups: readonly ChangeGroup[], end: number): Generator<MergeRegion> {
  const next = { base: 0, mine: 0, theirs: 0 };
  const cutAt = (baseEnd: number, changedBy: MergeRegion['changedBy'], growth: Growth): MergeRegion => {
    const count = baseEnd - next.base;
    const region: MergeRegion = {
      changedBy,
      base: { start: next.base, count },
      mine: { start: next.mine, count: count + growth.mine },
      theirs: { start: next.theirs, count: count + growth.theirs },
    };
    next.base = baseEnd;
    next.mine += region.mine.count;
    next.theirs += region.theirs.count;
    return region;
  };
  for (const group of groups) {
    yield cutAt(group.start, 'neither', unchanged);
    yield cutAt(group.end, group.changedBy, group.growth);
  }
  yield cutAt(end, 'neither', unchanged);
}

/** By how many lines each side is longer than `base`; negative when shorter. */
interface Growth {
  mine: number;
  theirs: number;
}

const unchanged: Growth = { mine: 0, theirs: 0 };

/** Changes of either side that overlap or touch; `start` and the exclusive `end` are lines of `base`. */
interface ChangeGroup {
  readonly start: number;
  end: number;
  changedBy: 'mine' | 'theirs' | 'both';
  readonly growth: Growth;
}

function* groupChanges(mine: readonly LineChange[], theirs: readonly LineChange[]): Steps<ChangeGroup[]> {
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
    if (groups.length % changesPerStep === 0) yield undefined;
  }
  for (const change of theirs.slice(next)) add(change, 'theirs');
  return groups;
}
