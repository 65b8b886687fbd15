import { type Hunk, hunksInSteps, KnownResults, type Pause, type Review, type Steps } from '@tandem/reviews';

/** Cached, because comparing large texts takes time. */
const computed = new WeakMap<Review, KnownResults<Pick<Review, 'proposed' | 'content'>, readonly Hunk[]>>();

/** Where the current text differs from the agent's proposal. */
export function userHunks(review: Review): readonly Hunk[] {
  const { proposed, content } = review;
  return resultsOf(review).get({ proposed, content });
}

/** Finds in short steps where the user changed the proposal. Undefined if that took no pause. */
export function prepareUserEdits(review: Review, pause: Pause): Promise<void> | undefined {
  const newest = () => ({ proposed: review.proposed, content: review.content });
  return resultsOf(review).prepare(newest, pause);
}

function resultsOf(review: Review): KnownResults<Pick<Review, 'proposed' | 'content'>, readonly Hunk[]> {
  const known =
    computed.get(review) ??
    new KnownResults(
      function* ({ proposed, content }): Steps<readonly Hunk[]> {
        return proposed === content ? [] : yield* hunksInSteps(proposed, content);
      },
      (one, other) => one.proposed === other.proposed && one.content === other.content,
    );
  computed.set(review, known);
  return known;
}

/** How many lines of the current text differ from the proposal, and how many of the proposal are missing. */
export function editedLineCount(review: Review): number {
  return userHunks(review).reduce((sum, each) => sum + Math.max(each.original.count, each.proposed.count), 0);
}
