import type { AgentBefore, RunningProtocol } from '@tandem/agents';
import {
  compareReviews,
  hookModes,
  type ReviewRecords,
  type Reviews,
  type SavedReview,
  savedOf,
  saveReview,
} from '@tandem/reviews';
import * as z from 'zod';
import { ownerOfToken } from '../agents/agents.js';
import { savedReview } from './savedReviewSchema.js';

/**
 * What a companion leaves to its successor in the same window, so that connected agents continue without interruption
 * and users keep their edits. Holds tokens and texts: store it only in a private file.
 */
const journalContents = z.object({
  port: z.int().min(1).max(65_535),
  tokens: z.record(z.string(), z.string().min(1)),
  /** With which hooks of the agents call. Absent in a journal of an earlier version. */
  hookToken: z.string().min(1).optional(),
  /** Which edits of hooked agents wait, where the user has chosen it while they run. */
  hookModes: z
    .array(
      z.object({
        agent: z.string(),
        session: z.string(),
        pid: z.number().optional(),
        mode: z.enum(hookModes),
      }),
    )
    .optional(),
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

/** What a companion leaves besides its reviews. */
export const companionState = journalContents.pick({
  port: true,
  tokens: true,
  hookToken: true,
  hookModes: true,
  sessions: true,
  disconnected: true,
  isPaused: true,
});

export type CompanionState = z.infer<typeof companionState>;

/** What the companion would leave now, besides its reviews. */
export function stateOf(of: {
  readonly port: number;
  readonly protocols: readonly RunningProtocol[];
  readonly hookToken: string;
  readonly hookModes: NonNullable<CompanionState['hookModes']>;
  readonly isPaused: boolean;
  readonly disconnected: ReadonlyMap<string, number>;
}): CompanionState {
  const { port, protocols, hookToken } = of;
  return {
    port,
    hookToken,
    tokens: Object.fromEntries(
      protocols.flatMap(({ identity, token }) => (token === undefined ? [] : [[identity.id, token]])),
    ),
    sessions: protocols
      .flatMap((protocol) => protocol.sessions())
      .filter(({ isHooked }) => !isHooked)
      .map(({ agent, id, client, protocolVersion, pid, isAway }) => ({
        agent,
        id,
        client,
        protocolVersion,
        ...(pid !== undefined && { pid }),
        ...(isAway && { isAway }),
      })),
    ...(of.disconnected.size > 0 && { disconnected: Object.fromEntries(of.disconnected) }),
    ...(of.hookModes.length > 0 && { hookModes: of.hookModes }),
    ...(of.isPaused && { isPaused: true }),
  };
}

/** The reviews that the companion would leave now. */
export function reviewsOf(
  reviews: Reviews,
  records: ReviewRecords,
): Pick<JournalContents, 'reviews' | 'interrupted' | 'rejected' | 'history'> {
  const [rejected, history] = [records.in('rejected'), records.in('decided')];
  return {
    reviews: reviews.open.toSorted(compareReviews).map((review) => saveReview(review)),
    interrupted: [...records.in('undelivered'), ...records.in('accepted')].map(savedOf),
    ...(rejected.length > 0 && { rejected: rejected.map(savedOf) }),
    ...(history.length > 0 && { history: history.map(savedOf) }),
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
    (review) => review.agent === agent && !review.isHeld,
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
