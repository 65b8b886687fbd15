import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hookVariables } from '@tandem/agents';
import { describeError, type Logger, type Path } from '@tandem/core';
import { isAlive, openOwnFolder, readPrivateFile, removeQuietly } from '@tandem/mcp';
import type { HookMode } from '@tandem/reviews';
import { type AgentId, agentProtocols, descriptorOf } from '../agents/agents.js';
import { stateFolder } from '../control/thisMachine.js';
import { placeDefaults } from './defaultsFile.js';
import { launcherMark, launcherText } from './launcher.js';
import { place } from './placeFile.js';
import { type HookProgram, placeHooks } from './placeHooks.js';

/** A folder of launchers. */
interface LauncherFolder {
  readonly folder: Path;
  readonly agents: readonly AgentId[];
  readonly mode: HookMode;
  /** Of the companion of this process. */
  readonly port: number;
  /** Whether it still runs. */
  readonly isWanted: () => boolean;
}

/** Places a launcher for each agent, and removes those of companions that were killed. */
export async function placeLaunchers(of: LauncherFolder, how: HookProgram, logger: Logger): Promise<void> {
  const { folder, agents, isWanted } = of;
  const all = dirname(folder);
  for (const each of [dirname(all), all]) openOwnFolder(each);
  removeAbandoned(all);
  for (const agent of agents) {
    const { program } = descriptorOf(agent);
    const text = await textOf(agent, of, how, logger).catch((error: unknown) => {
      logger.warn('an agent in terminals gets no hooks', { agent, error: describeError(error) });
      return undefined;
    });
    if (!isWanted()) return;
    openOwnFolder(folder);
    place(join(folder, launcherMark), String(process.pid));
    if (text === undefined) removeQuietly(join(folder, program));
    else place(join(folder, program), text, 0o700);
  }
}

/** Undefined if the agent gets no hooks. */
async function textOf(
  agent: AgentId,
  { mode, port }: LauncherFolder,
  how: HookProgram,
  logger: Logger,
): Promise<string | undefined> {
  const { machine, node } = how;
  const start = await placeHooks(agent, how);
  if (start === undefined) return undefined;
  const site = {
    ...machine,
    stateFolder: stateFolder(machine),
    report: (reason: string) => logger.warn('a file of defaults is not used', { agent, reason }),
  };
  const defaults = start.settings && (await placeDefaults(agent, site, start.settings));
  if (start.settings !== undefined && defaults === undefined) return undefined;
  const { settingsVariable } = agentProtocols[agent].diagnosis.defaults ?? {};
  const env = { ...start.env, ...defaults?.env };
  const read = [...Object.keys(env), ...(defaults && settingsVariable ? [settingsVariable] : [])];
  return launcherText({
    agent,
    program: descriptorOf(agent).program,
    mode,
    args: start.args,
    env,
    firstWords: start.firstWords,
    expected: {
      ...Object.fromEntries(read.map((name) => [name, machine.env[name] ?? ''])),
      [hookVariables.port]: String(port),
    },
    needed: [node, start.program],
    made: defaults?.source === undefined ? undefined : { of: defaults.source, file: defaults.file },
    companion: process.pid,
  });
}

/** Removes the folders of processes that have ended. */
function removeAbandoned(all: Path): void {
  for (const name of readdirSync(all)) {
    const pid = readPrivateFile(join(all, name, launcherMark));
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(all, name), { recursive: true, force: true });
  }
}
