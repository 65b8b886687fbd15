import { describeError, type Logger, type Path, SharingPolicy } from '@tandem/core';
import { type AgentId, agentIds, agentProtocols } from './agents.js';
import type { WorkspaceFiles } from './workspaceFiles.js';

/** A file that some agents do not hear of. */
export interface HeldBackFile {
  /** Whom it is held back from, and why, in words for the user. At least one. */
  readonly from: readonly {
    readonly agent: AgentId;
    readonly displayName: string;
    readonly reason: string;
  }[];
  readonly isFromAll: boolean;
}

/** So many files are judged at once: what runs beside this gets its turn. */
const chunk = 200;

/**
 * Judges many files for showing and for the chat, for every agent: one that is not served here may be asked elsewhere. The ignore files are read once for all of them: a folder of 2,000 files would else
 * ask the file system forty thousand times.
 */
export async function findHeldBack(
  paths: readonly Path[],
  by: {
    readonly files: WorkspaceFiles;
    readonly folders: readonly Path[];
    readonly denyList: readonly string[];
    readonly respectsGitignore: boolean;
    readonly logger: Logger;
  },
): Promise<ReadonlyMap<Path, HeldBackFile>> {
  const { files, folders, logger } = by;
  const policy = new SharingPolicy({
    files: { readText: once((path) => files.readText(path)), realPath: once((path) => files.realPath(path)) },
    folders: () => folders,
    logger,
    denyList: by.denyList,
    respectsGitignore: by.respectsGitignore,
  });
  const found = new Map<Path, HeldBackFile>();
  const judge = async (path: Path): Promise<HeldBackFile | undefined> => {
    const reasons = await Promise.all(agentIds.map((agent) => reasonOf(policy, agent, path)));
    const from = agentIds.flatMap((agent, at) => {
      const reason = reasons[at];
      return reason === undefined ? [] : [{ agent, displayName: agentProtocols[agent].displayName, reason }];
    });
    return from.length === 0 ? undefined : { from, isFromAll: from.length === agentIds.length };
  };
  try {
    for (let at = 0; at < paths.length; at += chunk) {
      const some = paths.slice(at, at + chunk);
      const judged = await Promise.all(some.map(judge));
      // In the order of the paths, whichever was known first.
      for (const [place, file] of judged.entries()) {
        const path = some[place];
        if (path !== undefined && file !== undefined) found.set(path, file);
      }
    }
  } finally {
    policy.dispose();
  }
  return found;
}

/** What the policy cannot judge it does not share. */
async function reasonOf(policy: SharingPolicy, agent: AgentId, path: Path): Promise<string | undefined> {
  try {
    const verdict = await policy.verdict(agentProtocols[agent].identity, path);
    return verdict.isShared ? undefined : verdict.reason;
  } catch (error) {
    return `what holds files back cannot be read: ${describeError(error)}`;
  }
}

function once<T>(read: (path: Path) => Promise<T>): (path: Path) => Promise<T> {
  const known = new Map<Path, Promise<T>>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const reading = read(path);
    known.set(path, reading);
    return reading;
  };
}
