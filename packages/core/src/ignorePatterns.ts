import { anyDepth, matchesPath, type PathGlob, parseName } from './glob.js';

interface IgnoreRule {
  readonly glob: PathGlob;
  readonly isNegated: boolean;
  /** It names folders alone. */
  readonly isForFolders: boolean;
  readonly mark: string;
}

/** Verdicts about more folders than that are not remembered at once. */
const rememberedFolders = 2_000;
/** More patterns than people write; each is looked at for each name. */
export const maxIgnorePatterns = 20_000;

/**
 * Patterns in the syntax of gitignore(5): the last one that matches counts, and nothing brings back what lies in a folder
 * that is ignored. Without regard to case.
 */
export class IgnorePatterns {
  readonly #rules: IgnoreRule[] = [];
  readonly #folders = new Map<string, string | undefined>();

  /**
   * Adds patterns, each with the mark by which `match` names it. What is no pattern, such as a comment, is passed over.
   * Throws when there are more than `maxIgnorePatterns`: what they hold back is then not known.
   */
  add(patterns: Iterable<{ readonly pattern: string; readonly mark: string }>): void {
    this.#folders.clear();
    for (const { pattern, mark } of patterns) {
      const rule = parseRule(pattern, mark);
      if (rule === undefined) continue;
      this.#rules.push(rule);
      if (this.#rules.length > maxIgnorePatterns) {
        throw new Error(`More than ${maxIgnorePatterns} ignore patterns apply. Write fewer.`);
      }
    }
  }

  /** How many there are. */
  get size(): number {
    return this.#rules.length;
  }

  /** The mark of the pattern that ignores a relative path, or a folder above it. A path to a folder ends with `/`. */
  match(path: string): string | undefined {
    const isFolder = path.endsWith('/');
    const names = path.split('/').filter((name) => name !== '');
    for (let depth = 1; depth < names.length; depth += 1) {
      const ignored = this.#matchFolder(names.slice(0, depth));
      if (ignored !== undefined) return ignored;
    }
    return isFolder ? this.#matchFolder(names) : this.#matchOne(names, false);
  }

  #matchFolder(names: readonly string[]): string | undefined {
    const key = names.join('/');
    if (this.#folders.has(key)) return this.#folders.get(key);
    const ignored = this.#matchOne(names, true);
    if (this.#folders.size >= rememberedFolders) this.#folders.clear();
    this.#folders.set(key, ignored);
    return ignored;
  }

  #matchOne(names: readonly string[], isFolder: boolean): string | undefined {
    const rule = this.#rules.findLast(
      ({ glob, isForFolders }) => (isFolder || !isForFolders) && matchesPath(glob, names),
    );
    return rule === undefined || rule.isNegated ? undefined : rule.mark;
  }
}

function parseRule(line: string, mark: string): IgnoreRule | undefined {
  if (line.startsWith('#')) return undefined;
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
