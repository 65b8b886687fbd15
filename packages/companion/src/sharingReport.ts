import type { RunningProtocol } from '@tandem/agents';
import type { ContextFeed, SharingPolicy } from '@tandem/core';
import type { SharingStatus } from '@tandem/rpc';

/** What agents see of the editor now, in the words of the person who works in it. */
export async function reportSharing(of: {
  readonly feed: ContextFeed;
  readonly policy: SharingPolicy;
  readonly protocols: readonly RunningProtocol[];
}): Promise<SharingStatus> {
  const { feed, policy, protocols } = of;
  const { isPaused } = policy;
  const { activePath, openFiles } = feed.current;
  if (activePath === undefined || isPaused) return { isPaused };
  const verdicts = await Promise.all(
    protocols.map(async ({ identity }) => ({
      agent: identity.id,
      verdict: await policy.verdict(identity, activePath),
    })),
  );
  const heldBack = verdicts.flatMap(({ agent, verdict }) =>
    verdict.isShared ? [] : [{ agent, reason: verdict.reason }],
  );
  const [first] = heldBack;
  const selectedCharacters = openFiles[0]?.selection?.text.length ?? 0;
  return {
    isPaused,
    ...(heldBack.length < verdicts.length && { activeFile: { path: activePath, selectedCharacters } }),
    ...(first !== undefined && {
      heldBack: {
        path: activePath,
        agents: heldBack.map(({ agent }) => agent),
        isFromAll: heldBack.length === verdicts.length,
        reason: first.reason,
      },
    }),
  };
}
