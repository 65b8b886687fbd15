import { type ConflictNames, type MergeResult, mergeInSteps, type mergeText } from './text/merge.js';
import { finish, finishWithPauses, type Pause } from './text/steps.js';

interface KnownMerge {
  readonly texts: readonly [base: string, mine: string, theirs: string];
  /** The name of `mine` in conflict marks. */
  readonly name: string | undefined;
  readonly result: MergeResult;
}

/** One check of a file merges these: the texts without line ends, the texts, and the proposal without edits. */
const mostKnown = 3;

/** Merges texts, and remembers the last results: the same ones are needed several times for one change of a file. */
export class KnownMerges {
  #known: KnownMerge[] = [];

  readonly merge: typeof mergeText = (base, mine, theirs, marks) =>
    this.#find(base, mine, theirs, marks) ??
    this.#remember(base, mine, theirs, marks, finish(mergeInSteps(base, mine, theirs, marks)));

  /** Merges in short steps what `merge` is going to be called with. */
  async prepare(
    [base, mine, theirs]: KnownMerge['texts'],
    marks: ConflictNames | undefined,
    pause: Pause,
  ): Promise<void> {
    if (this.#find(base, mine, theirs, marks) !== undefined) return;
    const result = await finishWithPauses(mergeInSteps(base, mine, theirs, marks), pause);
    this.#remember(base, mine, theirs, marks, result);
  }

  /** The texts may be large. */
  forget(): void {
    this.#known = [];
  }

  #find(base: string, mine: string, theirs: string, marks?: ConflictNames): MergeResult | undefined {
    return this.#known.find(
      ({ texts, name }) =>
        name === marks?.mine && texts[0] === base && texts[1] === mine && texts[2] === theirs,
    )?.result;
  }

  #remember(
    base: string,
    mine: string,
    theirs: string,
    marks: ConflictNames | undefined,
    result: MergeResult,
  ): MergeResult {
    const known = { texts: [base, mine, theirs], name: marks?.mine, result } as const;
    this.#known = [known, ...this.#known].slice(0, mostKnown);
    return result;
  }
}
