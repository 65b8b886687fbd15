import { type AgentDescriptor, type AgentProtocol, agents } from '@tandem/agents';
import type { AgentIdentity, AgentWriting } from '@tandem/core';

export { type AgentDescriptor, type PermissionHook, receivesOnly, startWords } from '@tandem/agents';

/** The id of an agent that Tandem supports. */
export type AgentId = keyof typeof agents;

export const agentProtocols: Readonly<Record<AgentId, AgentProtocol>> = agents;

/** Every agent, in alphabetical order. */
export const agentIds: readonly AgentId[] = Object.keys(agentProtocols).filter(isAgentId);

export function isAgentId(value: string): value is AgentId {
  return Object.hasOwn(agentProtocols, value);
}

/** Those with a `PermissionHook`. */
export const agentsWithHook: readonly AgentId[] = agentIds.filter((id) => agentProtocols[id].permissionHook);

export function descriptorOf(agent: AgentId): AgentDescriptor {
  return agentProtocols[agent].descriptor;
}

/** The agent's display name, or its id if the agent is unknown. */
export function nameOfAgent(agent: string): string {
  return isAgentId(agent) ? descriptorOf(agent).displayName : agent;
}

/** The names of the agents that support mentions. */
export function agentsWithMentions(): readonly string[] {
  const descriptors = agentIds.map(descriptorOf);
  return descriptors
    .filter(({ supports }) => supports.mention === 'yes')
    .map(({ displayName }) => displayName);
}

/** How an agent writes an accepted text. An unknown one writes it as it is. */
export function writingOf(agent: string): AgentWriting {
  return (isAgentId(agent) && descriptorOf(agent).writing) || {};
}

/** An agent as the sharing policy knows it. An unknown one has no ignore files. */
export function identityOf(agent: string): AgentIdentity {
  return isAgentId(agent) ? agentProtocols[agent].identity : { id: agent, ignoreFiles: [] };
}
