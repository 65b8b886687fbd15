import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { AgentHooks, Injection, Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';
import { openOwnFolder, readPrivateFile } from '@tandem/mcp';
import { type AgentId, agentProtocols } from '../agents/agents.js';
import { stateFolder } from '../control/thisMachine.js';
import { hookCommand } from '../doctor/shell.js';
import { readBoundedFile } from '../files/boundedFile.js';

/** The program has some kilobytes. */
const maxProgramBytes = 1024 * 1024;

/** Where our program for hooks is, and how it runs. */
export interface HookProgram {
  readonly machine: Machine;
  /** The program as it is installed. Plugins are beside it. */
  readonly program: Path;
  /** The Node.js that runs it. */
  readonly node: Path;
  /** Whether that is a program such as VS Code, which is Node.js only if a variable says so. */
  readonly isElectron?: boolean;
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
  const program = hooks.plugin === undefined ? how.program : join(dirname(how.program), hooks.plugin);
  const { version, file } = await placeProgram({ ...how, program });
  const folder = join(version, agent);
  const node = how.isElectron ? ['env', 'ELECTRON_RUN_AS_NODE=1', how.node] : [how.node];
  const command = hookCommand([...node, file], agent, 'injected');
  const { files, ...start } = hooks.inject({ folder, command, program: file, env: how.machine.env });
  for (const [name, text] of Object.entries(files)) place(join(folder, name), text);
  const { firstWords = [] } = hooks;
  return { ...start, program: file, firstWords };
}

/** Copies the program to a folder that is named by its content: an agent that runs keeps its version when Tandem is upgraded, moved or removed. */
export async function placeProgram({
  machine,
  program,
  node,
}: HookProgram): Promise<{ readonly version: Path; readonly file: Path }> {
  const { bytes } = await readBoundedFile(program, { maxBytes: maxProgramBytes });
  const content = bytes.toString('utf8');
  const all = join(stateFolder(machine), 'hooks');
  const version = join(all, createHash('sha256').update(`${node}\0${content}`).digest('hex').slice(0, 16));
  for (const folder of [all, version]) openOwnFolder(folder);
  const file = join(version, basename(program));
  place(file, content);
  return { version, file };
}

/** Writes a file of ours, unless it is there. */
export function place(file: Path, content: string, mode = 0o600): void {
  if (readPrivateFile(file) === content) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.${process.pid}`, content, { mode });
  renameSync(`${file}.${process.pid}`, file);
}
