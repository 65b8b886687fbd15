import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { AgentHooks, HookCommands, Injection, Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';
import { openOwnFolder } from '@tandem/mcp';
import { type AgentId, agentIds, agentProtocols } from '../agents/agents.js';
import { stateFolder } from '../control/thisMachine.js';
import { readBoundedFile } from '../files/boundedFile.js';
import { hookCommands } from './hookCommands.js';
import { hookScript, hookScriptName } from './hookScript.js';
import { place } from './placeFile.js';
import { markUsed, removeUnused } from './versions.js';

/** The program has some kilobytes. */
const maxProgramBytes = 1024 * 1024;

/** Where our program for hooks is, and how it runs. */
export interface HookProgram {
  readonly machine: Machine;
  /** The program as it is installed. Plugins are beside it. */
  readonly program: Path;
  /** The Node.js that runs it, or a program such as VS Code that contains it. */
  readonly node: Path;
}

/** What starts an agent with hooks. `program`: what the hooks run. */
export interface PlacedHooks extends Omit<Injection, 'files'>, Pick<AgentHooks, 'firstWords'> {
  readonly program: Path;
}

/** What starts an agent with hooks, for one process. Undefined if it has none that Tandem uses, or not on this system. */
export async function placeHooks(agent: AgentId, how: HookProgram): Promise<PlacedHooks | undefined> {
  const hooks = await agentProtocols[agent].hooks?.();
  // The entries are commands for a POSIX shell.
  if (hooks === undefined || how.machine.platform === 'win32') return undefined;
  const { version, commands, program } = await placeProgram(agent, hooks, how, { origin: 'injected' });
  const folder = join(version, agent);
  const { files, ...start } = hooks.inject({ folder, commands, program, env: how.machine.env });
  for (const [name, text] of Object.entries(files)) place(join(folder, name), text);
  const { firstWords = [] } = hooks;
  return { ...start, program, firstWords };
}

/** A copy of our program. */
interface PlacedProgram {
  /** Its folder. */
  readonly version: Path;
  readonly commands: HookCommands;
  readonly program: Path;
}

/**
 * Copies the program to a folder that is named by its content: an agent that runs keeps its version when Tandem is upgraded, moved or
 * removed. Removes copies that nothing uses.
 */
export async function placeProgram(
  agent: AgentId,
  { plugin }: Pick<AgentHooks, 'plugin'>,
  { machine, program: installed, node }: HookProgram,
  {
    origin,
    options = [],
  }: { readonly origin: 'injected' | 'installed'; readonly options?: readonly string[] },
): Promise<PlacedProgram> {
  const source = plugin === undefined ? installed : join(dirname(installed), plugin);
  const { bytes } = await readBoundedFile(source, { maxBytes: maxProgramBytes });
  const content = bytes.toString('utf8');
  const all = join(stateFolder(machine), 'hooks');
  const hash = createHash('sha256').update(`${node}\0${hookScript}\0${content}`).digest('hex');
  const version = join(all, hash.slice(0, 16));
  for (const folder of [all, version]) openOwnFolder(folder);
  markUsed(version);
  const program = join(version, basename(source));
  place(program, content);
  const starts = { script: join(version, hookScriptName), node };
  if (plugin === undefined) place(starts.script, hookScript);
  const files = agentIds.flatMap((id) => agentProtocols[id].hookFile?.(machine) ?? []);
  await removeUnused(all, files);
  return { version, commands: hookCommands(starts, agent, origin, options), program };
}
