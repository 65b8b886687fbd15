import type { Path } from './position.js';

/** What is asked of files to say whether they may be shared. `core` does no I/O of its own. */
export interface PolicyFiles {
  /** The text of a small file, or `undefined` when there is none. Called often: the host caches by time and size. */
  readText(path: Path): Promise<string | undefined>;
  /** The path with symbolic links resolved, or the same path when it does not exist. */
  realPath(path: Path): Promise<Path>;
  /** Whether a regular file lies at the path. Never rejects. */
  isOnDisk(path: Path): Promise<boolean>;
  /** Resolves when other work that is due has had its turn. */
  nextTurn(): Promise<void>;
}

/** So many comparisons are made before other work has its turn: a matter of a millisecond or two. */
const comparisonsInTurn = 200_000;
/** More than an honest workspace takes; a matter of a second or two. */
const maxComparisons = 200_000_000;

/**
 * What is found out of files on one occasion, such as one event of the editor: each file is looked at once, however many
 * agents and paths are judged by it. The next occasion begins a new one.
 */
export class FileSurvey {
  readonly #files: PolicyFiles;
  readonly #texts = new Map<Path, Promise<string | undefined>>();
  readonly #realPaths = new Map<Path, Promise<Path>>();
  readonly #onDisk = new Map<Path, Promise<boolean>>();
  #comparisons = 0;
  #comparisonsInTurn = 0;
  #turn: Promise<void> | undefined;

  constructor(files: PolicyFiles) {
    this.#files = files;
  }

  readText(path: Path): Promise<string | undefined> {
    return once(this.#texts, path, () => this.#files.readText(path));
  }

  realPath(path: Path): Promise<Path> {
    return once(this.#realPaths, path, () => this.#files.realPath(path));
  }

  isOnDisk(path: Path): Promise<boolean> {
    return once(this.#onDisk, path, () => this.#files.isOnDisk(path));
  }

  /**
   * Compares a path when it is its turn: `compare` reports how many comparisons it made. Rejects with what it throws, and
   * once all comparisons of the survey are spent.
   */
  async work<T>(compare: (report: (comparisons: number) => void) => T): Promise<T> {
    while (this.#comparisonsInTurn >= comparisonsInTurn) {
      this.#turn ??= this.#rest();
      await this.#turn;
    }
    if (this.#comparisons > maxComparisons) {
      throw new Error('So many paths take too long to compare with the ignore patterns. Write simpler ones.');
    }
    return compare((comparisons) => {
      this.#comparisons += comparisons;
      this.#comparisonsInTurn += comparisons;
    });
  }

  nextTurn(): Promise<void> {
    return this.#files.nextTurn();
  }

  async #rest(): Promise<void> {
    await this.#files.nextTurn();
    this.#comparisonsInTurn = 0;
    this.#turn = undefined;
  }
}

function once<T>(known: Map<Path, Promise<T>>, path: Path, read: () => Promise<T>): Promise<T> {
  const before = known.get(path);
  if (before !== undefined) return before;
  const reading = read();
  known.set(path, reading);
  return reading;
}
