import { KnownResults } from './knownResults.js';
import { type ConflictNames, type MergeResult, mergeInSteps } from './merge.js';
import type { Pause, Steps } from './steps.js';

interface Merge {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
  readonly marks?: ConflictNames | undefined;
}

/** One check of a file merges these: the texts without line ends, the texts, and the proposal without edits. */
const mostKnown = 3;

/** Merges texts, and remembers the last results: the same ones are needed several times for one change of a file. */
export class KnownMerges {
  readonly #results = new KnownResults<Merge, MergeResult>(
    ({ base, mine, theirs, marks }) => mergeInSteps(base, mine, theirs, marks),
    (one, other) =>
      one.marks?.mine === other.marks?.mine &&
      one.base === other.base &&
      one.mine === other.mine &&
      one.theirs === other.theirs,
    mostKnown,
  );

  readonly merge = (base: string, mine: string, theirs: string, marks?: ConflictNames): Steps<MergeResult> =>
    this.#results.inSteps({ base, mine, theirs, marks });

  /** Merges in short steps what `merge` is going to be called with. See `KnownResults.prepare`. */
  prepare(newest: () => Merge, pause: Pause): Promise<void> | undefined {
    return this.#results.prepare(newest, pause);
  }

  /** The texts may be large. */
  forget(): void {
    this.#results.forget();
  }
}
