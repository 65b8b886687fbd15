import { findProgram, installByApt, isExecutable } from './aptInstall.mjs';

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
  if (!wanted) return findProgram(names);
  return isExecutable(wanted) ? wanted : undefined;
}

/** Where it is after installing it; `undefined` where another one is asked for, or it did not work. */
function installed() {
  if (process.env.CHROMIUM_PATH) return undefined;
  installByApt(['chromium', 'fonts-dejavu-core'], 'Chromium for the tests of the page');
  return findBrowser();
}
