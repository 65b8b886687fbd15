import { findProgram, installByApt, isExecutable } from './aptInstall.mjs';

/** Chromium without its windows, bars and tabs: the same engine, and a third of the work for a page that is opened. */
const lean = 'chromium-headless-shell';
/** Under these names distributions install it, with all of that. */
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * Brings Chromium along, which the tests of the page drive: Debian's package where we may install one. Honours
 * `CHROMIUM_PATH`, and sets it for the programs that are started after this.
 *
 * @returns {string | undefined} what went wrong and what to do, in one line
 */
export function installBrowser() {
  const wanted = process.env.CHROMIUM_PATH;
  const found = wanted ? executable(wanted) : (findProgram([lean]) ?? installed() ?? findProgram(names));
  if (found !== undefined) {
    process.env.CHROMIUM_PATH = found;
    return undefined;
  }
  return `the tests of the page need Chromium: install it (Debian: sudo apt-get install ${lean}), or set CHROMIUM_PATH to its executable`;
}

function executable(path) {
  return isExecutable(path) ? path : undefined;
}

/** Where it is after installing it; `undefined` where that did not work. */
function installed() {
  installByApt([lean, 'fonts-dejavu-core'], 'Chromium for the tests of the page');
  return findProgram([lean]);
}
