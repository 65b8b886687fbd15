import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { thisMachine } from '@tandem/companion/control';
import type { HookProgram } from '@tandem/companion/hooks';
import { CommandError } from './exitCode.js';

/** Our program for hooks, beside the command or beside its chunks. @throws CommandError if it is missing */
export function ourHookProgram(): HookProgram {
  const places = ['./hook.mjs', '../hook.mjs', '../dist/hook.mjs', '../../dist/hook.mjs'];
  const program = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  if (program === undefined) {
    throw new CommandError('dist/hook.mjs is missing from this installation. Install the package again.');
  }
  return { machine: thisMachine(), program, node: process.execPath };
}
