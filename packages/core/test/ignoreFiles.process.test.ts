import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FileCache } from '@tandem/core';
import { FakeFiles } from '@tandem/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IgnoreFiles } from '../src/sharing/ignoreFiles.js';

const name = fc.constantFrom('a', 'b', 'c.log', '.d');
const folder = fc.array(name, { maxLength: 2 });
const file = fc.array(name, { minLength: 1, maxLength: 4 });

/**
 * No brackets that contain a slash: git searches for a closing bracket after the slash; we treat the pattern as
 * invalid.
 */
const glob = fc.oneof(
  name,
  fc.constantFrom(
    '*',
    '*.log',
    '?',
    '[ab]',
    '**',
    '.*',
    '[!a]',
    '[^.]*',
    '[a-c]*',
    '[[:alpha:]]',
    '\\a',
    '[]a]',
  ),
  fc.constantFrom(
    'a\\',

    'A',
    '*.[lo]og',
    'c*.*g',
    '?*',
    'a ',
    'a\\ ',
    '[a\\]]',
    '[Z-b]',
    '**a',
    '\\[',
    '[-a]',
    '[b-]',
  ),
);
const pattern = fc
  .record({
    bang: fc.constantFrom('', '', '!'),
    start: fc.constantFrom('', '', '/', '**/'),
    middle: fc.array(glob, { minLength: 1, maxLength: 3 }),
    end: fc.constantFrom('', '', '/', '/**', '/*'),
  })
  .map(({ bang, start, middle, end }) => `${bang}${start}${middle.join('/')}${end}`);
const ignoreFiles = fc.array(fc.tuple(folder, fc.array(pattern, { minLength: 1, maxLength: 4 })), {
  minLength: 1,
  maxLength: 4,
});

describe('the ignore files', () => {
  it('agree with git about every path', async () => {
    await fc.assert(
      fc.asyncProperty(
        ignoreFiles,
        fc.array(file, { minLength: 5, maxLength: 20 }),
        async (ignores, files) => {
          // Only paths of files are compared; a path that contains an ignore file is a folder.
          const isFolder = (path: string) =>
            ignores.some(([at]) => `${at.join('/')}/`.startsWith(`${path}/`));
          const paths = [...new Set(files.map((parts) => parts.join('/')))].filter((path) => !isFolder(path));
          const texts = Object.fromEntries(
            ignores.map(([at, lines]) => [[...at, '.gitignore'].join('/'), lines.join('\n')]),
          );
          const ours = await ignoredByUs(texts, paths);
          expect(ours).toEqual(ignoredByGit(texts, paths));
        },
      ),
      {
        numRuns: 100,
        examples: [
          [
            [
              [[], ['a']],
              [['b'], ['!/**']],
            ],
            [['b', '.d', 'a'], ['a']],
          ],
        ],
      },
    );
  });
});

async function ignoredByUs(texts: Record<string, string>, paths: readonly string[]): Promise<string[]> {
  const disk = new FakeFiles();
  for (const [path, text] of Object.entries(texts)) disk.write(`/ws/${path}`, text);
  const rules = new IgnoreFiles();
  const cache = new FileCache(disk);
  const ignored: string[] = [];
  for (const path of paths) {
    if (await rules.isIgnored(cache, '/ws', `/ws/${path}`, { name: '.gitignore' })) ignored.push(path);
  }
  return ignored;
}

/** git can check paths that do not exist, but the folders of ignore files must exist. */
function ignoredByGit(texts: Record<string, string>, paths: readonly string[]): string[] {
  const repository = mkdtempSync(join(tmpdir(), 'ignore-'));
  try {
    const git = (args: string[], input = ''): string => {
      const settings = ['-c', 'core.ignorecase=true', '-c', 'core.excludesFile='];
      const { status, stdout, stderr } = spawnSync('git', [...settings, ...args], {
        cwd: repository,
        input,
        encoding: 'utf8',
      });
      // 1 means that no path is ignored.
      if (status !== 0 && status !== 1) throw new Error(`git failed: ${stderr}`);
      return stdout;
    };
    git(['init', '-q']);
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(repository, path)), { recursive: true });
      writeFileSync(join(repository, path), text);
    }
    // With -v and -n, git reports every path: source, line, pattern, path.
    const report = git(['check-ignore', '--no-index', '-z', '-v', '-n', '--stdin'], paths.join('\0')).split(
      '\0',
    );
    return paths.filter((_, at) => {
      const rule = report[4 * at + 2] ?? '';
      return rule !== '' && !rule.startsWith('!');
    });
  } finally {
    rmSync(repository, { recursive: true, force: true });
  }
}
