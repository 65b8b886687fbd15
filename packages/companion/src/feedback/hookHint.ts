import type { Machine } from '@tandem/agents';
import { type AgentId, agentProtocols, isAgentId } from '../agents/agents.js';
import { commandOnPath, installCommand } from '../doctor/programs.js';

/**
 * How the user lets an agent receive feedback by its hooks; empty where these do not work or cannot pass it on. `command`: how the
 * user runs the `tandem` command, if that is known; otherwise it is looked for on the PATH.
 */
export async function hookHint(agent: string, machine: Machine, command?: string): Promise<string> {
  if (machine.platform === 'win32' || !isAgentId(agent) || !(await passFeedbackOn(agent))) return '';
  const tandem = command ?? (await commandOnPath(machine)) ?? `${installCommand} && tandem`;
  return ` To let it receive feedback by itself next time, run: ${tandem} hook install ${agent}`;
}

/** Whether the hooks of a connected agent pass feedback on: with the next prompt, or when they hold an edit about which it asks. */
async function passFeedbackOn(agent: AgentId): Promise<boolean> {
  const hooks = await agentProtocols[agent].hooks?.();
  const asked = { kind: 'edit', session: '', agentMode: 'asks', tool: '', input: {}, edits: [] } as const;
  return (
    hooks !== undefined &&
    (hooks.inform !== undefined ||
      hooks.review(asked, { isConnected: true, isInteractive: true }) === 'by-hook')
  );
}
