import { delimiter } from 'node:path';
import { agentIds, descriptorOf, isAgentId, startWords } from '@tandem/companion/agents';
import type { CompanionStatus, FoundCompanion } from '@tandem/companion/control';
import { visibleName } from '@tandem/core';
import { commandName, paint } from './output.js';

/** Where the page is served, or why it is not. */
export interface PageNotice {
  /** Holds the token. Left out where nobody but a log would read it. */
  readonly address?: string;
  /** What to type on the machine that the person sits at, where that is another one. */
  readonly tunnel?: string;
  readonly problem?: string;
}

/** Columns of the longest command that starts an agent, and a gap. */
const commandWidth = Math.max(...agentIds.map((id) => `${commandName} run ${id}`.length)) + 2;

type Rival = Pick<FoundCompanion, 'pid' | 'workspaceFolders'>;

/**
 * What `tandem serve` says first: how to connect each agent, and what stands in the way. `rivals` serve folders in
 * common with this companion.
 */
export function introduction(status: CompanionStatus, rivals: readonly Rival[], page: PageNotice): string {
  const { workspaceFolders, agents, isTrusted, version } = status;
  const folders = workspaceFolders.map(visibleName).join(', ');
  const warnings = [...workspaceFolders.filter(isUnmatchable).map(unmatchable), ...rivals.map(rivalry)];
  return [
    `${paint('bold', 'Tandem')} ${version} serves ${folders}${isTrusted ? '' : ' (not trusted)'}`,
    '',
    'Start an agent in this folder, in any terminal:',
    ...agents.flatMap(agentLines),
    '',
    ...pageLines(page),
    `Show agents where you are:     ${commandName} focus FILE:LINE`,
    `Review their changes:          ${commandName} review show, then ${commandName} review accept`,
    `Connect from tmux or ssh:      eval "$(${commandName} env)"`,
    '',
    ...warnings.flatMap((warning) => [paint('yellow', warning), '']),
  ].join('\n');
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

function agentLines({ id, discovery }: CompanionStatus['agents'][number]): string[] {
  if (!isAgentId(id)) return [];
  const descriptor = descriptorOf(id);
  const { displayName, connect } = descriptor;
  const byHand = `or ${startWords(descriptor).join(' ')}, then ${connect}`;
  const problems = discovery.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  return [
    `  ${displayName.padEnd(12)} ${paint('cyan', `${commandName} run ${id}`.padEnd(commandWidth))} ${byHand}`,
    ...problems.map((problem) => paint('yellow', `    ${visibleName(problem)}`)),
  ];
}

/** Some agents read the folders as a list that this character separates. */
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
