import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { thisMachine } from '@tandem/companion/control';
import type { HookProgram } from '@tandem/companion/hooks';
import { CommandError } from './exitCode.js';

/** Our program for hooks. Undefined if it is missing. */
export function findHookProgram(): HookProgram | undefined {
  const program = findFile('hook.mjs');
  return program === undefined ? undefined : { machine: thisMachine(), program, node: process.execPath };
}

/** The same. @throws CommandError if it is missing */
export function ourHookProgram(): HookProgram {
  const found = findHookProgram();
  if (found !== undefined) return found;
  throw new CommandError('dist/hook.mjs is missing from this installation. Install the package again.');
}

/** The bundle that looks at the folders, for `CompanionOptions.changes`. Undefined if it is missing: commands are not recorded then. */
export function findScanWorker(): { readonly workerFile: string } | undefined {
  const workerFile = findFile('scanWorker.mjs');
  return workerFile === undefined ? undefined : { workerFile };
}

/** A bundle beside the command or beside its chunks. */
function findFile(name: string): string | undefined {
  const places = ['./', '../', '../dist/', '../../dist/'];
  return places.map((place) => fileURLToPath(new URL(`${place}${name}`, import.meta.url))).find(existsSync);
}
