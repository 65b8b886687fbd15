import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Injection, Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';
import { openOwnFolder, readPrivateFile } from '@tandem/mcp';
import { type AgentId, agentProtocols } from '../agents/agents.js';
import { stateFolder } from '../control/thisMachine.js';
import { shellWord } from '../doctor/shell.js';
import { readBoundedFile } from '../files/boundedFile.js';

/** The program has some kilobytes. */
const maxProgramBytes = 1024 * 1024;

/** What starts an agent with hooks, for one process. Undefined if it has none that Tandem uses, or not on this system. */
export async function placeHooks(
  agent: AgentId,
  {
    machine,
    program,
    node,
  }: {
    readonly machine: Machine;
    /** Our program for hooks, as it is installed. */
    readonly program: Path;
    /** The Node.js that runs it. */
    readonly node: Path;
  },
): Promise<Omit<Injection, 'files'> | undefined> {
  const hooks = await agentProtocols[agent].hooks?.();
  // The entries are commands for a POSIX shell.
  if (hooks === undefined || machine.platform === 'win32') return undefined;
  const { bytes } = await readBoundedFile(program, { maxBytes: maxProgramBytes });
  const content = bytes.toString('utf8');
  // A running agent keeps its version when Tandem is upgraded, moved or removed.
  const all = join(stateFolder(machine), 'hooks');
  const version = join(all, createHash('sha256').update(`${node}\0${content}`).digest('hex').slice(0, 16));
  for (const folder of [all, version]) openOwnFolder(folder);
  const file = join(version, 'hook.mjs');
  place(file, content);
  const folder = join(version, agent);
  const { files, ...start } = hooks.inject({
    folder,
    command: hookCommand(node, file, agent, 'injected'),
  });
  for (const [name, text] of Object.entries(files)) place(join(folder, name), text);
  return start;
}

/**
 * The shell command of a hook. It never fails: exit codes are decisions for some agents. The parent of the shell is the agent.
 */
export function hookCommand(
  node: Path,
  file: Path,
  agent: AgentId,
  origin: 'injected' | 'installed',
): string {
  return `${shellWord(node)} ${shellWord(file)} ${agent} ${origin} "$PPID" || exit 0`;
}

/** Writes a file of ours, unless it is there. */
function place(file: Path, content: string): void {
  if (readPrivateFile(file) === content) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.${process.pid}`, content, { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
}
