import type { FoundCompanion } from '@tandem/companion/control';
import { ask, findCompanionFor } from '../connectCompanion.js';
import { startLines } from '../introduction.js';
import { commandName, print } from '../output.js';
import { findProgram } from '../runProgram.js';
import { statusText } from '../statusText.js';

/**
 * `tandem` without arguments in a terminal: shows the companion of this folder, what is pending in it and how to connect an
 * agent; starts a companion if there is none.
 */
export async function start(version: string): Promise<void> {
  const cwd = process.cwd();
  const companion = await findCompanionFor(cwd);
  if (companion === undefined) return (await import('./serve.js')).serve([], { version });
  await show(companion, cwd);
}

/** `tandem` without a terminal: shows the companion of this folder. Resolves to whether there is one. */
export async function showRunning(): Promise<boolean> {
  const cwd = process.cwd();
  const companion = await findCompanionFor(cwd);
  if (companion !== undefined) await show(companion, cwd);
  return companion !== undefined;
}

async function show(companion: FoundCompanion, cwd: string): Promise<void> {
  const status = await ask(companion, 'status', {});
  const lines = startLines(status.agents, findProgram);
  print([statusText(status, cwd), '', ...lines, '', `All commands: ${commandName} --help`].join('\n'));
}
