import { findProgram, installByApt } from './aptInstall.mjs';

/**
 * Provides tmux for the tests of feedback; installs Debian's package if this process may.
 *
 * @returns {string | undefined} the problem and its solution, in one line
 */
export function installTmux() {
  if (findProgram(['tmux']) !== undefined) return undefined;
  installByApt(['tmux'], 'tmux for the tests of feedback');
  if (findProgram(['tmux']) !== undefined) return undefined;
  return 'the tests of feedback need tmux: install it (Debian: sudo apt-get install tmux)';
}
