import { root } from './devTool.mjs';
import { installLocked } from './lockedInstall.mjs';

/**
 * Installs the programs under test into e2e/node_modules from its lock file, unless they are installed.
 *
 * @returns {string | undefined} the problem, in one line
 */
export function installE2e() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return `the tests in e2e/ run real agent CLIs pinned for linux-x64; this is ${process.platform}-${process.arch}`;
  }
  return installLocked(`${root}e2e`, 'the pinned agent CLIs');
}
