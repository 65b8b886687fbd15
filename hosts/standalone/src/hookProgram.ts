import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { thisMachine } from '@tandem/companion/control';
import type { HookProgram } from '@tandem/companion/hooks';
import { CommandError } from './exitCode.js';

const places = ['./hook.mjs', '../hook.mjs', '../dist/hook.mjs', '../../dist/hook.mjs'];

/** Our program for hooks, beside the command or beside its chunks. Undefined if it is missing. */
export function findHookProgram(): HookProgram | undefined {
  const program = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  return program === undefined ? undefined : { machine: thisMachine(), program, node: process.execPath };
}

/** The same. @throws CommandError if it is missing */
export function ourHookProgram(): HookProgram {
  const found = findHookProgram();
  if (found !== undefined) return found;
  throw new CommandError('dist/hook.mjs is missing from this installation. Install the package again.');
}
