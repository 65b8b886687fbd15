import type { Machine } from '@tandem/agents';
import { commandOnPath, installCommand } from '../doctor/programs.js';

/**
 * How the user installs the hook of an agent on this machine; empty where hooks do not work. `command`: how the user runs the
 * `tandem` command, if that is known; otherwise it is looked for on the PATH.
 */
export async function hookHint(agent: string, machine: Machine, command?: string): Promise<string> {
  if (machine.platform === 'win32') return '';
  const run = command ?? (await commandOnPath(machine)) ?? `${installCommand} && tandem`;
  return ` To let it continue by itself next time, run: ${run} hook install ${agent}`;
}
