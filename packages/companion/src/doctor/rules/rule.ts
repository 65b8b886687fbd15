import { isProbe } from '@tandem/mcp';
import type { AgentFacts, CompanionFacts, DoctorFacts, FileFacts } from '../doctorFacts.js';
import type { Finding } from '../report.js';

/** Looks at one kind of thing. Pure. */
export type Rule = (facts: DoctorFacts) => readonly Finding[];

/** A fix that is typed in a shell. */
export function shell(command: string): Finding['fix'] {
  return { command, place: 'shell', isAutomatic: false };
}

/** The companion of ours that commands and agents in this folder mean: the one with the deepest folder around it. */
export function servingCompanion({ companions }: DoctorFacts): CompanionFacts | undefined {
  return companions
    .filter(({ servesFolder }) => servesFolder)
    .toSorted((one, other) => depth(other) - depth(one))[0];
}

/** The file that an agent takes when it is started here. */
export function chosenFile({ files }: DoctorFacts, { id, choice }: AgentFacts): FileFacts | undefined {
  return choice.kind === 'file'
    ? files.find(({ agent, path }) => agent === id && path === choice.path)
    : undefined;
}

/** Whether an agent of this kind is connected to the companion here: whatever its files say, it got through. */
export function isConnected(facts: DoctorFacts, { id }: AgentFacts): boolean {
  const agents = servingCompanion(facts)?.status?.agents ?? [];
  return agents.some((agent) => agent.id === id && agent.sessions.some(({ client }) => !isProbe(client)));
}

/** What a person calls the agent that a file is for. */
export function nameOf({ agents }: DoctorFacts, id: string): string {
  return agents.find((agent) => agent.id === id)?.displayName ?? 'The tandem command';
}

function depth({ folders }: CompanionFacts): number {
  return Math.max(0, ...folders.map((folder) => folder.length));
}
