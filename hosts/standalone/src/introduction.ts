import {
  type AgentDescriptor,
  agentIds,
  descriptorOf,
  isAgentId,
  splitFolderProblem,
  startWords,
} from '@tandem/companion/agents';
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
  const warnings = [
    ...workspaceFolders.flatMap((folder) => splitFolderProblem(folder) ?? []),
    ...rivals.map(rivalry),
  ];
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
  const counts = [
    ...(reviews.length > 0 ? [`${reviews.length} pending`] : []),
    ...(interrupted.length > 0 ? [`${interrupted.length} interrupted`] : []),
  ];
  if (counts.length === 0) return [];
  return [`${`Earlier reviews:`.padEnd(31)}${counts.join(', ')}; ${commandName} review`];
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

/** How to start each agent that is installed. If none is, how to install each. */
export function startLines(agents: CompanionStatus['agents'], find: FindProgram): string[] {
  const known = agents.flatMap(({ id }) =>
    isAgentId(id) ? [{ descriptor: descriptorOf(id), found: find(descriptorOf(id).program) }] : [],
  );
  const problems = agents.flatMap(({ discovery }) =>
    discovery.flatMap(({ problem = '' }) =>
      problem ? [paint('yellow', `    ${visibleName(problem)}`)] : [],
    ),
  );
  const width = Math.max(0, ...known.map(({ descriptor }) => descriptor.displayName.length)) + 2;
  const installed = known.filter(({ found }) => found !== undefined);
  const missing = known.filter(({ found }) => found === undefined).map(({ descriptor }) => descriptor);
  if (installed.length === 0) {
    return [
      'No supported agent is installed. Install one:',
      ...missing.map(({ displayName, install }) => `  ${displayName.padEnd(width)}${install}`),
      ...problems,
    ];
  }
  return [
    'Start an agent in this folder, in any terminal:',
    ...installed.map(({ descriptor, found }) =>
      `  ${descriptor.displayName.padEnd(width)}${startWays(descriptor, found)}`.trimEnd(),
    ),
    ...(missing.length === 0
      ? []
      : [paint('dim', `  Not installed: ${missing.map(({ displayName }) => displayName).join(', ')}`)]),
    ...problems,
  ];
}

function startWays(descriptor: AgentDescriptor, found: string | undefined): string {
  const start = paint('cyan', `${commandName} run ${descriptor.id}`.padEnd(commandWidth));
  // One that only the project has cannot be started by its name.
  if (found !== descriptor.program || descriptor.isHookedOnly) return start;
  const byHand = [startWords(descriptor).join(' '), descriptor.connect ?? []].flat().join(', then ');
  return `${start} or ${byHand}`;
}

function rivalry({ pid, workspaceFolders }: Rival): string {
  return [
    `Another companion (process ${pid}) serves ${workspaceFolders.map(visibleName).join(', ')}. Agents may`,
    `connect to it instead, or to neither. "${commandName} run" and "${commandName} env" use this one. To stop`,
    `the other one: ${commandName} stop --companion ${pid}`,
  ].join('\n');
}
