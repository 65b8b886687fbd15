import { realpathSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import {
  type AgentId,
  descriptorOf,
  hookVariables,
  type Injection,
  nameOfAgent,
  splitFolderProblem,
} from '@tandem/companion/agents';
import {
  type AgentConnection,
  type FoundCompanion,
  stateFolder,
  thisMachine,
} from '@tandem/companion/control';
import { describeError, isWithin, type Path, visibleName } from '@tandem/core';
import type { HookMode } from '@tandem/reviews';
import { askingFlags, ideModeFor } from '../agentStart.js';
import { companionOrNew } from '../backgroundCompanion.js';
import { ask, type CompanionChoice, chooseCompanion, findCompanionFor } from '../connectCompanion.js';
import { CommandError, exitCode } from '../exitCode.js';
import { ourHookProgram } from '../ourFiles.js';
import { commandName, printError } from '../output.js';
import { findProgram, runProgram } from '../runProgram.js';

/** The arguments and variables that make an agent run our hooks, if it has some. */
async function startWithHooks(
  agent: AgentId,
  mode: HookMode,
  args: readonly string[],
  { hooks: variables }: AgentConnection,
): Promise<Omit<Injection, 'files'>> {
  const none = { args: [], env: {} };
  if (variables === undefined) return none;
  // Those that were added for good yield, too.
  if (mode === 'off') return { args: [], env: { [hookVariables.agent]: agent, [hookVariables.mode]: mode } };
  const { placeHooks } = await import('@tandem/companion/hooks');
  const start = await placeHooks(agent, ourHookProgram());
  if (start === undefined || start.firstWords?.includes(args[0] ?? '')) return none;
  return { ...start, env: { ...start.env, ...variables, [hookVariables.mode]: mode } };
}

const flagsReason = 'so that it asks before it edits (its default, auto, never opens a diff)';

/** The pause before a companion that has restarted is looked for, in milliseconds. */
const retryMs = 1_000;

/**
 * Follows the events of a companion, also of one that restarts: it does not stop meanwhile, and agents find it in this
 * folder. Resolves when the signal aborts.
 */
async function stayWith(companion: FoundCompanion, cwd: Path, signal: AbortSignal): Promise<void> {
  let current: FoundCompanion | undefined = companion;
  while (!signal.aborted) {
    await current?.client.followEvents(() => {}, { signal, folder: cwd }).catch(() => undefined);
    await setTimeout(retryMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) current = await findCompanionFor(cwd);
  }
}

/** `tandem run`: starts an agent CLI connected to this folder's companion, and returns its exit code. */
export async function run(
  agent: AgentId,
  args: readonly string[],
  { hooks: mode = 'before', ...choice }: CompanionChoice & { readonly hooks?: HookMode | undefined },
): Promise<void> {
  const { displayName, program, install, connectsThrough } = descriptorOf(agent);
  const found = findProgram(program);
  if (found === undefined) {
    throw new CommandError(
      `${displayName} is not installed: "${program}" is neither on the PATH nor in node_modules/.bin. Install it with: ${install}`,
    );
  }
  if (found !== program) printError(`tandem: starting ${visibleName(found)}`);
  const cwd = process.cwd();
  const companion =
    choice.companion === undefined ? await companionOrNew(cwd) : await chooseCompanion(cwd, choice);
  const connections = await ask(companion, 'connections', {});
  const connection = connections.find(({ id }) => id === agent);
  const missing = [agent, connectsThrough].find((id) => id && !connections.some((each) => each.id === id));
  if (connection === undefined || missing !== undefined) {
    throw new CommandError(
      `The companion (process ${companion.pid}) does not serve ${nameOfAgent(missing ?? agent)}${missing === connectsThrough ? `, through which ${displayName} connects` : ''}. Start one that does: ${commandName} serve --another`,
    );
  }
  const split = companion.workspaceFolders
    .filter((folder) => isWithin(folder, realpathSync(cwd)))
    .map((folder) => splitFolderProblem(folder, [agent]));
  const problem = connection.problem ?? (split.includes(undefined) ? undefined : split[0]);
  if (problem !== undefined) printError(`tandem: ${visibleName(problem)}`);
  const hooks = await startWithHooks(agent, mode, args, connection);
  const stay = new AbortController();
  const following = stayWith(companion, cwd, stay.signal);
  // Where its mode decides what waits, the user's mode stays.
  const flags = mode === 'follow' || mode === 'after' ? [] : askingFlags(agent, args);
  if (flags.length > 0) printError(`tandem: ${program} ${flags.join(' ')}, ${flagsReason}.`);
  const machine = thisMachine();
  const host = { ...machine, cwd, stateFolder: stateFolder(machine) };
  const { env, hint, isOff } = await ideModeFor(agent, host, hooks.settings?.hooks);
  const canAsk = isOff && process.stdin.isTTY && process.stderr.isTTY;
  const isOnNow = canAsk && (await (await import('../ideModeOffer.js')).offerIdeMode(agent, host));
  if (hint !== undefined && !isOnNow) printError(`tandem: ${hint}`);
  try {
    process.exitCode = await runProgram(found, [...hooks.args, ...flags, ...args], {
      ...connection.env,
      ...env,
      ...hooks.env,
    });
  } catch (cause) {
    throw new CommandError(`${program} could not be started: ${describeError(cause)}`, exitCode.failed, {
      cause,
    });
  } finally {
    stay.abort();
    await following;
  }
}
