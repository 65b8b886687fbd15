import { type DoctorFacts, type FileFacts, isDead } from '../doctorFacts.js';
import type { Finding } from '../report.js';
import { shellWord } from '../shellWord.js';
import { chosenFile, nameOf, type Rule, servingCompanion, shell } from './rule.js';

/** What is wrong with discovery files by themselves, whoever wrote them. */
export const fileRules: Rule = (facts) => [
  ...facts.files.flatMap((file) => {
    const found = isDead(file) ? undefined : ofContent(facts, file);
    const open = openToOthers(facts, file);
    return [...(found ? [found] : []), ...(open ? [open] : [])].map((each) => ({
      ...each,
      files: [file.path],
      ...about(file.agent),
    }));
  }),
  ...staleFiles(facts),
];

/** One finding for each agent: a companion that was killed leaves several files. */
function staleFiles(facts: DoctorFacts): Finding[] {
  const dead = facts.files.filter(isDead);
  return [...new Set(dead.map(({ agent }) => agent))].map((agent): Finding => {
    const files = dead.filter((file) => file.agent === agent);
    const isChosen = files.some((file) => isTaken(facts, file));
    return {
      id: 'stale-file',
      severity: isChosen ? 'error' : 'warning',
      title: files.length === 1 ? 'A discovery file is stale' : `${files.length} discovery files are stale`,
      cause: files.map(whyDead).join(' '),
      consequence: whatFollows(facts, agent, isChosen),
      fix: { command: `${facts.command} doctor --fix`, place: 'shell', isAutomatic: true },
      files: files.map(({ path }) => path),
      ...about(agent),
    };
  });
}

function whyDead({ path, announced }: FileFacts): string {
  const { announcement, writer } = announced ?? {};
  return `${path} names process ${writer?.pid ?? announcement?.pid}, which is gone, and port ${announcement?.port}, where nobody listens.`;
}

function isTaken(facts: DoctorFacts, file: FileFacts): boolean {
  return facts.agents.some((agent) => agent.id === file.agent && chosenFile(facts, agent) === file);
}

function whatFollows(facts: DoctorFacts, agent: string, isChosen: boolean): string {
  const name = nameOf(facts, agent);
  return isChosen
    ? `${name} takes it when it is started here, and then does not connect.`
    : `${name} may look there in vain before it looks elsewhere.`;
}

/** The command's own files are about no agent. */
function about(agent: string): { agent?: string } {
  return agent === 'tandem' ? {} : { agent };
}

