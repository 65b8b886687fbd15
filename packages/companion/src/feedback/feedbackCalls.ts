import type { Review } from '@tandem/core';
import type { Handlers } from '@tandem/rpc';
import type { feedbackContract } from '@tandem/rpc/schemas';
import type { Companion } from '../companion.js';
import { findReview } from '../reviews/findReview.js';
import { remakeReview } from '../reviews/savedReview.js';

/** Answers the calls about comments, once the journal has them. */
export function feedbackCalls(companion: Companion): Handlers<typeof feedbackContract> {
  const { reviews } = companion;
  const find = (id: string): Review => findReview(companion, id);
  return {
    'review.comment': async ({ id, ...comment }) => {
      const added = find(id).addComment(comment);
      await reviews.persisted();
      return added;
    },
    'review.editComment': async ({ id, comment, text }) => {
      const edited = find(id).editComment(comment, text);
      await reviews.persisted();
      return edited;
    },
    'review.removeComment': async ({ id, comment }) => {
      find(id).removeComment(comment);
      await reviews.persisted();
      return {};
    },
    'review.feedback': ({ id, ...how }) => {
      const interrupted = companion.interrupted.get(id);
      return companion.feedback.send(interrupted === undefined ? find(id) : remakeReview(interrupted), how);
    },
  };
}
