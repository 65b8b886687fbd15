import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Sandbox } from './sandbox.js';

/** The folder of the package, which tests put on Emacs' load path. */
export const emacsPackage = fileURLToPath(new URL('../../editors/emacs', import.meta.url));

/** Why the tests with Emacs cannot run; undefined if it is installed. */
export function missingEmacs(): string | undefined {
  try {
    execFileSync('emacs', ['--version']);
    return undefined;
  } catch {
    return 'Emacs is not installed (Debian: sudo apt-get install emacs-nox)';
  }
}

/** Runs Emacs without a terminal, to its end, and returns what it printed. Rejects with that if it fails. */
export async function batchEmacs(sandbox: Sandbox, ...args: string[]): Promise<string> {
  const command = ['-Q', '--batch', '-L', emacsPackage, ...args];
  const { stdout, stderr } = await promisify(execFile)('emacs', command, { env: sandbox.environment() });
  return stdout + stderr;
}
