import { type Effort, EffortSpentError, type NameText, readName } from './glob.js';
import { type IgnorePatterns, requireFew } from './ignorePatterns.js';

/** The patterns of one ignore file. */
export interface ChainedPatterns {
  /** How many folders below the root its file lies. */
  readonly depth: number;
  readonly patterns: IgnorePatterns;
}

/** More comparisons than any project needs for one path: a matter of ten milliseconds. */
export const maxComparisons = 500_000;
/** More verdicts than that are not remembered at once. */
const rememberedVerdicts = 2_000;

interface Verdict {
  /** The mark of the pattern that ignores it. */
  readonly mark: string | undefined;
  /** How many comparisons it took, those for the folders above included; infinite when there were too many. */
  readonly cost: number;
}

/**
 * The patterns of all ignore files on the way to a folder. As gitignore(5) says: a deeper file overrules a shallower one,
 * in a file the last pattern that matches counts, and nothing brings back what lies in a folder that is ignored. What it
 * has found out is remembered.
 */
export class IgnoreChain {
  /** From the root down. */
  readonly files: readonly ChainedPatterns[];
  readonly #verdicts = new Map<string, Verdict>();

  /** Throws when there are more patterns than anybody writes. */
  constructor(files: readonly ChainedPatterns[]) {
    this.files = files;
    requireFew(files.reduce((sum, { patterns }) => sum + patterns.size, 0));
  }

  /**
   * The mark of the pattern that ignores a path below the root, or a folder above it. A path to a folder ends with `/`.
   * Reports how many comparisons it made. Throws `EffortSpentError` when finding out takes more than `maxComparisons`.
   */
  match(path: string, report: (comparisons: number) => void = () => {}): string | undefined {
    const { mark, cost } = this.#verdicts.get(path) ?? this.#judge(path, report);
    if (cost === Number.POSITIVE_INFINITY) {
      throw new EffortSpentError(
        'Its path takes too long to compare with the ignore patterns. Write simpler ones.',
      );
    }
    return mark;
  }

  #judge(path: string, report: (comparisons: number) => void): Verdict {
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
      verdict = known ?? this.#remember(key, this.#judgeOne(texts, isFolder, above));
      if (known === undefined) report(Math.min(verdict.cost, maxComparisons) - above);
      if (verdict.mark !== undefined || verdict.cost === Number.POSITIVE_INFINITY) break;
    }
    return verdict;
  }

  /** Judges by the files above it, where nothing above it is ignored. */
  #judgeOne(names: readonly NameText[], isFolder: boolean, above: number): Verdict {
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
