import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { root } from './devTool.mjs';

const folder = `${root}e2e`;

/**
 * Brings the programs under test into e2e/node_modules, exactly as its lock file says, unless they are there.
 *
 * @returns {string | undefined} what went wrong, in one line
 */
export function installE2e() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return `the tests in e2e/ run real agent CLIs pinned for linux-x64; this is ${process.platform}-${process.arch}`;
  }
  if (isInstalled()) return undefined;
  console.log('\nInstalling the pinned agent CLIs into e2e/ …');
  // `npm test` hands the root's engine-strict down, and Qwen Code asks for a newer Node than the tests run on.
  const args = ['ci', '--ignore-scripts', '--engine-strict=false', '--no-audit', '--no-fund'];
  const npm = process.env.npm_execpath;
  const [command, ...before] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const { status, error } = spawnSync(command, [...before, ...args], { cwd: folder, stdio: 'inherit' });
  if (error !== undefined) return `npm could not be started: ${error.message}`;
  if (status !== 0) return `"npm ci" in e2e/ ended with code ${status}`;
  return isInstalled() ? undefined : '"npm ci" in e2e/ did not install what its lock file says';
}

/** Whether npm's record of what it installed says the same as the lock file. */
function isInstalled() {
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
