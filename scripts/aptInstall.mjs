import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The first of some programs that the PATH has.
 *
 * @param {readonly string[]} names
 * @returns {string | undefined} its absolute path
 */
export function findProgram(names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** @param {string} path */
export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Installs Debian's packages where that is ours to do: as root, with apt. Whether it worked shows in what is there after.
 *
 * @param {readonly string[]} packages
 * @param {string} what a user is told is being installed
 */
export function installByApt(packages, what) {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || findProgram(['apt-get']) === undefined) return;
  console.log(`\nInstalling ${what} (apt-get) …`);
  const quiet = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, stdio: 'inherit' };
  spawnSync('apt-get', ['-qq', 'update'], quiet);
  spawnSync('apt-get', ['-qq', '-y', '--no-install-recommends', 'install', ...packages], quiet);
}
