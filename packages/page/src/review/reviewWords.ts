import { visibleName } from '@tandem/core';
import type { PageReview } from '../wire/index.js';

/** How a review ended. `restarted`: the companion that held it is no more. */
export interface ReviewEnd {
  readonly kind: 'accepted' | 'rejected' | 'withdrawn' | 'restarted';
  readonly reason?: string | undefined;
}

/** How a review ended, if it has. */
export function reviewEnd(review: PageReview, isRestarted: boolean): ReviewEnd | undefined {
  if (review.state !== 'pending') return { kind: review.state, reason: review.withdrawReason };
  return isRestarted ? { kind: 'restarted' } : undefined;
}

/** What became of a review, in a sentence or two. */
export function describeOutcome({ kind, reason }: ReviewEnd, review: PageReview): string {
  const agent = visibleName(review.agentName);
  switch (kind) {
    case 'accepted':
      return review.isEdited
        ? `Accepted with your changes. ${agent} now writes the file.`
        : `Accepted. ${agent} now writes the file.`;
    case 'rejected':
      return `Rejected. The file is unchanged.`;
    case 'restarted':
      return 'The companion was restarted, which ended this review.';
    case 'withdrawn':
      return describeWithdrawal(reason, agent);
  }
}

/** The same in one or two words, for a list. */
export function outcomeWord(review: PageReview): string {
  if (review.state === 'accepted') return review.isEdited ? 'Accepted, edited' : 'Accepted';
  if (review.state === 'rejected') return 'Rejected';
  return review.withdrawReason === 'replaced' ? 'Replaced' : 'Withdrawn';
}

function describeWithdrawal(reason: string | undefined, agent: string): string {
  switch (reason) {
    case 'replaced':
      return `${agent} replaced this with a newer proposal.`;
    case 'agent':
      return `${agent} withdrew this, or it was decided in its terminal.`;
    case 'disconnected':
      return `${agent} disconnected before this was decided.`;
    case 'stopped':
      return 'The companion was stopped before this was decided.';
    case 'not-shown':
      return `This could not be shown here. ${agent} was notified.`;
    default:
      return `This was withdrawn before it was decided.`;
  }
}
