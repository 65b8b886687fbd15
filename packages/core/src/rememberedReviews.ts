import type { Review } from './review.js';

/** The limit on code units of all spent reviews, except the newest one. */
const spentText = 1024 * 1024;

/** Bounds on ended reviews that stay readable. */
export interface RememberLimits {
  readonly reviews: number;
  /** Code units of text, in all. */
  readonly text: number;
}

/**
 * Which of these ended reviews stay readable. The newest comes first and always stays. Proposals that the agent
 * withdrew and the user neither edited nor commented have little value: of those only small ones stay.
 */
export function findRemembered(
  newestFirst: Iterable<Review>,
  { reviews, text }: RememberLimits,
): ReadonlySet<Review> {
  const kept = new Set<Review>();
  let [size, spent] = [0, 0];
  for (const review of newestFirst) {
    const own = sizeOf(review);
    if (kept.size > 0) {
      // Beyond the limits the oldest are dropped.
      if (kept.size === reviews || size + own > text) break;
      if (isSpent(review)) {
        if (spent + own > spentText) continue;
        spent += own;
      }
    }
    kept.add(review);
    size += own;
  }
  return kept;
}

/** Whether a review is withdrawn and has no edits and comments of the user. */
function isSpent(review: Review): boolean {
  return review.state === 'withdrawn' && !review.hasUsersText;
}

/** How many code units of text a review holds. */
function sizeOf(review: Review): number {
  const { proposal, proposed, original, content } = review;
  const texts = new Set([proposal.content, proposed, content]);
  if (original.kind === 'text') texts.add(original.text);
  return [...texts].reduce((size, text) => size + text.length, 0);
}
