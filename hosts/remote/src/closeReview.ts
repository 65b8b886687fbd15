import { type Review, visibleName } from '@tandem/core';
import type { CloseAnswer, WhenClosed } from './protocol.js';

/**
 * The user closed the view of a review. The agents' specifications treat that as a rejection. A review with the user's text
 * asks first, and closing several views at once decides nothing.
 */
export function closeReview(
  review: Review,
  {
    whenClosed,
    isSeveral,
    agentName,
    label,
  }: {
    readonly whenClosed: WhenClosed;
    readonly isSeveral: boolean;
    readonly agentName: string;
    /** The file, for the user. */
    readonly label: string;
  },
): CloseAnswer {
  if (review.outcome !== undefined || whenClosed === 'keep') return {};
  const proposal = `the proposal by ${visibleName(agentName)} for ${label}`;
  if (isSeveral) return { note: `Closing several views rejects nothing: ${proposal} is still pending.` };
  if (whenClosed === 'reject' && !review.hasUsersText) {
    review.reject();
    return { note: `Closing the view rejected ${proposal}.` };
  }
  const { id } = review;
  const why = review.isEdited ? 'You edited' : review.hasUsersText ? 'You commented on' : 'You closed';
  return {
    question: {
      message: `${why} ${proposal}. Reject it?`,
      choices: [
        { label: 'Reject', method: 'review/reject', params: { id } },
        { label: 'Show again', method: 'review/show', params: { id } },
      ],
    },
  };
}
