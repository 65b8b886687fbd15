import type { AgentId } from '@tandem/companion';
import type { AgentConnection } from '@tandem/companion/control';
import { evaluateEnv, exportLine, type Shell, shellOf } from '@tandem/companion/shell';
import { visibleJson } from '@tandem/core';
import { ask, type CompanionChoice, lastUsedCompanion } from '../connectCompanion.js';
import { commandName, print, printError } from '../output.js';

export interface EnvOptions extends CompanionChoice {
  readonly shell?: Shell | 'json';
  readonly agents?: readonly AgentId[];
}

/** `tandem env`: prints the variables by which agents in a terminal find this companion. */
export async function env(options: EnvOptions): Promise<void> {
  const companion = await lastUsedCompanion(process.cwd(), options);
  const connections = await ask(companion, 'connections', {});
  const variables = environmentOf(connections, options.agents);
  if (options.shell === 'json') return print(visibleJson(JSON.stringify(variables, undefined, 2)));
  const shell = options.shell ?? shellOf(process.platform, process.env.SHELL);
  for (const [name, value] of Object.entries(variables)) print(exportLine(shell, name, value));
  if (process.stdout.isTTY)
    printError(`# To export them in this terminal, run: ${evaluateEnv(shell, commandName)}`);
}

/** The variables of all agents together. */
function environmentOf(
  connections: readonly AgentConnection[],
  agents: readonly AgentId[] | undefined,
): Record<string, string> {
  const wanted: readonly string[] | undefined = agents;
  return Object.assign(
    {},
    ...connections.filter(({ id }) => wanted?.includes(id) ?? true).map((each) => each.env),
  );
}
