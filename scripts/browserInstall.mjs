import { findProgram, installByApt, isExecutable } from './aptInstall.mjs';

/** Chromium without a user interface: the same engine, and a third of the work to open a page. */
const lean = 'chromium-headless-shell';
/** The names of the complete Chromium in distributions. */
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * Provides Chromium for the tests of the page; installs Debian's package if this process may. Uses `CHROMIUM_PATH` if
 * set, and sets it for programs that start later.
 *
 * @returns {string | undefined} the problem and its solution, in one line
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

/** The path after the installation; `undefined` if it failed. */
function installed() {
  installByApt([lean, 'fonts-dejavu-core'], 'Chromium for the tests of the page');
  return findProgram([lean]);
}
