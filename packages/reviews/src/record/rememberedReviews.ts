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
    const { size: own, isSpent } = weigh(review);
    if (kept.size > 0) {
      // Beyond the limits the oldest are dropped.
      if (kept.size === reviews || size + own > text) break;
      if (isSpent) {
        if (spent + own > spentText) continue;
        spent += own;
      }
    }
    kept.add(review);
    size += own;
  }
  return kept;
}

interface Weight {
  /** Code units of text. */
  readonly size: number;
  /** Whether it is withdrawn and has no edits and comments of the user. */
  readonly isSpent: boolean;
}

/** A cache: each end of a review weighs all others, and an ended review does not change. */
const weights = new WeakMap<Review, Weight>();

function weigh(review: Review): Weight {
  const known = weights.get(review);
  if (known !== undefined) return known;
  const isSpent = review.state === 'withdrawn' && !review.hasUsersText;
  const weight = { size: sizeOf(review), isSpent };
  weights.set(review, weight);
  return weight;
}

function sizeOf({ proposal, proposed, original, content }: Review): number {
  const texts = new Set([proposal.content, proposed, content]);
  if (original.kind === 'text') texts.add(original.text);
  return [...texts].reduce((size, text) => size + text.length, 0);
}
