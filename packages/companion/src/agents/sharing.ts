import { type ContextFeed, labelIn, type Path, type SharingPolicy } from '@tandem/core';
import type { Editor } from '@tandem/reviews';
import type { SharingStatus } from '@tandem/rpc';
import { type AgentId, agentIds, identityOf, nameOfAgent } from './agents.js';
import type { ServedAgents } from './servedAgents.js';

/** A file that is hidden from some agents. */
export interface HeldBackFile {
  /** Which agents it is hidden from, and why, in words for the user. At least one. */
  readonly from: readonly {
    readonly agent: AgentId;
    readonly displayName: string;
    readonly reason: string;
  }[];
  readonly isFromAll: boolean;
}

/** This many files are judged at once, so that other work gets its turn. */
const chunk = 200;

/** What agents see of the editor, for the user. */
export class Sharing {
  readonly #of: {
    readonly feed: ContextFeed;
    readonly policy: SharingPolicy;
    readonly agents: ServedAgents;
    readonly editor: Editor;
  };

  constructor(of: {
    readonly feed: ContextFeed;
    readonly policy: SharingPolicy;
    readonly agents: ServedAgents;
    readonly editor: Editor;
  }) {
    this.#of = of;
  }

  /** What agents see of the editor now. */
  async status(): Promise<SharingStatus> {
    const { feed, policy, agents, editor } = this.#of;
    const { isPaused } = policy;
    const { activePath, openFiles } = feed.current;
    if (activePath === undefined || isPaused) return { isPaused };
    const verdicts = await Promise.all(
      agents.protocols.map(async ({ identity }) => ({
        agent: identity.id,
        verdict: await policy.verdict(identity, activePath),
      })),
    );
    const heldBack = verdicts.flatMap(({ agent, verdict }) =>
      verdict.isShared ? [] : [{ agent, reason: verdict.reason }],
    );
    const [first] = heldBack;
    const file = { path: activePath, label: labelIn(editor.workspace.folders(), activePath) };
    const selectedCharacters = openFiles[0]?.selection?.text.length ?? 0;
    return {
      isPaused,
      ...(heldBack.length < verdicts.length && { activeFile: { ...file, selectedCharacters } }),
      ...(first !== undefined && {
        heldBack: {
          ...file,
          agents: heldBack.map(({ agent }) => nameOfAgent(agent)),
          isFromAll: heldBack.length === verdicts.length,
          reason: first.reason,
        },
      }),
    };
  }

  /**
   * Which of these files are hidden from some agent, and why. For display and for the chat; every message checks the
   * policy again. Includes agents that are not served here, and ignores a pause, which is not a property of a file.
   * Uses one cache: a folder of 2,000 files would otherwise cause 40,000 disk accesses.
   */
  async heldBackFiles(paths: readonly Path[]): Promise<ReadonlyMap<Path, HeldBackFile>> {
    const { policy } = this.#of;
    const cache = policy.fileCache();
    const found = new Map<Path, HeldBackFile>();
    const judge = async (path: Path): Promise<HeldBackFile | undefined> => {
      const reasons = await Promise.all(
        agentIds.map((agent) => policy.heldBack(identityOf(agent), path, cache)),
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
      // In the order of the paths.
      for (const [index, file] of judged.entries()) {
        const path = some[index];
        if (path !== undefined && file !== undefined) found.set(path, file);
      }
    }
    return found;
  }
}
