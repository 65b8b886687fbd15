import { FileCache, silentLogger } from '@tandem/core';
import { FakeFiles } from '@tandem/testing';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { cpuTimeOf } from '../../../test/machineTime.js';
import { DenyList } from '../src/sharing/denyList.js';
import { EffortSpentError } from '../src/sharing/glob.js';
import { IgnoreChain, maxComparisons } from '../src/sharing/ignoreChain.js';
import { IgnorePatterns, maxIgnorePatterns } from '../src/sharing/ignorePatterns.js';
import { SharingPolicy } from '../src/sharing/sharingPolicy.js';

function chainOf(...lines: string[]): IgnoreChain {
  const patterns = new IgnorePatterns();
  patterns.add(lines.map((pattern) => ({ pattern, mark: pattern })));
  return new IgnoreChain([{ depth: 0, patterns }]);
}

/** Whether a verdict was reached. */
function isFound(match: () => unknown): boolean {
  try {
    match();
    return true;
  } catch (error) {
    if (error instanceof EffortSpentError) return false;
    throw error;
  }
}

const longName = 'a'.repeat(255);
const deepPath = `${'a/'.repeat(2_000)}c`;

describe('a pattern of a hostile repository', () => {
  const hostile: [string, string][] = [
    ['*a*a*a*a*a*a*a*a*b', longName],
    [`${'*a'.repeat(100)}*b`, longName],
    [`${'[a-z]*'.repeat(50)}0`, longName],
    [`${'?*'.repeat(100)}b`, longName],
    [`${'**/a/'.repeat(100)}b`, deepPath],
    [`${'**/*a*a*/'.repeat(50)}b`, deepPath],
    [`${'**/'.repeat(500)}x`, deepPath],
    [`${'*'.repeat(100_000)}b`, longName],
    [`[${'a-z'.repeat(10_000)}]b`, longName],
    [`${'['.repeat(20_000)}`, longName],
    [`x${' '.repeat(500_000)}x`, longName],
    [`${'\\ '.repeat(200_000)}`, longName],
    ['(a+)+$', `${'a'.repeat(200)}!`],
  ];

  it.each(hostile)('%.30s takes no longer than any other', (pattern, path) => {
    const chain = chainOf(pattern);
    const deny = new DenyList([pattern]);
    // As a regular expression, the first pattern takes hours.
    expect(cpuTimeOf(() => isFound(() => chain.match(path)))).toBeLessThan(1_000);
    expect(cpuTimeOf(() => isFound(() => deny.match(`/${path}`)))).toBeLessThan(1_000);
  });

  it('with any characters terminates without an error', () => {
    const odd = fc.string({ unit: fc.constantFrom(...'*?[]!^-\\/ a.b#{}()+|$:'), maxLength: 40 });
    fc.assert(
      fc.property(odd, odd, (pattern, path) => {
        expect(typeof chainOf(pattern).match(path)).toMatch(/string|undefined/);
        new DenyList([pattern]).match(path);
      }),
      { numRuns: 5_000, seed: 20_260_101 },
    );
  });

  it('counts toward a limit: with too many patterns, no file that they may concern is shared', async () => {
    const lines = Array.from({ length: maxIgnorePatterns + 1 }, (_, number) => `${number}`).join('\n');
    const disk = new FakeFiles({ '/ws/.geminiignore': lines, '/ws/a.txt': '' });
    const policy = new SharingPolicy({ files: disk, folders: () => ['/ws'], logger: silentLogger });
    const agent = { id: 'gemini', ignoreFiles: [{ name: '.geminiignore' }] };
    expect(await policy.verdict(agent, '/ws/a.txt')).toEqual({
      isShared: false,
      reason: 'it cannot be checked: more than 20000 ignore patterns apply; remove some',
    });
    disk.write('/ws/.geminiignore', lines.slice(lines.indexOf('\n') + 1));
    expect(await policy.verdict(agent, '/ws/a.txt')).toEqual({ isShared: true });
  });
});

describe('a great many hostile patterns', () => {
  const lines = Array.from({ length: maxIgnorePatterns - 1 }, () => '**/*a*b*c*1*').join('\n');
  const agent = { id: 'gemini', ignoreFiles: [{ name: '.geminiignore' }] };
  const tooLong =
    'it cannot be checked: the ignore patterns take too long to compare with its path; simplify them';
  const pathOf = (at: number): string => `/ws/${'abcabcabcabc'.repeat(16)}/${at}${'abc'.repeat(60)}`;

  it('cost a bounded number of comparisons for each path, which is hidden from agents', async () => {
    const policy = new SharingPolicy({
      files: new FakeFiles({ '/ws/.geminiignore': lines }),
      folders: () => ['/ws'],
      logger: silentLogger,
    });
    const cache = policy.fileCache();
    let comparisons = 0;
    const work = cache.work.bind(cache);
    vi.spyOn(cache, 'work').mockImplementation((compare) =>
      work((report) =>
        compare((count) => {
          comparisons += count;
          report(count);
        }),
      ),
    );
    for (let at = 0; at < 5; at += 1) expect(await policy.heldBack(agent, pathOf(at), cache)).toBe(tooLong);
    expect(comparisons).toBeGreaterThan(maxComparisons / 2);
    // The common parent folder is compared once.
    expect(comparisons).toBeLessThanOrEqual(maxComparisons);
    // Verdicts are cached, also across surveys.
    comparisons = 0;
    expect(await policy.heldBack(agent, pathOf(0), cache)).toBe(tooLong);
    expect(comparisons).toBe(0);
  });

  it('yield to other work between two paths', async () => {
    const disk = new FakeFiles({ '/ws/.geminiignore': lines });
    const turn = vi.spyOn(disk, 'nextTurn');
    const policy = new SharingPolicy({ files: disk, folders: () => ['/ws'], logger: silentLogger });
    const paths = Array.from({ length: 20 }, (_, at) => `/ws/${at}/${'abcabcabcabc'.repeat(16)}`);
    const cache = policy.fileCache();
    await policy.heldBack(agent, paths[0] ?? '', cache);
    const before = turn.mock.calls.length;
    await Promise.all(paths.slice(1).map((path) => policy.heldBack(agent, path, cache)));
    expect(turn.mock.calls.length - before).toBeGreaterThanOrEqual(paths.length - 1);
  });

  it('cost a bounded number of comparisons on one occasion', async () => {
    const cache = new FileCache(new FakeFiles());
    await cache.work((report) => report(200_000_001));
    await expect(cache.work(() => {})).rejects.toThrow(
      'the ignore patterns are too complex for this many paths',
    );
  });
});
