import { findStop } from './fileUnderReview.js';
import type { FileContent } from './mergeWithFile.js';
import type { Path } from './position.js';
import type { Review } from './review.js';
import { UnanswerableError } from './reviewErrors.js';

/** Why a review stays pending when others are decided together with it: the user has to look at it alone. */
export type Obstacle =
  | 'changed' // It, or its file, changed after the user was asked.
  | 'conflict' // The file changed on the same lines.
  | 'deleted' // The file was deleted.
  | 'markers' // The text contains conflict markers.
  | 'unsaved' // The file has unsaved changes in the editor.
  | 'warning' // A warning about the file needs an answer of its own.
  | 'empty' // The agent cannot receive an empty text.
  | 'not-kept' // A crash would lose it.
  | 'edited'; // The user edited it, and has not confirmed that it is rejected.

/** A pending review, as the user sees it in the question before several are decided. */
export interface PendingDecision {
  readonly review: Review;
  /** Identifies what the user sees: the review, its text and its file. */
  readonly seen: string;
  /** Why it would not be accepted. */
  readonly obstacle: Obstacle | undefined;
}

/** What became of several reviews. Those that ended elsewhere are in neither list. */
export interface DecidedTogether {
  readonly decided: readonly Review[];
  readonly pending: readonly { readonly review: Review; readonly obstacle: Obstacle }[];
}

/** What the user saw of each review, by its id. */
export type Seen = ReadonlyMap<string, string>;

/** What a decision needs to know besides the review. */
export interface ReviewSurroundings {
  /** The content of its file. Undefined if it cannot be read: the agent reports that when it writes the file. */
  readonly readFile: (review: Review) => Promise<FileContent | undefined>;
  /** Whether the editor has unsaved changes to the file. */
  readonly isUnsaved: (path: Path) => Promise<boolean>;
  /** Whether the review survives a crash. */
  readonly isKept: (review: Review) => boolean;
}

/** What accepting all pending reviews would do. Merges their files into them, as `followFile`. */
export async function previewTogether(
  reviews: readonly Review[],
  around: ReviewSurroundings,
): Promise<PendingDecision[]> {
  const previews: PendingDecision[] = [];
  for (const review of reviews) {
    const obstacle = await findObstacle(review, around);
    if (review.state === 'pending') previews.push({ review, seen: seenOf(review), obstacle });
  }
  // Later reads take time, in which the user may have typed into an earlier review.
  return previews.filter(({ review }) => review.state === 'pending');
}

/** Accepts, in their order, the reviews that are as the user saw them and have no obstacle. */
export async function acceptTogether(
  reviews: readonly Review[],
  seen: Seen,
  around: ReviewSurroundings,
): Promise<DecidedTogether> {
  const decided: Review[] = [];
  const pending: { review: Review; obstacle: Obstacle }[] = [];
  for (const review of reviews) {
    const obstacle = await findObstacle(review, around);
    // From here to the decision nothing else can happen.
    if (review.state !== 'pending') continue;
    const found = obstacle ?? (seen.get(review.id) === seenOf(review) ? accept(review) : 'changed');
    if (found === undefined) decided.push(review);
    else pending.push({ review, obstacle: found });
  }
  return { decided, pending };
}

/** Rejects the reviews that are as the user saw them; edited ones only with `rejectsEdited`. */
export function rejectTogether(
  reviews: readonly Review[],
  seen: Seen,
  how: { readonly rejectsEdited?: boolean } = {},
): DecidedTogether {
  const decided: Review[] = [];
  const pending: { review: Review; obstacle: Obstacle }[] = [];
  for (const review of reviews) {
    if (review.state !== 'pending') continue;
    review.settle();
    if (seen.get(review.id) !== seenOf(review)) pending.push({ review, obstacle: 'changed' });
    else if (review.isEdited && how.rejectsEdited !== true) pending.push({ review, obstacle: 'edited' });
    else if (review.reject()) decided.push(review);
  }
  return { decided, pending };
}

/** Equal only for the same text of the same review. Contains `openedAt`, because ids can repeat after a restart. */
function seenOf({ id, openedAt, version }: Review): string {
  return `${id}.${openedAt}.${version}`;
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

async function findObstacle(review: Review, around: ReviewSurroundings): Promise<Obstacle | undefined> {
  const { path } = review.proposal;
  const [file, isUnsaved] = await Promise.all([around.readFile(review), around.isUnsaved(path)]);
  if (review.state !== 'pending') return undefined;
  review.settle();
  const stop = findStop(review, file);
  // The user has not seen what was merged.
  if (stop !== undefined) return stop === 'merged' ? 'changed' : stop;
  if (isUnsaved) return 'unsaved';
  const { marks, original } = review;
  const needsAnswer = marks.isInGitFolder || marks.isOutsideWorkspace || marks.heldBack !== undefined;
  if (needsAnswer || original.kind === 'binary') return 'warning';
  if (review.hasUnusableAnswer) return 'empty';
  return around.isKept(review) ? undefined : 'not-kept';
}
