import { isProbe } from '@tandem/mcp';
import { type AgentFacts, type DoctorFacts, type FileFacts, isFor } from '../doctorFacts.js';
import type { Finding } from '../report.js';
import { type Shell, shellOf } from '../shell.js';

/** Checks one kind of fact. Pure. */
export type Rule = (facts: DoctorFacts) => readonly Finding[];

/** A fix that is typed in a shell. */
export function shell(command: string): Finding['fix'] {
  return { command, place: 'shell', isAutomatic: false };
}

/** A fix that is typed in the agent, or that starts it connected if it has no such command. */
export function inAgent(
  { descriptor: { connect }, id }: Pick<AgentFacts, 'descriptor' | 'id'>,
  { command }: Pick<DoctorFacts, 'command'>,
): Finding['fix'] {
  if (connect === undefined) return shell(`${command} run ${id}`);
  return { command: connect, place: 'agent', isAutomatic: false };
}

/** The shell in which the user types a fix. */
export function shellHere({ machine: { platform, env } }: Pick<DoctorFacts, 'machine'>): Shell {
  return shellOf(platform, env.SHELL);
}

/** The file that an agent chooses if it starts here. */
export function chosenFile({ files }: DoctorFacts, agent: AgentFacts): FileFacts | undefined {
  const { choice } = agent;
  return choice.kind === 'file'
    ? files.find((file) => isFor(file, agent) && file.path === choice.path)
    : undefined;
}

/** Whether an agent of this kind is connected to the companion here, whatever its files contain. */
export function isConnected(facts: DoctorFacts, { id }: AgentFacts): boolean {
  const agents = facts.serving?.status?.agents ?? [];
  return agents.some((agent) => agent.id === id && agent.sessions.some(({ client }) => !isProbe(client)));
}

/** The display name of the agent that a file is for. */
export function nameOf({ agents }: DoctorFacts, id: string): string {
  return agents.find((agent) => agent.id === id)?.displayName ?? 'The tandem command';
}
