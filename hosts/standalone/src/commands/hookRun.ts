import { pathToFileURL } from 'node:url';
import type { AgentId } from '@tandem/companion/agents';
import { ourHookProgram } from '../hookProgram.js';

/** `tandem hook run`: an entry that an earlier version added to an agent's settings starts it. Runs the program of today's entries. */
export async function runHook(agent: AgentId, pid: number): Promise<void> {
  const { placeProgram } = await import('@tandem/companion/hooks');
  const { file } = await placeProgram(ourHookProgram());
  process.argv = [process.execPath, file, agent, 'installed', String(pid)];
  await import(pathToFileURL(file).href);
}
