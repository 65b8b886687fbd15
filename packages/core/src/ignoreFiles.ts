import { IgnorePatterns } from './ignorePatterns.js';
import { joinPath, partsBelow } from './paths.js';
import type { Path } from './position.js';

export interface AgentIgnoreFile {
  /** Path below a folder, such as `.geminiignore`. */
  readonly name: string;
  /** Makes patterns in the syntax of `.gitignore` of the file's text; without it the text is such patterns. */
  readonly patterns?: (text: string) => readonly string[];
}

/** One ignore file on the way to a path. */
interface FoundFile {
  /** How many folders below the root it lies. */
  readonly depth: number;
  readonly text: string;
}

interface KnownMatcher {
  readonly files: readonly FoundFile[];
  readonly matcher: IgnorePatterns;
}

/** More folders with ignore files than that are not remembered at once. */
const rememberedFolders = 500;
/** Nor more patterns: each matcher holds those of all files on its way. */
const rememberedPatterns = 100_000;

/**
 * Applies the ignore files of a folder and of those below it, as gitignore(5) says: a deeper file overrules a
 * shallower one, and nothing brings back what lies in an ignored folder.
 */
export class IgnoreFiles {
  readonly #readText: (path: Path) => Promise<string | undefined>;
  readonly #known = new Map<string, KnownMatcher>();
  #knownPatterns = 0;

  constructor(readText: (path: Path) => Promise<string | undefined>) {
    this.#readText = readText;
  }

  /**
   * Whether the files of that name, from `root` down to the path, name it. What lies elsewhere is not named. Some
   * patterns match folders alone, so that a path to a folder must say so.
   */
  async isIgnored(
    root: Path,
    path: Path,
    file: AgentIgnoreFile,
    kind: 'file' | 'folder' = 'file',
  ): Promise<boolean> {
    const parts = partsBelow(root, path);
    if (parts === undefined || parts.length === 0) return false;
    const files: FoundFile[] = [];
    for (let depth = 0; depth < parts.length; depth++) {
      const folder = joinPath(root, ...parts.slice(0, depth));
      const text = await this.#readText(joinPath(folder, ...file.name.split('/')));
      if (text !== undefined) files.push({ depth, text });
    }
    const deepest = files.at(-1);
    if (deepest === undefined) return false;
    const folder = joinPath(root, ...parts.slice(0, deepest.depth));
    const matcher = this.#matcher(`${file.name}\n${root}\n${folder}`, files, file);
    return matcher.match(`${parts.join('/')}${kind === 'folder' ? '/' : ''}`) !== undefined;
  }

  /** One matcher for all the files on a way, made again when the text of one changed. */
  #matcher(
    key: string,
    files: readonly FoundFile[],
    { patterns = linesOf }: AgentIgnoreFile,
  ): IgnorePatterns {
    const known = this.#known.get(key);
    if (known !== undefined && isSame(known.files, files)) return known.matcher;
    const matcher = new IgnorePatterns();
    for (const { depth, text } of files) {
      matcher.add(patterns(text).map((pattern) => ({ pattern: rebase(pattern, depth), mark: pattern })));
    }
    this.#knownPatterns += matcher.size - (known?.matcher.size ?? 0);
    if (this.#known.size >= rememberedFolders || this.#knownPatterns > rememberedPatterns) {
      this.#known.clear();
      this.#knownPatterns = matcher.size;
    }
    this.#known.set(key, { files, matcher });
    return matcher;
  }
}

/**
 * Makes a pattern of a file that lies `depth` folders down into one of the root. A star stands for each folder: the
 * matcher is only ever asked for paths in the folders of its files, so that the names need not be quoted.
 */
function rebase(pattern: string, depth: number): string {
  if (depth === 0 || pattern.startsWith('#')) return pattern;
  const bang = pattern.startsWith('!') ? '!' : '';
  const body = pattern.slice(bang.length);
  if (/^[/\s]*$/.test(body)) return '';
  const isAnchored = /\/\s*\S/.test(body);
  return `${bang}/${'*/'.repeat(depth)}${isAnchored ? '' : '**/'}${body.replace(/^\//, '')}`;
}

function linesOf(text: string): string[] {
  return text.replace(/^\uFEFF/, '').split(/\r?\n/);
}

function isSame(some: readonly FoundFile[], others: readonly FoundFile[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ depth, text }, at) => depth === others[at]?.depth && text === others[at]?.text)
  );
}
