import { describeAddress } from '@tandem/mcp';
import { type DoctorFacts, type FileFacts, isDead } from '../doctorFacts.js';
import type { Finding } from '../report.js';
import { shellWord } from '../shell.js';
import { chosenFile, nameOf, type Rule, shell } from './rule.js';

/** Checks discovery files by themselves, regardless of which program wrote them. */
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

/** Reports one finding per agent: a companion that was killed leaves several files. */
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
  return `${path} names process ${writer?.pid ?? announcement?.pid}, which has ended, and ${announcement && describeAddress(announcement.address)}, which is closed.`;
}

function isTaken(facts: DoctorFacts, file: FileFacts): boolean {
  return facts.agents.some((agent) => agent.id === file.agent && chosenFile(facts, agent) === file);
}

function whatFollows(facts: DoctorFacts, agent: string, isChosen: boolean): string {
  const name = nameOf(facts, agent);
  return isChosen
    ? `${name} uses the file when you start it here, and then does not connect.`
    : `${name} may try it first, without success.`;
}

/** The command's own files concern no agent. */
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
    // A shared folder contains files of other users; the CLIs skip them as well.
    if (!isOwn) return undefined;
    return {
      id: 'broken-file',
      severity: 'warning',
      title: 'A discovery file is malformed',
      cause: `${path} is not a regular JSON file that names a port or a socket.`,
      consequence: `${name} ignores the file, and so does not find the companion that wrote it.`,
      fix: shell(`rm ${shellWord(path)}`),
    };
  }
  const { announcement, isPidAlive, probe, writer } = announced;
  const { pid, ideName = 'A companion' } = announcement;
  const address = describeAddress(announcement.address);
  if (announcement.isFromWindows && facts.isWsl) return undefined;
  // A file that no current version reads causes no problem.
  if (!file.place.isRead) return undefined;
  const remove = shell(`rm ${shellWord(path)}`);
  switch (probe.kind) {
    case 'silent':
      return {
        id: 'silent-port',
        severity,
        title: `${ideName} is not listening at its port`,
        cause: file.isMounted
          ? `${path} names ${address}, which is closed in this container. The file may belong to a companion outside.`
          : `${path} names ${address}, which is closed${isPidAlive ? `, although process ${pid} is running` : ''}. The companion crashed, or its process id was reused.`,
        consequence: stands,
        fix: remove,
      };
    case 'refused': {
      const serving = facts.serving;
      const isItsOwn = serving?.status?.agents.some(({ discovery }) =>
        discovery.some((each) => each.file === path),
      );
      return {
        id: 'wrong-token',
        severity,
        title: `${ideName} does not accept the token in its file`,
        cause: `The program at ${address} refused the token in ${path}. The file is from an earlier companion, or was overwritten.`,
        consequence: stands,
        fix: isItsOwn && serving ? shell(`${facts.command} stop --companion ${serving.pid}`) : remove,
      };
    }
    case 'unresponsive':
      return {
        id: 'unresponsive',
        severity,
        title: `${ideName} does not answer`,
        cause: `The program at ${address} of ${path} did not answer in time: it hangs, or is not a companion.`,
        consequence: stands,
        fix: pid !== undefined && writer?.isAlive ? shell(`kill ${writer.pid}`) : remove,
      };
    case 'broken': {
      const owner = writer?.pid ?? pid;
      return {
        id: 'broken-handshake',
        severity,
        title: `${ideName} accepts no connection`,
        cause: `It answers at ${address} and accepts the token, but the step "${probe.step}" failed.`,
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
      cause: `${path} names process ${pid}, which is not running here. It may run outside this container.`,
      consequence: `${name} deletes such files when it starts, and then finds no companion.`,
      fix: shell(facts.command),
    };
  }
  return undefined;
}

function openToOthers(facts: DoctorFacts, file: FileFacts): Finding | undefined {
  const { mode, place, announced, isOwn, path } = file;
  if (!isOwn || mode === undefined || announced?.announcement.token === undefined) return undefined;
  if ((mode & 0o077) === 0) return undefined;
  const folder = facts.folders.find((each) => each.place.folder === place.folder);
  // Other users cannot reach a file in a folder that they may not enter.
  if (folder?.mode !== undefined && (folder.mode & 0o011) === 0) return undefined;
  return {
    id: 'open-file',
    severity: 'error',
    title: 'Other users can read a token',
    cause: `${path} has mode ${octal(mode)}.`,
    consequence: 'Other users of this machine can connect to the companion as you.',
    fix: shell(`chmod 600 ${shellWord(path)}`),
  };
}

/** Checks for folders that other users own or may write to. */
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
            'Companions refuse to write secrets there, so agents that look there find no companion.',
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
        title: 'Other users can write to a discovery folder',
        cause: `${path} has mode ${octal(mode)}.`,
        consequence: "Your agent could connect to another user's companion.",
        fix: shell(`chmod 700 ${shellWord(path)}`),
      },
    ];
  });

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
