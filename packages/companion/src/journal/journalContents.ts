import type { AgentBefore, RunningProtocol } from '@tandem/agents';
import type { Reviews } from '@tandem/core';
import * as z from 'zod';
import type { EndedReviews } from '../endedReviews.js';
import type { InterruptedReviews } from '../interruptedReviews.js';
import { type SavedReview, savedReview, saveReview } from '../savedReview.js';

/**
 * What a companion leaves to the one that follows it in the same window, so that agents which are connected go on as if
 * nothing had happened, and people find what they typed. It holds tokens and texts: for a private file.
 */
export const journalContents = z.object({
  port: z.int().min(1).max(65_535),
  tokens: z.record(z.string(), z.string().min(1)),
  sessions: z.array(
    z.object({
      agent: z.string(),
      id: z.string().min(1),
      client: z.object({ name: z.string(), version: z.string() }),
      protocolVersion: z.string(),
      /** It had gone before the end: it may come back, and is not missed when it does not. */
      isAway: z.boolean().optional(),
    }),
  ),
  /** The user has paused sharing: it stays paused until the user resumes it. */
  isPaused: z.boolean().optional(),
  /** Those that were pending, the oldest first. */
  reviews: z.array(savedReview),
  /** Those that nobody waited for, the oldest first. */
  interrupted: z.array(savedReview),
  /** Those that a person rejected and whose agents may not have heard of it. */
  rejected: z.array(savedReview).optional(),
  /** Agents were told of the end: what nobody has edited is theirs to propose again. */
  endedInOrder: z.boolean(),
});

export type JournalContents = z.infer<typeof journalContents>;

/** What there is to leave now. */
export function collectContents(of: {
  readonly port: number;
  readonly protocols: readonly RunningProtocol[];
  readonly reviews: Reviews;
  readonly interrupted: InterruptedReviews;
  readonly ended: EndedReviews;
  readonly isPaused: boolean;
}): JournalContents {
  const { port, protocols, interrupted, ended } = of;
  const rejected = [...interrupted.rejected, ...ended.rejected];
  return {
    port,
    tokens: Object.fromEntries(protocols.map(({ identity, token }) => [identity.id, token])),
    sessions: protocols.flatMap((protocol) =>
      protocol.sessions().map(({ agent, id, client, protocolVersion, isAway }) => ({
        agent,
        id,
        client,
        protocolVersion,
        ...(isAway && { isAway }),
      })),
    ),
    reviews: of.reviews.pending.map((review) => saveReview(review)),
    interrupted: [...interrupted.saved, ...ended.texts],
    ...(rejected.length > 0 && { rejected }),
    ...(of.isPaused && { isPaused: true }),
    endedInOrder: false,
  };
}

/** What one agent has of it, with the decisions that it may not have heard; `undefined` when it was not served. */
export function beforeOf(
  saved: JournalContents,
  agent: string,
  undelivered: readonly SavedReview[],
): AgentBefore | undefined {
  const token = saved.tokens[agent];
  if (token === undefined) return undefined;
  return {
    token,
    sessions: saved.sessions.filter((session) => session.agent === agent),
    proposals: latestOfEach([...undelivered, ...saved.reviews])
      .filter((review) => review.agent === agent)
      .map(({ session, path, proposed }) => ({ session, path, content: proposed })),
  };
}

/** Of several for one file of one session the last one: an agent waits for no other. */
function latestOfEach(reviews: readonly SavedReview[]): SavedReview[] {
  return [...new Map(reviews.map((review) => [`${review.session} ${review.path}`, review])).values()];
}
