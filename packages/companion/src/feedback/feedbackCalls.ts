import type { Review } from '@tandem/core';
import type { feedbackContract, Handlers } from '@tandem/rpc';
import type { Companion } from '../companion.js';
import { findReview } from '../findReview.js';
import { reviewOf } from '../reviewSummary.js';

/** Answers the calls about comments. */
export function feedbackCalls(companion: Companion): Handlers<typeof feedbackContract> {
  const find = (id: string): Review => findReview(companion, id);
  return {
    'review.comment': ({ id, ...comment }) => find(id).addComment(comment),
    'review.editComment': ({ id, comment, text }) => find(id).editComment(comment, text),
    'review.removeComment': ({ id, comment }) => {
      find(id).removeComment(comment);
      return {};
    },
    'review.feedback': ({ id, ...how }) => {
      const interrupted = companion.interrupted.get(id);
      return companion.feedback.send(interrupted === undefined ? find(id) : reviewOf(interrupted), how);
    },
  };
}
