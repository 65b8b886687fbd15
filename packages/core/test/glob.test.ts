import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  anyDepth,
  EffortSpentError,
  matchesPath,
  type PathGlob,
  parseName,
  readName,
} from '../src/sharing/glob.js';

/** The meaning of a name pattern, by exhaustive search: `*` any run, `?` one character, `[ab]` one of these. */
function isLike(pattern: string, name: string): boolean {
  const [first, ...rest] = [...pattern];
  if (first === undefined) return name === '';
  const [character, ...others] = [...name];
  if (first === '*') return isLike(rest.join(''), name) || (name !== '' && isLike(pattern, others.join('')));
  if (character === undefined) return false;
  if (first === '[') return 'ab'.includes(character) && isLike(pattern.slice(4), others.join(''));
  return (first === '?' || first === character) && isLike(rest.join(''), others.join(''));
}

/** The same for a path, whose `**` matches any number of names. */
function isPathLike(patterns: readonly string[], names: readonly string[]): boolean {
  const [first, ...rest] = patterns;
  if (first === undefined) return names.length === 0;
  const [name, ...others] = names;
  if (first === '**') return isPathLike(rest, names) || (name !== undefined && isPathLike(patterns, others));
  return name !== undefined && isLike(first, name) && isPathLike(rest, others);
}

function globOf(patterns: readonly string[]): PathGlob {
  return patterns.map((pattern) => (pattern === '**' ? anyDepth : (parseName(pattern) ?? [])));
}

const name = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 }).map((parts) => parts.join(''));
const pattern = fc
  .array(fc.constantFrom('a', 'b', 'c', '*', '?', '[ab]'), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('').replaceAll(/\*+/g, '*'));
const patterns = fc.array(fc.oneof(pattern, fc.constant('**')), { minLength: 1, maxLength: 5 });

describe('matching', () => {
  it('gives the same result as an exhaustive search', () => {
    fc.assert(
      fc.property(patterns, fc.array(name, { minLength: 1, maxLength: 5 }), (wanted, names) => {
        const effort = { left: 100_000 };
        expect(matchesPath(globOf(wanted), names.map(readName), effort)).toBe(isPathLike(wanted, names));
      }),
      { numRuns: 20_000, seed: 20_260_101 },
    );
  });

  it('throws instead of exceeding its number of comparisons', () => {
    const glob = globOf(['**', '*a*a*a*b*']);
    const names = [readName('a'.repeat(255))];
    expect(() => matchesPath(glob, names, { left: 100 })).toThrow(EffortSpentError);
    expect(matchesPath(glob, names, { left: 100_000 })).toBe(false);
  });
});
