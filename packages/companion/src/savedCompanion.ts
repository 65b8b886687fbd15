import type { Review, Reviews } from '@tandem/core';
import type { AgentBefore, RunningProtocol } from '@tandem/protocols';
import * as z from 'zod';
import type { InterruptedReviews } from './interruptedReviews.js';
import { isEdited, type SavedReview, savedReview, saveReview, sizeOf } from './savedReview.js';

/** Whether an agent has heard that its proposal was accepted is not known for so long, in milliseconds. */
export const settlingMs = 20_000;
/** What was typed into a proposal that its agent took back or replaced is kept for so long, in milliseconds. */
const takenBackMs = 60 * 60_000;
/** Bounds on what is written down, in code units of text. Larger reviews live only as long as their companion. */
const maxReview = 16 * 1024 * 1024;
const maxTotal = 48 * 1024 * 1024;
const maxReviews = 200;

/**
 * What a companion leaves to the one that follows it in the same window, so that agents which are connected go on as if
 * nothing had happened, and people find what they typed. It holds tokens and texts: for a private file.
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
  reviews: z.array(savedReview),
  /** Those that nobody waited for, the oldest first. */
  interrupted: z.array(savedReview),
  /** Those that a person rejected and whose agents may not have heard of it. */
  rejected: z.array(savedReview).optional(),
  /** Agents were told of the end: what nobody has edited is theirs to propose again. */
  endedInOrder: z.boolean(),
});

export type SavedCompanion = z.infer<typeof savedCompanion>;

/** What there is to leave now, and how many reviews of it were too large. */
export function saveCompanion(of: {
  readonly port: number;
  readonly protocols: readonly RunningProtocol[];
  readonly reviews: Reviews;
  readonly interrupted: InterruptedReviews;
  readonly now: number;
}): { readonly saved: SavedCompanion; readonly leftOut: number } {
  const { port, protocols, now } = of;
  const pending = of.reviews.pending.map((review) => saveReview(review));
  const interrupted = [
    ...of.interrupted.all.map(({ id: _id, isNew: _isNew, ...saved }) => saved),
    ...ended(of.reviews, now),
  ];
  const worth = [...pending, ...interrupted];
  const rejected = [...of.interrupted.rejected, ...rejectedUnheard(of.reviews, now)];
  const kept = withinBounds([...worth, ...rejected]);
  const isKept = (review: SavedReview): boolean => kept.has(review);
  return {
    saved: {
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
      reviews: pending.filter(isKept),
      interrupted: interrupted.filter(isKept),
      ...(rejected.length > 0 && { rejected: rejected.filter(isKept) }),
      endedInOrder: false,
    },
    leftOut: worth.filter((review) => !isKept(review)).length,
  };
}

/** What one agent has of it, with the decisions that it may not have heard; `undefined` when it was not served. */
export function beforeOf(
  saved: SavedCompanion,
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

/** Whether the agent of a review may not have heard, at `now`, that it was accepted: it was not told, or only just. */
export function isSettling(review: Review, reviews: Reviews, now: number): boolean {
  const { outcome, decidedAt = now } = review;
  return outcome?.kind === 'accepted' && (!reviews.isAnswered(review) || now - decidedAt < settlingMs);
}

/** What is kept of such a review. */
export function saveSettling(review: Review, reviews: Reviews): SavedReview {
  return { ...saveReview(review, review.decidedAt), isAccepted: true, isTold: reviews.isAnswered(review) };
}

/** Of several for one file of one session the last one: an agent waits for no other. */
function latestOfEach(reviews: readonly SavedReview[]): SavedReview[] {
  return [...new Map(reviews.map((review) => [`${review.session} ${review.path}`, review])).values()];
}

/** Texts of reviews that ended a moment ago, and would be missed after a crash at this moment. */
function ended(reviews: Reviews, now: number): SavedReview[] {
  return reviews.ended.flatMap((review) => {
    const { outcome, decidedAt = now } = review;
    const wasTakenBack =
      outcome?.kind === 'withdrawn' &&
      (outcome.reason === 'agent' || outcome.reason === 'replaced') &&
      now - decidedAt < takenBackMs;
    if (isSettling(review, reviews, now)) return [saveSettling(review, reviews)];
    return review.isEdited && wasTakenBack ? [saveReview(review, decidedAt)] : [];
  });
}

/** A rejection is nothing to lose but for the agent that waits for it. */
function rejectedUnheard(reviews: Reviews, now: number): SavedReview[] {
  return reviews.ended
    .filter((review) => review.outcome?.kind === 'rejected' && !reviews.isAnswered(review))
    .map((review) => saveReview(review, review.decidedAt ?? now));
}

/** As many as there is room for: first what somebody typed, and of that the newest. */
function withinBounds(reviews: readonly SavedReview[]): ReadonlySet<SavedReview> {
  const kept = new Set<SavedReview>();
  let total = 0;
  const byWorth = [...reviews].sort(
    (one, other) => Number(isEdited(other)) - Number(isEdited(one)) || other.openedAt - one.openedAt,
  );
  for (const review of byWorth) {
    const size = sizeOf(review);
    if (size > maxReview || total + size > maxTotal || kept.size === maxReviews) continue;
    total += size;
    kept.add(review);
  }
  return kept;
}
