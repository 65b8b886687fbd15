import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * Installs a package's dependencies from its lock file, unless they are installed. No install script runs.
 *
 * @param {string} folder absolute path of the package, without a slash at its end
 * @param {string} the description in the message to the user
 * @returns {string | undefined} what went wrong, in one line
 */
export function installLocked(folder, what) {
  if (isInstalled(folder)) return undefined;
  console.log(`\nInstalling ${what} into ${folder} …`);
  const problem = runNpmCi(folder);
  if (problem !== undefined) return problem;
  return isInstalled(folder)
    ? undefined
    : `"npm ci" in ${folder} did not install all packages of its lock file`;
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
  // `npm test` passes the root's engine-strict setting on, but these programs run on other Node.js versions than the
  // tests.
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

/** Whether npm's record of the installed packages equals the lock file. */
function isInstalled(folder) {
  const record = `${folder}/node_modules/.package-lock.json`;
  if (!existsSync(record)) return false;
  const wanted = packagesOf(`${folder}/package-lock.json`);
  const found = packagesOf(record);
  delete wanted[''];
  const isSame = ([path, { version, integrity, optional }]) => {
    const other = found[path];
    // A missing optional package belongs to another platform.
    if (other === undefined) return optional === true;
    return other.version === version && other.integrity === integrity;
  };
  return Object.entries(wanted).every(isSame) && Object.keys(found).every((path) => path in wanted);
}

function packagesOf(path) {
  return { ...JSON.parse(readFileSync(path, 'utf8')).packages };
}
