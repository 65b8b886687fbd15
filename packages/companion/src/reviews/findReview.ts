import type { Review } from '@tandem/reviews';
import { RpcError } from '@tandem/rpc';
import type { Companion } from '../companion.js';
import { commandName } from '../control/thisMachine.js';

/** A pending review, one of the last that ended, or a decided one of the history, unless it is interrupted. Throws `RpcError`. */
export function findReview({ reviews, interrupted, history }: Companion, id: string): Review {
  if (interrupted.get(id) !== undefined) {
    throw new RpcError(
      'refused',
      `Review ${id} was interrupted, so it cannot be decided. Apply it to its file: ${commandName} review apply ${id}\nOr discard it: ${commandName} review discard ${id}`,
    );
  }
  const review = reviews.get(id) ?? history.review(id);
  if (review !== undefined) return review;
  const pending = reviews.pending.map((each) => each.id).join(', ') || 'none';
  throw new RpcError('not-found', `There is no review ${id}. Pending: ${pending}.`);
}
