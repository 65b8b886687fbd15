import { anyDepth, type Effort, matchesPath, type NameText, type PathGlob, parseName } from './glob.js';

/** One pattern of gitignore(5). */
export interface IgnoreRule {
  /** Whether it re-includes the paths that it matches instead of ignoring them. */
  readonly isNegated: boolean;
  /** The pattern as written. */
  readonly mark: string;
  readonly glob: PathGlob;
  /** It matches only folders. */
  readonly isForFolders: boolean;
}

/** More patterns than projects have. Each one is checked for each name. */
export const maxIgnorePatterns = 20_000;
/** Longer than any path. A longer pattern is not parsed: it ignores everything, or re-includes nothing. */
const maxPatternLength = 4096;
/** Lines that are parsed before other work gets a turn. */
const slice = 200;

/** Patterns in the syntax of gitignore(5), case-insensitive. */
export class IgnorePatterns {
  readonly #rules: IgnoreRule[] = [];

  /**
   * Adds patterns, each with the mark that `find` returns. Skips lines that are not patterns, such as comments. Throws
   * for more than `maxIgnorePatterns`: it is then unknown what they hide.
   */
  add(patterns: Iterable<{ readonly pattern: string; readonly mark: string }>): void {
    for (const { pattern, mark } of patterns) {
      const rule = parseRule(pattern, mark);
      if (rule === undefined) continue;
      this.#rules.push(rule);
      requireFew(this.#rules.length);
    }
  }

  /** Reads the lines of an ignore file and yields to other work in between. Rejects where `add` throws. */
  static async read(lines: readonly string[], nextTurn: () => Promise<void>): Promise<IgnorePatterns> {
    const patterns = new IgnorePatterns();
    for (let at = 0; at < lines.length; at += slice) {
      if (at > 0) await nextTurn();
      patterns.add(lines.slice(at, at + slice).map((pattern) => ({ pattern, mark: pattern })));
    }
    return patterns;
  }

  /** The number of patterns. */
  get size(): number {
    return this.#rules.length;
  }

  /** The last pattern that matches a whole relative path, regardless of the folders above it. */
  find(names: readonly NameText[], isFolder: boolean, effort: Effort): IgnoreRule | undefined {
    return this.#rules.findLast(
      ({ glob, isForFolders }) => (isFolder || !isForFolders) && matchesPath(glob, names, effort),
    );
  }
}

/** Throws when there are more than `maxIgnorePatterns`. */
export function requireFew(patterns: number): void {
  if (patterns > maxIgnorePatterns) {
    throw new Error(`more than ${maxIgnorePatterns} ignore patterns apply; remove some`);
  }
}

function parseRule(line: string, mark: string): IgnoreRule | undefined {
  if (line.startsWith('#')) return undefined;
  if (line.length > maxPatternLength) return line.startsWith('!') ? undefined : everything;
  const trimmed = withoutEndSpaces(line);
  const isNegated = trimmed.startsWith('!');
  const body = isNegated ? trimmed.slice(1) : trimmed;
  const isForFolders = body.endsWith('/');
  const path = isForFolders ? body.slice(0, -1) : body;
  if (path === '') return undefined;
  const isAnchored = path.includes('/');
  const glob: PathGlob[number][] = isAnchored ? [] : [anyDepth];
  const parts = path.replace(/^\//, '').split('/');
  for (const [at, part] of parts.entries()) {
    if (part === '**' && isAnchored) {
      // At the end it matches everything inside, which is at least one name.
      if (at === parts.length - 1) glob.push(oneName);
      if (glob.at(-1) !== anyDepth) glob.push(anyDepth);
      continue;
    }
    const isSlashQuoted = at < parts.length - 1 && isQuoted(part, part.length);
    const name = parseName(isSlashQuoted ? part.slice(0, -1) : part);
    if (name === undefined) return undefined;
    glob.push(name);
  }
  return { glob, isNegated, isForFolders, mark };
}

const oneName = parseName('*') ?? [];
const everything: IgnoreRule = {
  glob: [anyDepth, oneName],
  isNegated: false,
  isForFolders: false,
  mark: 'a pattern that is too long',
};

/** Removes spaces at the end, up to a quoted one. */
function withoutEndSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ' && !isQuoted(line, end - 1)) end -= 1;
  return line.slice(0, end);
}

/** Whether an odd number of backslashes precedes a character. */
function isQuoted(line: string, at: number): boolean {
  let before = at;
  while (line[before - 1] === '\\') before -= 1;
  return (at - before) % 2 === 1;
}
