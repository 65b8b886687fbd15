import type { AgentBefore, RunningProtocol } from '@tandem/agents';
import type { Reviews } from '@tandem/core';
import * as z from 'zod';
import { ownerOfToken } from '../agents.js';
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
  /** For agents by their tokens, when one was connected that had disconnected before the end, in Unix milliseconds. */
  disconnected: z.record(z.string(), z.number()).optional(),
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
  readonly disconnected: ReadonlyMap<string, number>;
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
    ...(of.disconnected.size > 0 && { disconnected: Object.fromEntries(of.disconnected) }),
    reviews: of.reviews.pending.map((review) => saveReview(review)),
    interrupted: [...interrupted.saved, ...ended.texts],
    ...(rejected.length > 0 && { rejected }),
    ...(of.history.entries.length > 0 && { history: [...of.history.entries] }),
    ...(of.isPaused && { isPaused: true }),
    endedInOrder: false,
  };
}

/** An agent that was connected within this time may return by itself. */
const mayReturnMs = 60_000;

/**
 * The part for one agent, with the decisions that it may not have received; `undefined` if the agent was not served, has no
 * token of its own, or nothing needs it: no review is pending, and no agent was connected lately. Then its token is new.
 */
export function beforeOf(
  saved: JournalContents,
  agent: string,
  undelivered: readonly SavedReview[],
  now: number,
): AgentBefore | undefined {
  const token = saved.tokens[agent];
  const proposals = latestOfEach([...undelivered, ...saved.reviews]).filter(
    (review) => review.agent === agent,
  );
  const wasConnected =
    // Too old ones are not in the journal.
    saved.sessions.some((session) => ownerOfToken(session.agent) === agent) ||
    now - (saved.disconnected?.[agent] ?? Number.NEGATIVE_INFINITY) < mayReturnMs;
  if (token === undefined || !(wasConnected || proposals.length > 0)) return undefined;
  return {
    token,
    sessions: saved.sessions.filter((session) => session.agent === agent),
    proposals: proposals.map(({ session, path, proposed }) => ({ session, path, content: proposed })),
  };
}

/** Keeps the last of several reviews for one file of one session: the agent waits only for that one. */
function latestOfEach(reviews: readonly SavedReview[]): SavedReview[] {
  return [...new Map(reviews.map((review) => [`${review.session} ${review.path}`, review])).values()];
}
