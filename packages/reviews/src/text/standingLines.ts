import { type LineChange, lineChangesInSteps } from './lineChanges.js';
import { type Line, linesIn } from './lines.js';
import type { ConflictLines, SidedLine } from './merge.js';
import type { Steps } from './steps.js';

/** How many lines are merged in one step; some milliseconds. */
const linesPerStep = 10_000;

/**
 * How to merge where a change and later changes meet: takes out what still stands of the change, and keeps what is later. With
 * the texts of `mergeInSteps`: `base` is what the change left, `mine` what it found, `theirs` what there is now.
 */
export class StandingLines {
  /** Whether lines of the change were changed again. They stay as they are: it is not known whose they are. */
  hasOverlaps = false;

  readonly merge: ConflictLines = (base, mine, theirs) => this.#merge(base, mine, theirs);

  *#merge(
    base: readonly Line[],
    mine: readonly Line[],
    theirs: readonly Line[],
  ): Steps<readonly SidedLine[]> {
    const own = byStart(yield* lineChangesInSteps(base, mine));
    const later = byStart(yield* lineChangesInSteps(base, theirs));
    const lines: SidedLine[] = [];
    const add = (added: readonly Line[], side: SidedLine['side']): void => {
      for (const line of added) lines.push({ line, side });
    };
    let [ownEnd, laterEnd, inTheirs] = [0, 0, 0];
    for (let at = 0; at <= base.length; at++) {
      if (at % linesPerStep === linesPerStep - 1) yield undefined;
      const [change, after] = [own.get(at), later.get(at)];
      const addLater = (): void => {
        if (after === undefined) return;
        add(linesIn(theirs, after.to), 'theirs');
        inTheirs += after.to.count;
        laterEnd = at + after.from.count;
      };
      const isInsertion = after?.from.count === 0;
      const isInLater = at < laterEnd;
      if (isInsertion) addLater();
      if (change !== undefined) {
        const rest =
          change.from.count > 0
            ? countStanding(change, later, laterEnd)
            : isInLater || isInsertion
              ? 'none'
              : 'all';
        const isReverted = after !== undefined && isReversal(change, after, mine, theirs);
        if (rest !== 'all' && !isReverted) this.hasOverlaps = true;
        if (rest !== 'none') add(linesIn(mine, change.to), 'mine');
        ownEnd = at + change.from.count;
      }
      if (!isInsertion) addLater();
      if (at === base.length || at < laterEnd) continue;
      const line = theirs[inTheirs++];
      if (at >= ownEnd && line !== undefined) lines.push({ line, side: 'theirs' });
    }
    return lines;
  }
}

/** How many lines that a change added are still there. `laterEnd`: up to where a later change that began before it reaches. */
function countStanding(
  { from }: LineChange,
  later: ReadonlyMap<number, LineChange>,
  laterEnd: number,
): 'all' | 'some' | 'none' {
  const end = from.start + from.count;
  let changed = 0;
  let next = laterEnd;
  for (let at = from.start; at < end; at++) {
    const after = later.get(at);
    if (after !== undefined) next = at + after.from.count;
    if (at < next) changed += 1;
  }
  return changed === 0 ? 'all' : changed < from.count ? 'some' : 'none';
}

/** Whether a later change only undoes the other one. */
function isReversal(
  change: LineChange,
  later: LineChange,
  mine: readonly Line[],
  theirs: readonly Line[],
): boolean {
  if (later.from.count !== change.from.count || later.to.count !== change.to.count) return false;
  const [found, now] = [linesIn(mine, change.to), linesIn(theirs, later.to)];
  return found.every(({ text }, at) => text === now[at]?.text);
}

function byStart(changes: readonly LineChange[]): ReadonlyMap<number, LineChange> {
  return new Map(changes.map((change) => [change.from.start, change]));
}
