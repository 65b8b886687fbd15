import type { AgentBefore, RunningProtocol } from '@tandem/agents';
import type { Reviews } from '@tandem/core';
import * as z from 'zod';
import type { EndedReviews } from '../endedReviews.js';
import type { History } from '../history.js';
import type { InterruptedReviews } from '../interruptedReviews.js';
import { type SavedReview, savedReview, saveReview } from '../savedReview.js';

/**
 * What a companion leaves to its successor in the same window, so that connected agents continue without interruption
 * and users keep their edits. Holds tokens and texts: store it only in a private file.
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
      /** The agent's process, if its protocol reports it. */
      pid: z.number().optional(),
      /** It was disconnected before the end: it may return, and is not reported as lost if it does not. */
      isAway: z.boolean().optional(),
    }),
  ),
  /** The user has paused sharing; it stays paused until the user resumes it. */
  isPaused: z.boolean().optional(),
  /** The pending ones, oldest first. */
  reviews: z.array(savedReview),
  /** The interrupted ones, oldest first. */
  interrupted: z.array(savedReview),
  /** Rejected reviews whose agents may not have received the rejection. */
  rejected: z.array(savedReview).optional(),
  /** Decided reviews and restorations, oldest first. */
  history: z.array(savedReview).optional(),
  /** Agents were notified of the end: they can propose unedited reviews again. */
  endedInOrder: z.boolean(),
});

export type JournalContents = z.infer<typeof journalContents>;

/** Collects what the companion would leave now. */
export function collectContents(of: {
  readonly port: number;
  readonly protocols: readonly RunningProtocol[];
  readonly reviews: Reviews;
  readonly interrupted: InterruptedReviews;
  readonly ended: EndedReviews;
  readonly history: History;
  readonly isPaused: boolean;
}): JournalContents {
  const { port, protocols, interrupted, ended } = of;
  const rejected = [...interrupted.rejected, ...ended.rejected];
  return {
    port,
    tokens: Object.fromEntries(
      protocols.flatMap(({ identity, token }) => (token === undefined ? [] : [[identity.id, token]])),
    ),
    sessions: protocols.flatMap((protocol) =>
      protocol.sessions().map(({ agent, id, client, protocolVersion, pid, isAway }) => ({
        agent,
        id,
        client,
        protocolVersion,
        ...(pid !== undefined && { pid }),
        ...(isAway && { isAway }),
      })),
    ),
    reviews: of.reviews.pending.map((review) => saveReview(review)),
    interrupted: [...interrupted.saved, ...ended.texts],
    ...(rejected.length > 0 && { rejected }),
    ...(of.history.entries.length > 0 && { history: [...of.history.entries] }),
    ...(of.isPaused && { isPaused: true }),
    endedInOrder: false,
  };
}

/**
 * The part for one agent, with the decisions that it may not have received; `undefined` if the agent was not served, or has no
 * token of its own.
 */
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

/** Keeps the last of several reviews for one file of one session: the agent waits only for that one. */
function latestOfEach(reviews: readonly SavedReview[]): SavedReview[] {
  return [...new Map(reviews.map((review) => [`${review.session} ${review.path}`, review])).values()];
}
