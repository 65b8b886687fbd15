import { findProgram, installByApt } from './aptInstall.mjs';

/**
 * Provides Emacs, without a window system, for the tests of its package; installs Debian's package if this process may.
 *
 * @returns {string | undefined} the problem and its solution, in one line
 */
export function installEmacs() {
  if (findProgram(['emacs']) !== undefined) return undefined;
  installByApt(['emacs-nox'], 'Emacs for the tests of its package');
  if (findProgram(['emacs']) !== undefined) return undefined;
  return 'the tests of the Emacs package need Emacs 28 or later: install it (Debian: sudo apt-get install emacs-nox)';
}