function ofContent(facts: DoctorFacts, file: FileFacts): Finding | undefined {
  const { announced, path, isOwn } = file;
  const name = nameOf(facts, file.agent);
  const isChosen = isTaken(facts, file);
  const severity = isChosen ? 'error' : 'warning';
  const stands = whatFollows(facts, file.agent, isChosen);
  if (announced === undefined) {
    // Files of other users lie in a shared folder; the CLIs pass over them as well.
    if (!isOwn) return undefined;
    return {
      id: 'broken-file',
      severity: 'warning',
      title: 'A discovery file cannot be understood',
      cause: `${path} is no plain file of JSON that names a port.`,
      consequence: `${name} passes over it, and over the companion that it was for.`,
      fix: shell(`rm ${shellWord(path)}`),
    };
  }
  const { announcement, isPidAlive, probe, writer } = announced;
  const { port, pid, ideName = 'A companion' } = announcement;
  if (announcement.isFromWindows && facts.isWsl) return undefined;
  // What no version of today reads stands in nobody's way.
  if (!file.place.isRead) return undefined;
  const remove = shell(`rm ${shellWord(path)}`);
  switch (probe.kind) {
    case 'silent':
      return {
        id: 'silent-port',
        severity,
        title: `Nobody listens where ${ideName} should`,
        cause: file.isMounted
          ? `${path} names port ${port}, where nobody listens in this container. It may be of a companion outside.`
          : `${path} names port ${port}, where nobody listens${isPidAlive ? `, though process ${pid} lives` : ''}. Its companion crashed, or its process number is another program's now.`,
        consequence: stands,
        fix: remove,
      };
    case 'refused': {
      const serving = servingCompanion(facts);
      const isItsOwn = serving?.status?.agents.some(({ discovery }) =>
        discovery.some((each) => each.file === path),
      );
      return {
        id: 'wrong-token',
        severity,
        title: `${ideName} does not take the token of its file`,
        cause: `Who listens at port ${port} answered that the token in ${path} is not theirs. The file is of an earlier companion, or was written over.`,
        consequence: stands,
        fix: isItsOwn && serving ? shell(`${facts.command} stop --companion ${serving.pid}`) : remove,
      };
    }
    case 'unresponsive':
      return {
        id: 'unresponsive',
        severity,
        title: `${ideName} does not answer`,
        cause: `Somebody listens at port ${port} of ${path} and said nothing in time: it hangs, or is no companion.`,
        consequence: stands,
        fix: pid !== undefined && writer?.isAlive ? shell(`kill ${writer.pid}`) : remove,
      };
    case 'broken': {
      const owner = writer?.pid ?? pid;
      return {
        id: 'broken-handshake',
        severity,
        title: `${ideName} lets nobody in`,
        cause: `It answers at port ${port} and knows the token, but ${probe.step} failed.`,
        consequence: stands,
        fix: owner === undefined ? remove : shell(`kill ${owner}`),
      };
    }
    default:
  }
  if (announcement.fault !== undefined) {
    return {
      id: 'old-file',
      severity,
      title: `${ideName} speaks an older protocol`,
      cause: `${path}: ${announcement.fault}`,
      consequence: stands,
      fix: shell(`${facts.command} run ${file.agent}`),
    };
  }
  const reader = facts.agents.find(({ id }) => id === file.agent);
  if (pid !== undefined && !isPidAlive && reader?.diagnosis.deletesDeadFiles) {
    return {
      id: 'dead-pid',
      severity,
      title: `${ideName} answers, but its file names a dead process`,
      cause: `${path} names process ${pid}, which is gone. It may be one outside this container.`,
      consequence: `${name} deletes such files when it starts, and finds nobody then.`,
      fix: shell(`${facts.command} serve`),
    };
  }
  return undefined;
}

function openToOthers(facts: DoctorFacts, file: FileFacts): Finding | undefined {
  const { mode, place, announced, isOwn, path } = file;
  if (!isOwn || mode === undefined || announced?.announcement.token === undefined) return undefined;
  if ((mode & 0o077) === 0) return undefined;
  const folder = facts.folders.find((each) => each.place.folder === place.folder);
  // Nobody comes to a file in a folder that they may not enter.
  if (folder?.mode !== undefined && (folder.mode & 0o011) === 0) return undefined;
  return {
    id: 'open-file',
    severity: 'error',
    title: 'Other users can read a token',
    cause: `${path} has mode ${octal(mode)}.`,
    consequence: 'Whoever has an account on this machine can connect to the companion in your name.',
    fix: shell(`chmod 600 ${shellWord(path)}`),
  };
}

/** Folders that others own or may write in. */
export const folderRules: Rule = ({ folders, ...facts }) =>
  folders.flatMap((folder): Finding[] => {
    const { place, isOwn, isLink, mode, agent } = folder;
    if (!place.isOwnFolder) return [];
    const path = place.folder;
    if (isLink || !isOwn) {
      return [
        {
          id: isLink ? 'linked-folder' : 'foreign-folder',
          severity: 'error',
          ...about(agent),
          files: [path],
          title: isLink ? 'A discovery folder is a link' : "A discovery folder is another user's",
          cause: isLink ? `${path} is a symbolic link.` : `${path} belongs to another user of this machine.`,
          consequence:
            'No companion of yours writes a secret there, so that agents that look there find nobody.',
          fix: shell(
            isLink
              ? `rm ${shellWord(path)}`
              : `mkdir -p -m 700 ${shellWord(`${facts.machine.home}/.tmp`)} && export TMPDIR=${shellWord(`${facts.machine.home}/.tmp`)}`,
          ),
        },
      ];
    }
    if (mode === undefined || (mode & 0o022) === 0) return [];
    return [
      {
        id: 'open-folder',
        severity: 'error',
        ...about(agent),
        files: [path],
        title: 'Other users can put discovery files of their own into a folder',
        cause: `${path} has mode ${octal(mode)}.`,
        consequence: 'An agent of yours could be led to a companion of somebody else.',
        fix: shell(`chmod 700 ${shellWord(path)}`),
      },
    ];
  });

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
