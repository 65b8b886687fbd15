import type { FoundCompanion } from '@tandem/companion/control';
import type { ReviewSummary } from '@tandem/rpc';
import { ask } from './connectCompanion.js';
import { CommandError, exitCode } from './exitCode.js';
import { plainReviewLine } from './reviewText.js';

/** The reviews that wait, after those that were interrupted, and with `all` the last ones that ended before them. */
export function listReviews(companion: FoundCompanion, all: boolean): Promise<ReviewSummary[]> {
  return ask(companion, 'review.list', { all });
}

/** The review to use when the user names none: the only pending one. Throws `CommandError` otherwise. */
export async function findReviewId(companion: FoundCompanion): Promise<string> {
  const pending = (await listReviews(companion, false)).filter(({ state }) => state === 'pending');
  const [only] = pending;
  if (only !== undefined && pending.length === 1) return only.id;
  if (only === undefined) throw new CommandError('No pending reviews.', exitCode.noSuchReview);
  const lines = pending.map((review) => plainReviewLine(review, process.cwd()));
  throw new CommandError(
    `Several reviews are pending. Name one by its number:\n${lines.join('\n')}`,
    exitCode.usage,
  );
}
