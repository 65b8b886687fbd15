import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Scratch, TandemProcess } from './tandemProcess.js';

const agentProcess = fileURLToPath(new URL('./agentProcess.mjs', import.meta.url));

export type Guest = 'opencode' | 'kilo';

/** Connects like opencode or Kilo CLI, in a process whose program has that name: the companion distinguishes them by it. */
export async function startGuest(
  scratch: Scratch,
  companion: TandemProcess,
  agent: Guest,
): Promise<TandemProcess> {
  const program = join(scratch.root, agent);
  if (!existsSync(program)) copyFileSync(process.execPath, program);
  const { url, token } = (await companion.event('ready')).agents.claude;
  const client = scratch.startProgram(program, [agentProcess, agent, url, token]);
  const { agent: servedAs } = await companion.event(
    'session.connected',
    ({ client: { name } }) => name === agent,
  );
  if (servedAs !== agent) throw new Error(`${agent} is served as ${servedAs}.`);
  return client;
}

/** Selects the first line of a file in the editor, and resolves when the client has received it. */
export async function receivesSelection(
  scratch: Scratch,
  client: TandemProcess,
  path: string,
  text: string,
): Promise<void> {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: text.length } };
  await scratch.call('focus', { path, range });
  await client.event('selection', (each) => each.filePath === path && each.text === text);
}
