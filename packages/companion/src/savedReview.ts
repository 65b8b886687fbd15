import { randomBytes } from 'node:crypto';
import type { Review } from '@tandem/core';
import * as z from 'zod';

const fileContent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('missing') }),
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('binary'), size: z.number() }),
]);

/** A review as it outlives its companion: what was proposed for which file, and what the person made of it. */
export const savedReview = z.object({
  /** Names the review in the journal, whatever becomes of it; one that an agent goes on with keeps it. */
  key: z
    .string()
    .regex(/^[0-9a-f]{24}$/)
    .default(newReviewKey),
  agent: z.string(),
  session: z.string(),
  path: z.string(),
  /** What the file held when it was proposed. */
  original: fileContent,
  proposed: z.string(),
  content: z.string(),
  /** For each hunk whether it is kept; empty when nobody has dropped one. */
  keptHunks: z.array(z.boolean()),
  isOutsideWorkspace: z.boolean(),
  isInGitFolder: z.boolean().optional(),
  heldBack: z.string().optional(),
  /** Unix time in milliseconds. */
  openedAt: z.number(),
  /** When it was known to wait last, for one that nobody waits for any more. */
  interruptedAt: z.number().optional(),
  /** A person had accepted it, and whether its agent heard of that is not known. */
  isAccepted: z.boolean().optional(),
  /** That one was handed its answer. */
  isTold: z.boolean().optional(),
});

export type SavedReview = z.infer<typeof savedReview>;

const keys = new WeakMap<Review, string>();
let lastNumber = 0;

/** A key that no other review has. Later ones are greater. */
export function newReviewKey(): string {
  lastNumber = (lastNumber + 1) % 0x1_00_00;
  const time = Date.now().toString(16).padStart(12, '0').slice(-12);
  return `${time}${lastNumber.toString(16).padStart(4, '0')}${randomBytes(4).toString('hex')}`;
}

/** The key of a review. */
export function keyOf(review: Review): string {
  const key = keys.get(review) ?? newReviewKey();
  keys.set(review, key);
  return key;
}

/** A review goes on with what another one held, and takes its place in the journal. */
export function passKey(key: string, review: Review): void {
  keys.set(review, key);
  lastSaved.delete(review);
}

/** What is known of a review that has ended. */
type Ending = Pick<SavedReview, 'interruptedAt' | 'isAccepted' | 'isTold'>;

const lastSaved = new WeakMap<Review, SavedReview>();

/** The review as it is now: the same object as before while nothing has changed. */
export function saveReview(review: Review, ending: Ending = {}): SavedReview {
  const before = lastSaved.get(review);
  const { proposal, content } = review;
  // Finding the hunks takes a while in a large text, and of those that nobody has edited all are kept.
  const keptHunks = content === proposal.content ? [] : review.keptHunks;
  const isSame =
    before !== undefined &&
    before.content === content &&
    before.original === review.original &&
    before.interruptedAt === ending.interruptedAt &&
    before.isAccepted === ending.isAccepted &&
    before.isTold === ending.isTold &&
    areSame(before.keptHunks, keptHunks);
  if (isSame) return before;
  const { original, marks, openedAt } = review;
  const saved: SavedReview = {
    key: keyOf(review),
    agent: proposal.agent,
    session: proposal.session,
    path: proposal.path,
    original,
    proposed: proposal.content,
    content,
    keptHunks: [...keptHunks],
    ...marks,
    openedAt,
    ...ending,
  };
  lastSaved.set(review, saved);
  return saved;
}

/** Whether a person made something else of the proposal. */
export function isEdited({ proposed, content }: Pick<SavedReview, 'proposed' | 'content'>): boolean {
  return content !== proposed;
}

/** Whether the user typed or decided something in it: it is kept until the user lets it go. */
export function isUsersWork(review: Pick<SavedReview, 'proposed' | 'content' | 'isAccepted'>): boolean {
  return isEdited(review) || review.isAccepted === true;
}

function areSame(one: readonly boolean[], other: readonly boolean[]): boolean {
  return one.length === other.length && one.every((each, at) => each === other[at]);
}
