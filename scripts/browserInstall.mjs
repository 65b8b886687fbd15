import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Under these names distributions install it. */
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * Brings Chromium along, which the tests of the page drive: Debian's package where we may install one. Honours
 * `CHROMIUM_PATH`, and sets it for the programs that are started after this.
 *
 * @returns {string | undefined} what went wrong and what to do, in one line
 */
export function installBrowser() {
  const found = findBrowser() ?? installed();
  if (found !== undefined) {
    process.env.CHROMIUM_PATH = found;
    return undefined;
  }
  return 'the tests of the page need Chromium: install it (Debian and Ubuntu: sudo apt-get install chromium), or set CHROMIUM_PATH to its executable';
}

function findBrowser() {
  const wanted = process.env.CHROMIUM_PATH;
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const paths = wanted ? [wanted] : names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Where it is after installing it by apt; `undefined` where that is not ours to do or did not work. */
function installed() {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || process.env.CHROMIUM_PATH || !runs('apt-get', ['--version'])) return undefined;
  console.log('\nInstalling Chromium (apt-get) for the tests of the page …');
  const quiet = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, stdio: 'inherit' };
  runs('apt-get', ['-qq', 'update'], quiet);
  const packages = ['chromium', 'fonts-dejavu-core'];
  runs('apt-get', ['-qq', '-y', '--no-install-recommends', 'install', ...packages], quiet);
  return findBrowser();
}

function runs(command, args, options = { stdio: 'ignore' }) {
  return spawnSync(command, args, options).status === 0;
}
