import { type AgentProtocol, claudeProtocol, geminiProtocol, qwenProtocol } from '@tandem/agents';
import type { AgentIdentity } from '@tandem/core';

/** Every agent that Tandem speaks to: adding one is adding its line here. */
export const agentProtocols = {
  gemini: geminiProtocol,
  qwen: qwenProtocol,
  claude: claudeProtocol,
} as const satisfies Record<string, AgentProtocol>;

export type AgentId = keyof typeof agentProtocols;

export const agentIds: readonly AgentId[] = Object.keys(agentProtocols).filter(isAgentId);

function isAgentId(value: string): value is AgentId {
  return Object.hasOwn(agentProtocols, value);
}

/** An agent as the sharing policy sees it. One that we do not know has no ignore files. */
export function identityOf(agent: string): AgentIdentity {
  return isAgentId(agent) ? agentProtocols[agent].identity : { id: agent, ignoreFiles: [] };
}
