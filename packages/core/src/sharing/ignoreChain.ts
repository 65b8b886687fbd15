import { type Effort, EffortSpentError, type NameText, readName } from './glob.js';
import { type IgnorePatterns, requireFew } from './ignorePatterns.js';

/** The patterns of one ignore file. */
export interface ChainedPatterns {
  /** How many folders below the root its file is. */
  readonly depth: number;
  readonly patterns: IgnorePatterns;
}

/** More comparisons than any project needs for one path: about ten milliseconds. */
export const maxComparisons = 500_000;
/** The cache holds at most this many verdicts. */
const rememberedVerdicts = 2_000;

interface Verdict {
  /** The mark of the pattern that ignores it. */
  readonly mark: string | undefined;
  /** How many comparisons it took, including those for the folders above; infinite when there were too many. */
  readonly cost: number;
}

/**
 * The patterns of all ignore files on the way to a folder, with the rules of gitignore(5): a deeper file overrides a
 * shallower one, the last matching pattern in a file wins, and nothing re-includes a path in an ignored folder.
 * Verdicts are cached.
 */
export class IgnoreChain {
  /** From the root down. */
  readonly files: readonly ChainedPatterns[];
  readonly #verdicts = new Map<string, Verdict>();

  /** Throws when there are more than `maxIgnorePatterns`. */
  constructor(files: readonly ChainedPatterns[]) {
    this.files = files;
    requireFew(files.reduce((sum, { patterns }) => sum + patterns.size, 0));
  }

  /**
   * The mark of the pattern that ignores a path below the root, or a folder above it. A path to a folder ends with `/`.
   * Reports how many comparisons it made. Throws `EffortSpentError` when the match takes more than `maxComparisons`.
   */
  match(path: string, report: (comparisons: number) => void = () => {}): string | undefined {
    const { mark, cost } = this.#verdicts.get(path) ?? this.#matchParts(path, report);
    if (cost === Number.POSITIVE_INFINITY) {
      throw tooComplex();
    }
    return mark;
  }

  /**
   * Whether the last of these names below the root is ignored, given that no folder above it is. Caches nothing. Throws like `match`.
   */
  ignoresLast(names: readonly NameText[], isFolder: boolean): boolean {
    const { mark, cost } = this.#matchOne(names, isFolder, 0);
    if (cost === Number.POSITIVE_INFINITY) throw tooComplex();
    return mark !== undefined;
  }

  #matchParts(path: string, report: (comparisons: number) => void): Verdict {
    const names = path.split('/').filter((name) => name !== '');
    const texts: NameText[] = [];
    let key = '';
    let verdict: Verdict = { mark: undefined, cost: 0 };
    for (const [at, name] of names.entries()) {
      const isFolder = at < names.length - 1 || path.endsWith('/');
      key = `${key}${name}${isFolder ? '/' : ''}`;
      texts.push(readName(name));
      const known = this.#verdicts.get(key);
      const above = verdict.cost;
      verdict = known ?? this.#remember(key, this.#matchOne(texts, isFolder, above));
      if (known === undefined) report(Math.min(verdict.cost, maxComparisons) - above);
      if (verdict.mark !== undefined || verdict.cost === Number.POSITIVE_INFINITY) break;
    }
    return verdict;
  }

  /** Checks one path against the files above it, given that no folder above it is ignored. */
  #matchOne(names: readonly NameText[], isFolder: boolean, above: number): Verdict {
    const effort: Effort = { left: maxComparisons - above };
    try {
      for (const { depth, patterns } of this.files.toReversed()) {
        const rule = depth < names.length ? patterns.find(names.slice(depth), isFolder, effort) : undefined;
        if (rule === undefined) continue;
        return { mark: rule.isNegated ? undefined : rule.mark, cost: maxComparisons - effort.left };
      }
      return { mark: undefined, cost: maxComparisons - effort.left };
    } catch (error) {
      if (error instanceof EffortSpentError) return { mark: undefined, cost: Number.POSITIVE_INFINITY };
      throw error;
    }
  }

  #remember(key: string, verdict: Verdict): Verdict {
    if (this.#verdicts.size >= rememberedVerdicts) this.#verdicts.clear();
    this.#verdicts.set(key, verdict);
    return verdict;
  }
}

function tooComplex(): EffortSpentError {
  return new EffortSpentError('the ignore patterns take too long to compare with its path; simplify them');
}
