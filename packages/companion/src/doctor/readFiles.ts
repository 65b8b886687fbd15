import { readdirSync, type Stats, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentDiagnosis, Announcement, Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';
import {
  isAlive,
  isOwn,
  type LocalAddress,
  type ProbeResult,
  probeCompanion,
  readDiscoveryFile,
  readMarked,
  readPrivateFile,
  statOf,
} from '@tandem/mcp';
import { onDisk } from '../files/diskGate.js';
import type { FileFacts, FolderFacts } from './doctorFacts.js';

/** How long a companion may take to answer one request. */
export const probeLimitMs = 1_500;

/** Identifies the process behind a file. Several files may name one companion, which is asked only once. */
export type Probe = (of: {
  readonly address: LocalAddress;
  readonly token: string | undefined;
  readonly carrier: AgentDiagnosis['carrier'];
}) => Promise<ProbeResult>;

export function createProbe(): Probe {
  const asked = new Map<string, Promise<ProbeResult>>();
  return ({ address, token, carrier }) => {
    const key = JSON.stringify([address, token, carrier]);
    const known = asked.get(key);
    if (known !== undefined) return known;
    const asking = probeCompanion({
      address,
      carrier,
      timeoutMs: probeLimitMs,
      ...(token !== undefined && { token }),
    });
    asked.set(key, asking);
    return asking;
  };
}

/** What is needed to inspect the files of an agent. The command's own files are inspected in the same way. */
export interface FileReader {
  readonly id: string;
  readonly diagnosis: Pick<AgentDiagnosis, 'places' | 'read' | 'carrier'>;
}

/** The folders in which an agent looks, if they exist. */
export function readFolders({ id, diagnosis }: FileReader, machine: Machine): FolderFacts[] {
  return diagnosis.places(machine).flatMap((place) => {
    const stats = statOf(place.folder);
    if (stats === undefined) return [];
    const isLink = stats.isSymbolicLink();
    return [{ place, agent: id, isOwn: isOwn(stats), isLink, mode: modeOf(stats, machine) }];
  });
}

/** Every file with the name of a discovery file of this agent, and the answer of the process behind it. */
export async function readFiles(
  { id, diagnosis }: FileReader,
  machine: Machine,
  probe: Probe,
): Promise<FileFacts[]> {
  const found = diagnosis.places(machine).flatMap((place) =>
    namesIn(place.folder)
      .filter((name) => place.names.test(name))
      .map((name) => ({ place, name })),
  );
  const facts = await Promise.all(
    found.map(async ({ place, name }): Promise<FileFacts | undefined> => {
      const path = join(place.folder, name);
      const stats = statOf(path);
      if (stats === undefined) return undefined;
      const text = readPrivateFile(path);
      const announcement = text === undefined ? undefined : diagnosis.read(name, parseJson(text), machine);
      return {
        agent: id,
        path,
        place,
        isOwn: isOwn(stats),
        mode: modeOf(stats, machine),
        modifiedAt: stats.mtimeMs,
        isMounted: isMounted(stats, machine),
        announced:
          announcement &&
          (await look({ path, text: text ?? '', announcement, carrier: diagnosis.carrier, probe })),
      };
    }),
  );
  return facts.filter((each) => each !== undefined);
}

async function look(of: {
  readonly path: Path;
  readonly text: string;
  readonly announcement: Announcement;
  readonly carrier: AgentDiagnosis['carrier'];
  readonly probe: Probe;
}): Promise<NonNullable<FileFacts['announced']>> {
  const { path, text, announcement, carrier, probe } = of;
  const { address, token, pid } = announcement;
  const mark = readMarked(text)?.mark;
  return {
    announcement,
    realFolders: await Promise.all(announcement.folders.map(realPathOf)),
    isPidAlive: pid !== undefined && isAlive(pid),
    // This check also detects a pid that another process reuses, by its start time.
    writer: mark && { pid: mark.pid, isAlive: readDiscoveryFile(path)?.isHeld ?? false },
    probe: await probe({ address, token, carrier }),
  };
}

/**
 * In a container, a file on another file system than the root's may come from outside, with processes and ports that
 * are not visible here.
 */
function isMounted(stats: Stats, { isContainer }: Machine): boolean {
  if (!isContainer) return false;
  return statSync('/').dev !== stats.dev;
}

/** The path as the file system resolves it, or unchanged if it does not exist. */
export async function realPathOf(path: Path): Promise<Path> {
  try {
    return await onDisk(path, () => realpath(path));
  } catch {
    return path;
  }
}

function modeOf(stats: Stats, { platform }: Machine): number | undefined {
  return platform === 'win32' ? undefined : stats.mode & 0o777;
}

function namesIn(folder: Path): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
