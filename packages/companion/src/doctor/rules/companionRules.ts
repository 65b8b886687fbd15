import { isWithin } from '@tandem/core';
import { type DoctorFacts, isAnswering } from '../doctorFacts.js';
import type { Finding } from '../report.js';
import { shellWord } from '../shell.js';
import { type Rule, shell } from './rule.js';

/** Checks whether any companion serves this folder. */
export const companionRules: Rule = (facts) => {
  const serving = facts.serving;
  if (serving === undefined) return isServedByOthers(facts) ? [] : [noCompanion(facts)];
  const { command } = facts;
  if (serving.status?.sharing.isPaused !== true) return [];
  return [
    {
      id: 'sharing-paused',
      severity: 'note',
      title: 'Sharing is paused',
      cause: `It was paused in process ${serving.pid} (${serving.editor}).`,
      consequence: 'Agents connect and open diffs, but see nothing in your editor.',
      fix: shell(`${command} share resume`),
    },
  ];
};

function isServedByOthers({ files, folder }: DoctorFacts): boolean {
  return files.some(
    (file) => isAnswering(file) && file.announced?.realFolders.some((each) => isWithin(each, folder)),
  );
}

function noCompanion(facts: DoctorFacts): Finding {
  const { companions, folder, command, machine, isWsl, files } = facts;
  const { env, isContainer } = machine;
  const serve = shell(command);
  const consequence = 'Agents that start in this folder find no companion.';
  const [nearest] = companions.filter(({ folders }) => folders.length > 0);
  if (nearest !== undefined) {
    const spelling = nearest.folders.find((each) => isWithin(each.toLowerCase(), folder.toLowerCase()));
    return {
      id: 'wrong-folder',
      severity: 'error',
      title: 'No companion serves this folder',
      cause:
        spelling === undefined
          ? `The running companions serve ${companions.flatMap(({ folders }) => folders).join(', ')}, but not ${folder}.`
          : `A companion serves ${spelling}, which differs from ${folder} only in upper and lower case.`,
      consequence,
      fix: spelling === undefined ? serve : shell(`cd ${shellWord(spelling)}`),
    };
  }
  const base = { severity: 'error', consequence, fix: serve } as const;
  if (isWsl) {
    const isWindows = files.some(({ announced }) => announced?.announcement.isFromWindows);
    return {
      ...base,
      id: 'wsl',
      title: 'No companion is running in this WSL distribution',
      cause: `Agents in WSL cannot reach ${isWindows ? 'the one' : 'one'} that runs in Windows, which has other processes, ports and folders.`,
    };
  }
  if (env.SSH_CONNECTION) {
    return {
      ...base,
      id: 'ssh',
      title: 'No companion is running on this machine',
      cause:
        'You are connected over SSH. A companion must run on the same machine as the agent, not on your own.',
      fix: shell(`${command} serve --no-open`),
    };
  }
  if (isContainer) {
    return {
      ...base,
      id: 'container-alone',
      title: 'No companion is running in this container',
      cause:
        'A companion outside the container listens on 127.0.0.1 of its host, which cannot be reached from inside.',
    };
  }
  return {
    ...base,
    id: 'no-companion',
    title: 'No companion is running',
    cause: 'There is no discovery file of Tandem or another companion for this user.',
  };
}
