import { delimiter } from 'node:path';
import { agentIds, descriptorOf, isAgentId, startWords } from '@tandem/companion/agents';
import type { CompanionStatus, FoundCompanion } from '@tandem/companion/control';
import { evaluateEnv, shellOf } from '@tandem/companion/shell';
import { visibleName } from '@tandem/core';
import { commandName, paint } from './output.js';

/** The address of the page, or why it is not served. */
export interface PageNotice {
  /** Contains the token. Absent if only a log would show it. */
  readonly address?: string;
  /** The command for the user's own machine, if it is another one. */
  readonly tunnel?: string;
  readonly problem?: string;
}

/** Columns of the longest command that starts an agent, and a gap. */
const commandWidth = Math.max(...agentIds.map((id) => `${commandName} run ${id}`.length)) + 2;

/** Finds the program of an agent, as `findProgram` does. */
type FindProgram = (program: string) => string | undefined;

type Rival = Pick<FoundCompanion, 'pid' | 'workspaceFolders'>;

/**
 * The first output of `tandem serve`: how to connect each agent, and warnings. `rivals` serve some of the same folders.
 */
export function introduction(
  status: CompanionStatus,
  rivals: readonly Rival[],
  page: PageNotice,
  find: FindProgram,
): string {
  const { workspaceFolders, agents, isTrusted, version } = status;
  const folders = workspaceFolders.map(visibleName).join(', ');
  const warnings = [...workspaceFolders.filter(isUnmatchable).map(unmatchable), ...rivals.map(rivalry)];
  return [
    `${paint('bold', 'Tandem')} ${version} serves ${folders}${isTrusted ? '' : ' (not trusted)'}`,
    '',
    ...startLines(agents, find),
    '',
    ...pageLines(page),
    ...reviewLines(status),
    `Show agents where you are:     ${commandName} focus FILE:LINE`,
    `Review their changes:          ${commandName} review show, then ${commandName} review accept`,
    `Connect from tmux or ssh:      ${evaluateEnv(shellOf(process.platform, process.env.SHELL), commandName)}`,
    '',
    ...warnings.flatMap((warning) => [paint('yellow', warning), '']),
  ].join('\n');
}

/** Reviews that a restart restored or interrupted. */
function reviewLines({ reviews, interrupted }: CompanionStatus): string[] {
  const count = reviews.length + interrupted.length;
  if (count === 0) return [];
  return [`${`Reviews from before (${count}):`.padEnd(31)}${commandName} review list`];
}

function pageLines({ address, tunnel, problem }: PageNotice): string[] {
  if (problem !== undefined) return [paint('yellow', visibleName(problem)), ''];
  if (address === undefined) return [`Review in the browser:         ${commandName} page`, ''];
  return [
    'Review in the browser:',
    `  ${paint('cyan', address)}`,
    ...(tunnel === undefined ? [] : [`  first, on your own machine: ${paint('cyan', visibleName(tunnel))}`]),
    '',
  ];
}

/** How to start each agent, or how to install it. */
export function startLines(agents: CompanionStatus['agents'], find: FindProgram): string[] {
  return [
    'Start an agent in this folder, in any terminal:',
    ...agents.flatMap((agent) => agentLines(agent, find)),
  ];
}

function agentLines({ id, discovery }: CompanionStatus['agents'][number], find: FindProgram): string[] {
  if (!isAgentId(id)) return [];
  const descriptor = descriptorOf(id);
  const { displayName, connect, program, install } = descriptor;
  const found = find(program);
  const start = `  ${displayName.padEnd(12)} ${paint('cyan', `${commandName} run ${id}`.padEnd(commandWidth))}`;
  // One that only the project has cannot be started by its name.
  const byHand = found === program ? ` or ${startWords(descriptor).join(' ')}, then ${connect}` : '';
  const line =
    found === undefined
      ? paint('dim', `  ${displayName.padEnd(12)} not installed; ${install}`)
      : `${start}${byHand}`.trimEnd();
  const problems = discovery.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  return [line, ...problems.map((problem) => paint('yellow', `    ${visibleName(problem)}`))];
}

/** Some agents read the folders as a list with this separator. */
function isUnmatchable(folder: string): boolean {
  return folder.includes(delimiter);
}

function unmatchable(folder: string): string {
  const splitting = agentIds.map(descriptorOf).filter(({ splitsFolders }) => splitsFolders);
  const names = splitting.map(({ displayName }) => displayName).join(' and ');
  return `${names} cannot use ${visibleName(folder)}: its path contains a "${delimiter}".`;
}

function rivalry({ pid, workspaceFolders }: Rival): string {
  return [
    `Another companion (process ${pid}) serves ${workspaceFolders.map(visibleName).join(', ')}. Agents may`,
    'connect to it instead, or to neither. "run" and "env" use this one. To stop',
    `the other one: ${commandName} stop --companion ${pid}`,
  ].join('\n');
}
