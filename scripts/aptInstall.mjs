import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Finds the first of these programs that is on the PATH.
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
 * Installs Debian packages if this process is root and apt exists. The caller checks whether the programs exist
 * afterwards.
 *
 * @param {readonly string[]} packages
 * @param {string} the description in the message to the user
 */
export function installByApt(packages, what) {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || findProgram(['apt-get']) === undefined) return;
  console.log(`\nInstalling ${what} (apt-get) …`);
  const quiet = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, stdio: 'inherit' };
  spawnSync('apt-get', ['-qq', 'update'], quiet);
  spawnSync('apt-get', ['-qq', '-y', '--no-install-recommends', 'install', ...packages], quiet);
}
