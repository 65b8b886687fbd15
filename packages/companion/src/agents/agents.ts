import { delimiter } from 'node:path';
import { type AgentDescriptor, type AgentProtocol, agents } from '@tandem/agents';
import { type AgentIdentity, type Path, type SpecialFiles, visibleName } from '@tandem/core';
import type { AgentWriting } from '@tandem/reviews';

export {
  type AgentDescriptor,
  defaultsFileOf,
  type HookEntries,
  hookVariables,
  type Injection,
  type Machine,
  receivesOnly,
  startWords,
} from '@tandem/agents';

/** The id of an agent that Tandem supports. */
export type AgentId = keyof typeof agents;

export const agentProtocols: Readonly<Record<AgentId, AgentProtocol>> = agents;

/** Every agent, in alphabetical order. */
export const agentIds: readonly AgentId[] = Object.keys(agentProtocols).filter(isAgentId);

export function isAgentId(value: string): value is AgentId {
  return Object.hasOwn(agentProtocols, value);
}

/** Those whose hooks can be added to settings for good. */
export const agentsWithHook: readonly AgentId[] = agentIds.filter((id) => agentProtocols[id].hookFile);

export function descriptorOf(agent: AgentId): AgentDescriptor {
  return agentProtocols[agent].descriptor;
}

/** The agent with whose token an agent connects. */
export function ownerOfToken(agent: string): string {
  return (isAgentId(agent) ? descriptorOf(agent).connectsThrough : undefined) ?? agent;
}

/** The agent's display name, or its id if the agent is unknown. */
export function nameOfAgent(agent: string): string {
  return isAgentId(agent) ? descriptorOf(agent).displayName : agent;
}

/**
 * Why agents cannot connect in a folder, whatever they find: some read the workspace's folders as one list, and split this
 * one in two. Undefined if none of these agents does.
 */
export function splitFolderProblem(folder: Path, agents: readonly AgentId[] = agentIds): string | undefined {
  const names = agents
    .map(descriptorOf)
    .filter(({ splitsFolders }) => splitsFolders)
    .map(({ displayName }) => displayName);
  if (names.length === 0 || !folder.includes(delimiter)) return undefined;
  return `${names.join(' and ')} cannot connect in ${visibleName(folder)}: its path contains "${delimiter}", which separates folders there. Rename the folder.`;
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

/** The files of each agent that run commands or grant permissions. */
export function trustedFiles(): SpecialFiles[] {
  return agentIds.map(descriptorOf).map(({ displayName, trustedFiles: patterns }) => ({
    kind: 'runs',
    patterns,
    text: `${displayName} may run commands that this file contains, or gain permissions by it.`,
  }));
}

/** An agent as the sharing policy knows it. An unknown one has no ignore files. */
export function identityOf(agent: string): AgentIdentity {
  return isAgentId(agent) ? agentProtocols[agent].identity : { id: agent, ignoreFiles: [] };
}
