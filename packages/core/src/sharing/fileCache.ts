import type { Path } from '../position.js';

/** The file access that the sharing policy needs. `core` does no I/O of its own. */
export interface PolicyFiles {
  /** The text of a small file, or `undefined` if it does not exist. Called often: the host caches by time and size. */
  readText(path: Path): Promise<string | undefined>;
  /** The path with symbolic links resolved, or the same path when it does not exist. */
  realPath(path: Path): Promise<Path>;
  /** Whether a regular file is at the path. Never rejects. */
  isOnDisk(path: Path): Promise<boolean>;
  /** Yields to other due work, then resolves. */
  nextTurn(): Promise<void>;
}

/** Comparisons between two yields to other work: a millisecond or two. */
const comparisonsInTurn = 200_000;
/** More than an honest workspace needs; a second or two. */
const maxComparisons = 200_000_000;

/**
 * A cache of file access for one occasion, such as one event of the editor: each file is read once, however many agents
 * and paths are checked. The next occasion uses a new cache.
 */
export class FileCache {
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
   * Runs `compare`, after yielding if necessary. `compare` reports how many comparisons it made. Rejects with what it
   * throws, and when the cache has used up its comparisons.
   */
  async work<T>(compare: (report: (comparisons: number) => void) => T): Promise<T> {
    while (this.#comparisonsInTurn >= comparisonsInTurn) {
      this.#turn ??= this.#yieldTurn();
      await this.#turn;
    }
    if (this.#comparisons > maxComparisons) {
      throw new Error('the ignore patterns are too complex for this many paths; simplify them');
    }
    return compare((comparisons) => {
      this.#comparisons += comparisons;
      this.#comparisonsInTurn += comparisons;
    });
  }

  nextTurn(): Promise<void> {
    return this.#files.nextTurn();
  }

  async #yieldTurn(): Promise<void> {
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
