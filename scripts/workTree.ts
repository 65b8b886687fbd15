import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** A snapshot of a work tree: git's status of each changed path, without ignored files. */
export type WorkTree = ReadonlyMap<string, string>;

/**
 * Reads how the work tree of a folder differs from its last commit, with a digest of each changed file, so that a
 * second change is detected, too. Throws if git is missing or the folder is not in a repository.
 */
export function readWorkTree(folder: string): WorkTree {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', folder, ...args], {
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Otherwise git would refresh its index, which another git process may have locked.
      env: { ...withoutGitVariables(process.env), GIT_OPTIONAL_LOCKS: '0' },
    });
  const top = git('rev-parse', '--show-toplevel').replace(/\n$/, '');
  const status = git('status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--', '.');
  return new Map(
    status
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => [entry.slice(3), `${entry.slice(0, 2)} ${digestOf(join(top, entry.slice(3)))}`]),
  );
}

/** The paths that differ between two snapshots, sorted. */
export function changedPaths(before: WorkTree, after: WorkTree): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

/** In a git hook, these variables name another repository. */
export function withoutGitVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')));
}

function digestOf(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  if (!found?.isFile()) return found === undefined ? 'missing' : 'not a file';
  return `${found.mode.toString(8)} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
}
