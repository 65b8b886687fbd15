/**
 * Installs the programs of the end-to-end tests: the pinned agent CLIs, Chromium, and the editors. `npm test` runs
 * this in the background while the tests of the packages run, so it has a low priority. A second run changes
 * nothing. With `--all` it installs also what only exhaustive tests use.
 */
import { setPriority } from 'node:os';
import { installBrowser } from './browserInstall.mjs';
import { installE2e } from './e2eInstall.mjs';
import { installE2eVscode } from './e2eVscodeInstall.mjs';
import { installEmacs } from './emacsInstall.mjs';
import { installNeovim } from './neovimInstall.mjs';

setPriority(10);
const problems = [
  installE2e(),
  installBrowser(),
  installEmacs(),
  installNeovim(),
  installE2eVscode({ withOldest: process.argv.includes('--all') }),
].filter((problem) => problem !== undefined);
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
