import { joinPath, partsBelow } from '../paths.js';
import type { Path } from '../position.js';
import type { FileCache } from './fileCache.js';
import { type ChainedPatterns, IgnoreChain } from './ignoreChain.js';
import { IgnorePatterns } from './ignorePatterns.js';

/** A file in which a user lists what one agent must not see. */
export interface AgentIgnoreFile {
  /** Path below a folder, such as `.geminiignore`. */
  readonly name: string;
  /** Converts the file's text to patterns in `.gitignore` syntax; without it, the text has that syntax. */
  readonly patterns?: (text: string) => readonly string[];
}

interface KnownPatterns {
  readonly text: string;
  readonly patterns: Promise<IgnorePatterns>;
}

/** Each cache holds at most this many files or folders. */
const remembered = 500;

/** Applies the ignore files of a folder and of the folders below it, with the rules of gitignore(5). */
export class IgnoreFiles {
  /** The patterns of each file, while its text stays the same. */
  readonly #patterns = new Map<Path, KnownPatterns>();
  /** All files on the way to a folder, while their patterns stay the same. */
  readonly #chains = new Map<string, IgnoreChain>();
  /** The chains that were built with each cache. */
  readonly #cached = new WeakMap<FileCache, Map<string, Promise<IgnoreChain>>>();

  /**
   * Whether the ignore files of that name, from `root` down to the path, ignore it. A path outside `root` is not
   * ignored. Some patterns match only folders, so `kind` must be `folder` for a folder. Rejects when the answer cannot
   * be found: a file cannot be read, there are too many patterns, or they take too long.
   */
  async isIgnored(
    cache: FileCache,
    root: Path,
    path: Path,
    file: AgentIgnoreFile,
    kind: 'file' | 'folder' = 'file',
  ): Promise<boolean> {
    const parts = partsBelow(root, path);
    if (parts === undefined || parts.length === 0) return false;
    const chain = await this.#chainOf(cache, root, parts.slice(0, -1), file);
    if (chain.files.length === 0) return false;
    const below = `${parts.join('/')}${kind === 'folder' ? '/' : ''}`;
    return (await cache.work((report) => chain.match(below, report))) !== undefined;
  }

  /** The files on the way to a folder below the root. */
  #chainOf(
    cache: FileCache,
    root: Path,
    below: readonly string[],
    file: AgentIgnoreFile,
  ): Promise<IgnoreChain> {
    const chains = this.#cached.get(cache) ?? new Map<string, Promise<IgnoreChain>>();
    this.#cached.set(cache, chains);
    const key = `${file.name}\n${root}\n${below.join('/')}`;
    const known = chains.get(key);
    if (known !== undefined) return known;
    const chain = this.#findChain(cache, root, below, file, key);
    chains.set(key, chain);
    return chain;
  }

  async #findChain(
    cache: FileCache,
    root: Path,
    below: readonly string[],
    file: AgentIgnoreFile,
    key: string,
  ): Promise<IgnoreChain> {
    const path = joinPath(joinPath(root, ...below), ...file.name.split('/'));
    const [above, text] = await Promise.all([
      below.length === 0 ? empty : this.#chainOf(cache, root, below.slice(0, -1), file),
      cache.readText(path),
    ]);
    if (text === undefined) return above;
    const patterns = await this.#patternsOf(cache, path, text, file);
    const files = [...above.files, { depth: below.length, patterns }];
    const known = this.#chains.get(key);
    if (known !== undefined && isSame(known.files, files)) return known;
    const chain = new IgnoreChain(files);
    remember(this.#chains, key, chain);
    return chain;
  }

  #patternsOf(
    cache: FileCache,
    path: Path,
    text: string,
    { patterns = linesOf }: AgentIgnoreFile,
  ): Promise<IgnorePatterns> {
    const known = this.#patterns.get(path);
    if (known?.text === text) return known.patterns;
    const reading = IgnorePatterns.read(patterns(text), () => cache.nextTurn());
    remember(this.#patterns, path, { text, patterns: reading });
    return reading;
  }
}

const empty = new IgnoreChain([]);

function remember<T>(known: Map<string, T>, key: string, value: T): void {
  if (known.size >= remembered && !known.has(key)) known.clear();
  known.set(key, value);
}

function linesOf(text: string): string[] {
  return text.replace(/^\uFEFF/, '').split(/\r?\n/);
}

function isSame(some: readonly ChainedPatterns[], others: readonly ChainedPatterns[]): boolean {
  return some.length === others.length && some.every(({ patterns }, at) => patterns === others[at]?.patterns);
}
