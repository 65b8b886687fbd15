import { type AgentConnection, agentConnection, isAgentId } from '@tandem/companion';
import { type CompanionChoice, calling, chooseCompanion } from '../connectCompanion.js';
import { CommandError, exitCode } from '../exitCode.js';
import { print, printError } from '../output.js';
import { exportLine, isShell, type Shell } from '../shellExport.js';

export interface EnvOptions extends CompanionChoice {
  readonly shell?: string;
  readonly agents?: readonly string[];
}

/** `tandem env`: prints what a terminal must export so that agents started in it find this companion. */
export async function env(options: EnvOptions): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const connections = agentConnection.array().parse(await calling(companion.client, (client) => client.call('connections', {})));
  const variables = environmentOf(connections, options.agents);
  if (options.shell === 'json') {
    print(JSON.stringify(variables, undefined, 2));
    return;
  }
  const shell = shellOf(options.shell);
  for (const [name, value] of Object.entries(variables)) print(exportLine(shell, name, value));
  if (process.stdout.isTTY) printError(`# run this to export them here: ${evaluation[shell]}`);
}

/** The variables of all agents together: no two agents use the same name. */
export function environmentOf(
  connections: readonly AgentConnection[],
  agents: readonly string[] | undefined,
): Record<string, string> {
  for (const agent of agents ?? []) {
    if (!isAgentId(agent)) throw new CommandError(`Tandem knows no agent "${agent}".`, exitCode.usage);
  }
  return Object.assign({}, ...connections.filter(({ id }) => agents?.includes(id) ?? true).map((each) => each.env));
}

const evaluation: Record<Shell, string> = {
  bash: 'eval "$(tandem env)"',
  zsh: 'eval "$(tandem env)"',
  fish: 'tandem env | source',
  powershell: 'tandem env --shell powershell | Out-String | Invoke-Expression',
};

function shellOf(asked: string | undefined): Shell {
  const name = asked ?? (process.platform === 'win32' ? 'powershell' : process.env.SHELL?.split('/').at(-1));
  return name !== undefined && isShell(name) ? name : 'bash';
}
