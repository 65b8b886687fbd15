import { pathToFileURL } from 'node:url';
import type { AgentId } from '@tandem/companion/agents';
import { ourHookProgram } from '../ourFiles.js';

/** `tandem hook run`: an entry that an earlier version added to an agent's settings starts it. Runs the program of today's entries. */
export async function runHook(agent: AgentId, pid: number): Promise<void> {
  const { placeProgram } = await import('@tandem/companion/hooks');
  const { program } = await placeProgram(agent, {}, ourHookProgram(), { origin: 'installed' });
  process.argv = [process.execPath, program, agent, 'installed', String(pid)];
  await import(pathToFileURL(program).href);
}
