import {
  type AgentWriting,
  concernsOf,
  type NoteSources,
  notesOn,
  presentEnd,
  presentInterruption,
  type Review,
} from '@tandem/core';
import type { ReviewFacts, ReviewSummary } from '@tandem/rpc';
import { nameOfAgent, writingOf } from '../agents/agents.js';
import type { ReviewDetails } from '../control/controlContract.js';
import { encodingNotes } from '../files/encodingNotes.js';
import type { InterruptedReview } from './reviewRecords.js';
import { remakeReview } from './savedReview.js';

/** What is known of a review besides itself. */
export type ReviewContext = Partial<Omit<NoteSources, 'encoding'>>;

/** One review without its texts. The first call after a change compares the texts. */
export function summarise(review: Review, context: ReviewContext = {}): ReviewSummary {
  return {
    ...describeFacts(review, context.notKept),
    notes: describeNotes(review, context),
    hunks: review.hunks.length,
    ...review.lineCounts,
  };
}

/** All notes on a review. `writing` is by default that of its agent. */
export function describeNotes(review: Review, { writing, ...context }: ReviewContext = {}) {
  return notesOn(review, {
    writing: writing ?? writingOf(review.proposal.agent),
    encoding: encodingNotes,
    ...context,
  });
}

/** The part of a summary for which no texts are compared: the answer to a decision does not depend on their size. */
export function describeFacts(review: Review, notKept?: string): ReviewFacts {
  return {
    ...summariseUnedited(review),
    isEdited: review.isEdited,
    ...(notKept !== undefined && { notKept }),
  };
}

/** The part of a summary that does not depend on the current text: cheap while the user types. */
export function summariseUnedited(review: Review) {
  const { proposal, outcome, original } = review;
  return {
    id: review.id,
    agent: proposal.agent,
    session: proposal.session,
    ...(proposal.title !== undefined && { title: proposal.title }),
    path: proposal.path,
    state: review.state,
    ...(outcome?.kind === 'withdrawn' && { withdrawReason: outcome.reason }),
    ...(outcome !== undefined && {
      end: presentEnd(outcome.kind, {
        reason: outcome.kind === 'withdrawn' ? outcome.reason : undefined,
        isEdited: outcome.kind === 'accepted' && outcome.isEdited,
        writesOwnText: proposal.writesOwnText,
        agentName: nameOfAgent(proposal.agent),
      }),
    }),
    openedAt: review.openedAt,
    isNewFile: original.kind === 'missing',
    concerns: concernsOf(review),
    ...(proposal.writesOwnText && { writesOwnText: true }),
    isBinary: original.kind === 'binary',
    ...(review.commentCount > 0 && { comments: review.commentCount }),
  };
}

/** One review with its texts. */
export function describeReview(review: Review, context: ReviewContext = {}): ReviewDetails {
  const { original, keptHunks } = review;
  return {
    ...summarise(review, context),
    commentList: [...review.comments],
    ...(original.kind === 'text' && { original: original.text }),
    proposed: review.proposed,
    content: review.content,
    hunkList: review.hunks.map((hunk, index) => ({
      original: hunk.original,
      proposed: hunk.proposed,
      isKept: keptHunks[index] ?? true,
    })),
  };
}

/** How Tandem itself writes the text of a review: in the form of the file. */
const asApplied: AgentWriting = { lineEnds: 'file', encodings: { other: 'kept' } };

/** An interrupted review without its texts. */
export function summariseInterrupted(saved: InterruptedReview, notKept?: string): ReviewSummary {
  return { ...summarise(remakeReview(saved), { notKept, writing: asApplied }), ...endOf(saved) };
}

/** An interrupted review with its texts. */
export function describeInterrupted(saved: InterruptedReview, notKept?: string): ReviewDetails {
  return { ...describeReview(remakeReview(saved), { notKept, writing: asApplied }), ...endOf(saved) };
}

function endOf(saved: InterruptedReview) {
  return { state: 'interrupted' as const, end: presentInterruption(saved.interruption, saved) };
}
