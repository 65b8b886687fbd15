import type { Machine } from '@tandem/agents';
import { agentsWithHook } from '../agents/agents.js';
import { commandOnPath, installCommand } from '../doctor/programs.js';

/**
 * How the user gives an agent its hooks on this machine; empty where hooks do not work. `command`: how the user runs the
 * `tandem` command, if that is known; otherwise it is looked for on the PATH.
 */
export async function hookHint(agent: string, machine: Machine, command?: string): Promise<string> {
  if (machine.platform === 'win32') return '';
  const tandem = command ?? (await commandOnPath(machine)) ?? `${installCommand} && tandem`;
  const canInstall = agentsWithHook.some((each) => each === agent);
  const words = canInstall ? `run: ${tandem} hook install ${agent}` : `start it with: ${tandem} run ${agent}`;
  return ` To let it receive feedback by itself next time, ${words}`;
}
