import { anyDepth, type Effort, matchesPath, type NameText, type PathGlob, parseName } from './glob.js';

/** One pattern of gitignore(5). */
export interface IgnoreRule {
  /** What comes of a path that it matches: it is brought back, or ignored. */
  readonly isNegated: boolean;
  /** The pattern as it was written. */
  readonly mark: string;
  readonly glob: PathGlob;
  /** It names folders alone. */
  readonly isForFolders: boolean;
}

/** More patterns than people write; each is looked at for each name. */
export const maxIgnorePatterns = 20_000;
/** Longer than any path. What a longer one means is not found out: it ignores everything, or brings nothing back. */
const maxPatternLength = 4096;
/** So many lines are read in one go. */
const slice = 200;

/** Patterns in the syntax of gitignore(5), without regard to case. */
export class IgnorePatterns {
  readonly #rules: IgnoreRule[] = [];

  /**
   * Adds patterns, each with the mark by which `find` names it. What is no pattern, such as a comment, is passed over.
   * Throws for more than `maxIgnorePatterns`: what they hold back is then not known.
   */
  add(patterns: Iterable<{ readonly pattern: string; readonly mark: string }>): void {
    for (const { pattern, mark } of patterns) {
      const rule = parseRule(pattern, mark);
      if (rule === undefined) continue;
      this.#rules.push(rule);
      requireFew(this.#rules.length);
    }
  }

  /** Reads the lines of an ignore file, and lets others have their turn in between. Rejects where `add` throws. */
  static async read(lines: readonly string[], nextTurn: () => Promise<void>): Promise<IgnorePatterns> {
    const patterns = new IgnorePatterns();
    for (let at = 0; at < lines.length; at += slice) {
      if (at > 0) await nextTurn();
      patterns.add(lines.slice(at, at + slice).map((pattern) => ({ pattern, mark: pattern })));
    }
    return patterns;
  }

  /** How many there are. */
  get size(): number {
    return this.#rules.length;
  }

  /** The last pattern that matches a relative path as a whole, whatever becomes of the folders above it. */
  find(names: readonly NameText[], isFolder: boolean, effort: Effort): IgnoreRule | undefined {
    return this.#rules.findLast(
      ({ glob, isForFolders }) => (isFolder || !isForFolders) && matchesPath(glob, names, effort),
    );
  }
}

/** Throws when there are more patterns than anybody writes. */
export function requireFew(patterns: number): void {
  if (patterns > maxIgnorePatterns) {
    throw new Error(`More than ${maxIgnorePatterns} ignore patterns apply. Write fewer.`);
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
    if (part === '**' && parts.length > 1) {
      // At the end it is all that lies within, which is one name at least.
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

/** Spaces at the end do not count, unless one is quoted. */
function withoutEndSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ' && !isQuoted(line, end - 1)) end -= 1;
  return line.slice(0, end);
}

/** Whether an odd number of backslashes stands before a character. */
function isQuoted(line: string, at: number): boolean {
  let before = at;
  while (line[before - 1] === '\\') before -= 1;
  return (at - before) % 2 === 1;
}
