import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * Brings a package's dependencies into its node_modules exactly as its lock file says, unless they are there. No
 * install script runs.
 *
 * @param {string} folder absolute path of the package, without a slash at its end
 * @param {string} what a user is told is being installed
 * @returns {string | undefined} what went wrong, in one line
 */
export function installLocked(folder, what) {
  if (isInstalled(folder)) return undefined;
  console.log(`\nInstalling ${what} into ${folder} …`);
  const problem = runNpmCi(folder);
  if (problem !== undefined) return problem;
  return isInstalled(folder) ? undefined : `"npm ci" in ${folder} did not install what its lock file says`;
}

/**
 * Runs `npm ci` in a folder, without install scripts.
 *
 * @param {string} folder
 * @param {readonly string[]} [options] more of npm's options
 * @returns {string | undefined} what went wrong, in one line
 */
export function runNpmCi(folder, options = []) {
  return runNpm(folder, ['ci', '--ignore-scripts', ...options]);
}

/**
 * Runs npm in a folder, to its end.
 *
 * @param {string} folder
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, stdio?: 'inherit' | 'ignore' }} [options]
 * @returns {string | undefined} what went wrong, in one line
 */
export function runNpm(folder, args, { env = process.env, stdio = 'inherit' } = {}) {
  // `npm test` hands the root's engine-strict down, and what is installed here runs on other Nodes than the tests.
  const quiet = ['--engine-strict=false', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const [command, ...before] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const { status, error } = spawnSync(command, [...before, ...args, ...quiet], {
    cwd: folder,
    env,
    stdio,
  });
  if (error !== undefined) return `npm could not be started: ${error.message}`;
  return status === 0 ? undefined : `"npm ${args[0]}" in ${folder} ended with code ${status}`;
}

/** Whether npm's record of what it installed says the same as the lock file. */
function isInstalled(folder) {
  const record = `${folder}/node_modules/.package-lock.json`;
  if (!existsSync(record)) return false;
  const wanted = packagesOf(`${folder}/package-lock.json`);
  const found = packagesOf(record);
  delete wanted[''];
  const isSame = ([path, { version, integrity, optional }]) => {
    const other = found[path];
    // What is optional and missing belongs to another platform.
    if (other === undefined) return optional === true;
    return other.version === version && other.integrity === integrity;
  };
  return Object.entries(wanted).every(isSame) && Object.keys(found).every((path) => path in wanted);
}

function packagesOf(path) {
  return { ...JSON.parse(readFileSync(path, 'utf8')).packages };
}
