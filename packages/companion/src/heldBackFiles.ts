import { type AgentIdentity, describeError, type Logger, type Path, SharingPolicy } from '@tandem/core';
import type { WorkspaceFiles } from './workspaceFiles.js';

/** A file that some agents do not hear of. */
export interface HeldBackFile {
  /** What a person calls them. */
  readonly agents: readonly string[];
  readonly isFromAll: boolean;
  /** In words for a person. */
  readonly reason: string;
}

/** So many files are judged at once: what runs beside this gets its turn. */
const chunk = 200;

/**
 * Judges many files for showing. The ignore files are read once for all of them: a folder of 2,000 files would else
 * ask the file system forty thousand times.
 */
export async function findHeldBack(
  paths: readonly Path[],
  by: {
    readonly files: WorkspaceFiles;
    readonly folders: readonly Path[];
    readonly denyList: readonly string[];
    readonly respectsGitignore: boolean;
    readonly agents: readonly { readonly identity: AgentIdentity; readonly displayName: string }[];
    readonly logger: Logger;
  },
): Promise<ReadonlyMap<Path, HeldBackFile>> {
  const { files, folders, agents, logger } = by;
  const policy = new SharingPolicy({
    files: { readText: once((path) => files.readText(path)), realPath: once((path) => files.realPath(path)) },
    folders: () => folders,
    logger,
    denyList: by.denyList,
    respectsGitignore: by.respectsGitignore,
  });
  const found = new Map<Path, HeldBackFile>();
  const judge = async (path: Path): Promise<HeldBackFile | undefined> => {
    const reasons = await Promise.all(agents.map(({ identity }) => reasonOf(policy, identity, path)));
    const reason = reasons.find((each) => each !== undefined);
    if (reason === undefined) return undefined;
    const from = agents.filter((_agent, at) => reasons[at] !== undefined);
    return {
      agents: from.map(({ displayName }) => displayName),
      isFromAll: from.length === agents.length,
      reason,
    };
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
async function reasonOf(
  policy: SharingPolicy,
  agent: AgentIdentity,
  path: Path,
): Promise<string | undefined> {
  try {
    const verdict = await policy.verdict(agent, path);
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
