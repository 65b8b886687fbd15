import type { Path, SharingPolicy } from '@tandem/core';
import { type AgentId, agentIds, identityOf, nameOfAgent } from './agents.js';

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
 * Judges many files for showing and for the chat, for every agent: one that is not served here may be asked elsewhere. All
 * of them in one survey: a folder of 2,000 files would otherwise ask the file system forty thousand times.
 */
export async function findHeldBack(
  paths: readonly Path[],
  policy: SharingPolicy,
): Promise<ReadonlyMap<Path, HeldBackFile>> {
  const survey = policy.survey();
  const found = new Map<Path, HeldBackFile>();
  const judge = async (path: Path): Promise<HeldBackFile | undefined> => {
    const reasons = await Promise.all(
      agentIds.map((agent) => policy.heldBack(identityOf(agent), path, survey)),
    );
    const from = agentIds.flatMap((agent, at) => {
      const reason = reasons[at];
      return reason === undefined ? [] : [{ agent, displayName: nameOfAgent(agent), reason }];
    });
    return from.length === 0 ? undefined : { from, isFromAll: from.length === agentIds.length };
  };
  for (let at = 0; at < paths.length; at += chunk) {
    const some = paths.slice(at, at + chunk);
    const judged = await Promise.all(some.map(judge));
    // In the order of the paths, whichever was known first.
    for (const [place, file] of judged.entries()) {
      const path = some[place];
      if (path !== undefined && file !== undefined) found.set(path, file);
    }
  }
  return found;
}
