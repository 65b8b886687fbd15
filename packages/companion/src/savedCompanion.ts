import type { KeptEdits, Reviews } from '@tandem/core';
import type { AgentBefore, RunningProtocol } from '@tandem/protocols';
import * as z from 'zod';

/**
 * What a companion leaves to the one that follows it in the same window, so that agents which are connected go on as if
 * nothing had happened. It holds tokens and the texts of pending proposals: for a private file.
 */
export const savedCompanion = z.object({
  port: z.int().min(1).max(65_535),
  tokens: z.record(z.string(), z.string().min(1)),
  sessions: z.array(
    z.object({
      agent: z.string(),
      id: z.string().min(1),
      client: z.object({ name: z.string(), version: z.string() }),
      protocolVersion: z.string(),
    }),
  ),
  /** Those that were pending, the oldest first. */
  reviews: z.array(
    z.object({
      agent: z.string(),
      session: z.string(),
      path: z.string(),
      proposed: z.string(),
      content: z.string(),
      keptHunks: z.array(z.boolean()),
    }),
  ),
});

export type SavedCompanion = z.infer<typeof savedCompanion>;

/** What there is to leave now. */
export function saveCompanion(of: {
  readonly port: number;
  readonly protocols: readonly RunningProtocol[];
  readonly reviews: Reviews;
}): SavedCompanion {
  const { port, protocols, reviews } = of;
  return {
    port,
    tokens: Object.fromEntries(protocols.map(({ identity, token }) => [identity.id, token])),
    sessions: protocols.flatMap((protocol) =>
      protocol.sessions().map(({ agent, id, client, protocolVersion }) => ({
        agent,
        id,
        client,
        protocolVersion,
      })),
    ),
    reviews: reviews.pending.map(({ proposal, content, isEdited, keptHunks }) => ({
      agent: proposal.agent,
      session: proposal.session,
      path: proposal.path,
      proposed: proposal.content,
      content,
      // Nobody has dropped one of them, and finding them takes a while in a large text.
      keptHunks: isEdited ? [...keptHunks] : [],
    })),
  };
}

/** What one agent has of it; `undefined` when it was not served. */
export function beforeOf(saved: SavedCompanion, agent: string): AgentBefore | undefined {
  const token = saved.tokens[agent];
  if (token === undefined) return undefined;
  return {
    token,
    sessions: saved.sessions.filter((session) => session.agent === agent),
    proposals: saved.reviews
      .filter((review) => review.agent === agent)
      .map(({ session, path, proposed }) => ({ session, path, content: proposed })),
  };
}

/** What people had made of the proposals. */
export function editsIn(saved: SavedCompanion): KeptEdits[] {
  return saved.reviews.filter(({ proposed, content }) => content !== proposed);
}
