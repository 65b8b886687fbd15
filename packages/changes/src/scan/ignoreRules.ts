import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Path } from '@tandem/core';
import { IgnoreChain, IgnorePatterns, type NameText, readName } from '@tandem/core/ignoring';
import { type FolderNode, type FolderRules, pathOfFolder } from './folderTree.js';
import { isSameStamp, isYoung, type Stamp, stampOf } from './stamp.js';

/** A larger ignore file is not read. */
const maxIgnoreBytes = 1024 * 1024;
/** Repositories are searched this many folders above the root. */
const maxDepth = 64;

interface OuterFile {
  readonly path: Path;
  readonly depth: number;
}

/**
 * The ignore rules of one root: its `.gitignore` files, those above it within its repository, and the repository's
 * `info/exclude`. Rules that cannot be read or are too many ignore nothing: what is seen without need costs time, what is not
 * seen is lost.
 */
export class IgnoreRules {
  readonly #root: Path;
  /** From the repository to the root, with a slash at the end; empty if the root is the repository. */
  readonly #prefix: string;
  readonly #depth: number;
  readonly #rootNames: readonly NameText[];
  /** The files that apply to the root besides its own. */
  readonly #outer: readonly OuterFile[];
  #outerStamps: readonly (Stamp | undefined)[] = [];
  #outerYoung = false;
  #base = new IgnoreChain([]);

  constructor(root: Path) {
    this.#root = root;
    const repository = repositoryOf(root) ?? root;
    const below = relative(repository, root)
      .split(/[\\/]/)
      .filter((part) => part !== '');
    this.#depth = below.length;
    this.#rootNames = below.map(readName);
    this.#prefix = below.map((part) => `${part}/`).join('');
    this.#outer = [
      ...excludeOf(repository).map((path) => ({ path, depth: 0 })),
      ...below.map((_, depth) => ({
        path: join(repository, ...below.slice(0, depth), '.gitignore'),
        depth,
      })),
    ];
  }

  /** Reads the files outside the root again if they changed. Call it before each walk. */
  refresh(): void {
    const stamps = this.#outer.map(({ path }) => stampAt(path));
    if (!this.#outerYoung && isEqual(stamps, this.#outerStamps)) return;
    this.#outerStamps = stamps;
    this.#outerYoung = stamps.some((stamp) => stamp !== undefined && isYoung(stamp, Date.now()));
    this.#base = new IgnoreChain(
      this.#outer.flatMap(({ path, depth }) => {
        const patterns = readPatterns(path);
        return patterns === undefined ? [] : [{ depth, patterns }];
      }),
    );
    // Who opens an ignored folder wants to see it.
    if (isMatched(this.#base, this.#prefix)) this.#base = new IgnoreChain([]);
  }

  /**
   * The rules for the names in a folder. The same object comes back while the files are the same.
   *
   * @param ownFile whether the folder contains an ignore file
   */
  of(folder: FolderNode, path: Path, level: number, ownFile: boolean): FolderRules {
    const above = folder.above?.rules?.chain ?? this.#base;
    const known = folder.rules;
    const file = join(path, '.gitignore');
    const stamp = ownFile ? stampAt(file) : undefined;
    if (known !== undefined && !known.isYoung && known.above === above && isEqual([known.stamp], [stamp]))
      return known;
    const young = stamp !== undefined && isYoung(stamp, Date.now());
    const patterns = stamp === undefined ? undefined : readPatterns(file);
    return { above, stamp, isYoung: young, chain: chainOf(above, this.#depth + level, patterns) };
  }

  /** The names on the way to the root, for `isIgnored`. */
  get rootNames(): readonly NameText[] {
    return this.#rootNames;
  }

  /** Whether a name in a folder is ignored. `above` has the names on the way to the folder, which is not ignored. */
  isIgnored({ chain }: FolderRules, above: readonly NameText[], name: string, isFolder: boolean): boolean {
    if (chain.files.length === 0) return false;
    try {
      return chain.ignoresLast([...above, readName(name)], isFolder);
    } catch {
      // Its patterns take too long to compare.
      return false;
    }
  }

  /** The rules for a folder of which no listing is at hand. */
  at(folder: FolderNode): FolderRules {
    const below = pathOfFolder(folder);
    const level = below === '' ? 0 : below.split('/').length;
    return this.of(folder, join(this.#root, below), level, true);
  }
}

function isMatched(chain: IgnoreChain, path: string): boolean {
  if (chain.files.length === 0 || path === '') return false;
  try {
    return chain.match(path) !== undefined;
  } catch {
    // Its patterns take too long to compare.
    return false;
  }
}

function chainOf(above: IgnoreChain, depth: number, patterns: IgnorePatterns | undefined): IgnoreChain {
  if (patterns === undefined || patterns.size === 0) return above;
  try {
    return new IgnoreChain([...above.files, { depth, patterns }]);
  } catch {
    // Too many patterns in all.
    return above;
  }
}

/** Its patterns; undefined if there is no such file. Links are not followed, as in git. */
function readPatterns(path: Path): IgnorePatterns | undefined {
  const text = readSmallText(path);
  if (text === undefined) return undefined;
  const patterns = new IgnorePatterns();
  try {
    const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
    patterns.add(lines.map((pattern) => ({ pattern, mark: pattern })));
  } catch {
    return undefined;
  }
  return patterns;
}

function readSmallText(path: Path): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > maxIgnoreBytes) return undefined;
    const bytes = Buffer.alloc(stats.size);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0)).toString('utf8');
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** The folder of the repository that contains the root. In a worktree and in a submodule `.git` is a file. */
function repositoryOf(root: Path): Path | undefined {
  let at = root;
  for (let left = maxDepth; left > 0; left -= 1) {
    if (stampAt(join(at, '.git')) !== undefined) return at;
    const above = dirname(at);
    if (above === at) return undefined;
    at = above;
  }
  return undefined;
}

/** Where `info/exclude` of a repository is: at the common folder of its worktrees. */
function excludeOf(repository: Path): readonly Path[] {
  const git = join(repository, '.git');
  const named = /^gitdir: (.+)$/m.exec(readSmallText(git) ?? '')?.[1];
  const folder = named === undefined ? git : resolve(repository, named.trim());
  const common = readSmallText(join(folder, 'commondir'))?.trim();
  return [join(common === undefined ? folder : resolve(folder, common), 'info', 'exclude')];
}

function stampAt(path: Path): Stamp | undefined {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && stampOf(stats);
  } catch {
    return undefined;
  }
}

function isEqual(some: readonly (Stamp | undefined)[], others: readonly (Stamp | undefined)[]): boolean {
  return (
    some.length === others.length &&
    some.every((stamp, at) => {
      const other = others[at];
      return stamp === undefined || other === undefined ? stamp === other : isSameStamp(stamp, other);
    })
  );
}
