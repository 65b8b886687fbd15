import { silentLogger } from '@tandem/core';
import { FakeFiles } from '@tandem/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DenyList } from '../src/denyList.js';
import { IgnoreFiles } from '../src/ignoreFiles.js';
import { IgnorePatterns, maxIgnorePatterns } from '../src/ignorePatterns.js';
import { SharingPolicy } from '../src/sharingPolicy.js';

/** Milliseconds that something takes at the first time. */
function timeOf(run: () => unknown): number {
  const startedAt = performance.now();
  run();
  return performance.now() - startedAt;
}

function patternsOf(...lines: string[]): IgnorePatterns {
  const patterns = new IgnorePatterns();
  patterns.add(lines.map((pattern) => ({ pattern, mark: pattern })));
  return patterns;
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
    const patterns = patternsOf(pattern);
    const deny = new DenyList([pattern]);
    // A regular expression made of the first takes hours.
    expect(timeOf(() => patterns.match(path))).toBeLessThan(4_000);
    expect(timeOf(() => deny.match(`/${path}`))).toBeLessThan(4_000);
  });

  it('of whatever characters is survived, and comes to an end', () => {
    const odd = fc.string({ unit: fc.constantFrom(...'*?[]!^-\\/ a.b#{}()+|$:'), maxLength: 40 });
    fc.assert(
      fc.property(odd, odd, (pattern, path) => {
        const patterns = patternsOf(pattern);
        expect(typeof patterns.match(path)).toMatch(/string|undefined/);
        new DenyList([pattern]).match(path);
      }),
      { numRuns: 5_000, seed: 20_260_101 },
    );
  });

  it('is one of so many that nobody wrote them: then nothing is shared that they may concern', async () => {
    const lines = Array.from({ length: maxIgnorePatterns + 1 }, (_, number) => `${number}`).join('\n');
    const disk = new FakeFiles({ '/ws/.geminiignore': lines, '/ws/a.txt': '' });
    const policy = new SharingPolicy({ files: disk, folders: () => ['/ws'], logger: silentLogger });
    const agent = { id: 'gemini', ignoreFiles: [{ name: '.geminiignore' }] };
    await expect(policy.verdict(agent, '/ws/a.txt')).rejects.toThrow(
      'More than 20000 ignore patterns apply.',
    );
    disk.write('/ws/.geminiignore', lines.slice(lines.indexOf('\n') + 1));
    expect(await policy.verdict(agent, '/ws/a.txt')).toEqual({ isShared: true });
  });
});

it('a great many of the longest names and patterns are judged in a moment', async () => {
  const disk = new FakeFiles({
    '/ws/.gitignore': Array.from({ length: 4_000 }, () => '*a*a*a*b').join('\n'),
  });
  const files = new IgnoreFiles((path) => disk.readText(path));
  await files.isIgnored('/ws', '/ws/x', { name: '.gitignore' });
  const startedAt = performance.now();
  expect(await files.isIgnored('/ws', `/ws/${longName}`, { name: '.gitignore' })).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(4_000);
});
