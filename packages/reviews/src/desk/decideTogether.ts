import type { Review } from '../record/review.js';
import { UnanswerableError } from '../record/reviewErrors.js';
import type { Pause } from '../text/steps.js';
import { type Concern, type ConcernKind, concernKinds, isAboutFile } from './concerns.js';
import { findConcerns, type ReviewSurroundings } from './consent.js';

/** Why a review stays pending when others are decided together with it. */
export type Obstacle =
  | ConcernKind // The user has not confirmed it.
  | 'changed' // It, or its file, changed after the user was asked.
  | 'empty' // The agent cannot receive an empty text.
  | 'not-kept' // A crash would lose it.
  | 'edited'; // The user edited it, and has not confirmed that it is rejected.

/** A pending review, as the user sees it in the question before several are decided. */
export interface PendingDecision {
  readonly review: Review;
  /** Identifies what the user sees: the review, its text and its file. */
  readonly seen: string;
  /** Why it would not be accepted: a concern only if it is not confirmed. */
  readonly obstacle: Obstacle | undefined;
  /** What has to be confirmed before it is accepted. */
  readonly concerns: readonly Concern[];
}

/** What became of several reviews. Those that ended elsewhere are in neither list. */
export interface DecidedTogether {
  readonly decided: readonly Review[];
  readonly pending: readonly { readonly review: Review; readonly obstacle: Obstacle }[];
}

/** What the user saw of each review, by its id. */
export type Seen = ReadonlyMap<string, string>;

/** What accepting all pending reviews would do. Merges their files into them, as `followFile`. */
export async function previewTogether(
  reviews: readonly Review[],
  around: ReviewSurroundings,
): Promise<PendingDecision[]> {
  const previews: PendingDecision[] = [];
  for (const review of reviews) {
    const found = await findObstacle(review, [], around);
    if (review.state === 'pending') previews.push({ review, seen: seenOf(review), ...found });
  }
  // Later reads take time, in which the user may have typed into an earlier review.
  return previews.filter(({ review }) => review.state === 'pending');
}

/**
 * The reviews that one more confirmation would accept together with the others, and what it confirms. What happened since a
 * proposal, the user looks at first.
 */
export function findConfirmable(previews: readonly PendingDecision[]): {
  readonly reviews: readonly PendingDecision[];
  readonly kinds: readonly ConcernKind[];
} {
  const reviews = previews.filter(
    ({ obstacle, concerns }) =>
      concerns.some(({ kind }) => kind === obstacle) && concerns.every(({ kind }) => isAboutFile(kind)),
  );
  const kinds = concernKinds.filter((kind) =>
    reviews.some(({ concerns }) => concerns.some((each) => each.kind === kind)),
  );
  return { reviews, kinds };
}

/**
 * Accepts, in their order, the reviews that are as the user saw them and have no obstacle; without `seen`, as they are.
 * `confirmed`: the kinds of concerns that the user confirmed for all of them.
 */
export async function acceptTogether(
  reviews: readonly Review[],
  {
    seen,
    confirmed = [],
  }: { readonly seen: Seen | undefined; readonly confirmed?: readonly string[] | undefined },
  around: ReviewSurroundings,
): Promise<DecidedTogether> {
  const decided: Review[] = [];
  const pending: { review: Review; obstacle: Obstacle }[] = [];
  for (const review of reviews) {
    const { obstacle } = await findObstacle(review, confirmed, around);
    // From here to the decision nothing else can happen.
    if (review.state !== 'pending') continue;
    const found = obstacle ?? (isSeen(review, seen) ? accept(review) : 'changed');
    if (found === undefined) decided.push(review);
    else pending.push({ review, obstacle: found });
  }
  return { decided, pending };
}

/**
 * Rejects the reviews that are as the user saw them, as `acceptTogether`; edited ones only with `rejectsEdited`. `pause`:
 * called after each review, because what a decision causes takes time.
 */
export async function rejectTogether(
  reviews: readonly Review[],
  seen: Seen | undefined,
  { rejectsEdited = false, pause }: { readonly rejectsEdited?: boolean; readonly pause?: Pause } = {},
): Promise<DecidedTogether> {
  const decided: Review[] = [];
  const pending: { review: Review; obstacle: Obstacle }[] = [];
  for (const review of reviews) {
    // From here to the decision nothing else can happen.
    if (review.state !== 'pending') continue;
    review.settle();
    if (!isSeen(review, seen)) pending.push({ review, obstacle: 'changed' });
    else if (review.hasUsersEdits && !rejectsEdited) pending.push({ review, obstacle: 'edited' });
    else if (review.reject()) decided.push(review);
    await pause?.();
  }
  return { decided, pending };
}

/** Equal only for the same text of the same review. Contains `openedAt`, because ids can repeat after a restart. */
function seenOf({ id, openedAt, version }: Review): string {
  return `${id}.${openedAt}.${version}`;
}

function isSeen(review: Review, seen: Seen | undefined): boolean {
  return seen === undefined || seen.get(review.id) === seenOf(review);
}

function accept(review: Review): Obstacle | undefined {
  try {
    review.accept();
    return undefined;
  } catch (error) {
    if (error instanceof UnanswerableError) return 'empty';
    throw error;
  }
}

async function findObstacle(
  review: Review,
  confirmed: readonly string[],
  around: ReviewSurroundings,
): Promise<Pick<PendingDecision, 'obstacle' | 'concerns'>> {
  const { concerns, isMerged } = await findConcerns(review, {}, around);
  const of = (obstacle: Obstacle | undefined) => ({ obstacle, concerns });
  if (review.state !== 'pending') return of(undefined);
  // The user has not seen what was merged.
  if (isMerged) return of('changed');
  if (review.hasUnusableAnswer) return of('empty');
  if (!around.isKept(review)) return of('not-kept');
  return of(concerns.find(({ kind }) => !confirmed.includes(kind))?.kind);
}

/** Why a review stays pending, as the end of a sentence about it. */
export function describeObstacle(obstacle: Obstacle): string {
  switch (obstacle) {
    case 'changed':
      return 'it changed after you were asked';
    case 'empty':
      return 'its agent cannot receive an empty text';
    case 'not-kept':
      return 'a crash would lose it';
    case 'edited':
      return 'you edited it';
    default:
      return obstacleWords[obstacle];
  }
}

const obstacleWords: Readonly<Record<ConcernKind, string>> = {
  git: 'its file is in a .git folder',
  runs: 'its file may run commands',
  access: 'its file gives access to accounts or computers',
  executable: 'its file is a program',
  hidden: 'its file is hidden from the agent',
  outside: 'its file is outside the workspace',
  binary: 'its file is binary',
  unsaved: 'its file has unsaved changes',
  deleted: 'its file was deleted',
  conflict: 'its file changed on lines that the proposal also changes',
  markers: 'its text contains conflict markers',
};
