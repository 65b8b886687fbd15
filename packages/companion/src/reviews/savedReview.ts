import { silentLogger, systemClock } from '@tandem/core';
import { marksOf, Review } from '@tandem/reviews';
import { fileContent, reviewComment } from '@tandem/rpc';
import * as z from 'zod';

/** A review in a form that outlives its companion: the proposal, its file, and the user's edits and comments. */
export const savedReview = z.object({
  /** See `ReviewKey`. */
  key: z.string().regex(/^[0-9a-f]{24}$/),
  number: z.string().optional(),
  agent: z.string(),
  session: z.string(),
  path: z.string(),
  /** The content of the file at the time of the proposal. */
  original: fileContent,
  proposed: z.string(),
  content: z.string(),
  /** For each hunk whether it is kept; empty if none was dropped. */
  keptHunks: z.array(z.boolean()),
  /** The user's comments, if there are any. */
  comments: z.array(reviewComment).optional(),
  isOutsideWorkspace: z.boolean(),
  leadsTo: z.string().optional(),
  isInGitFolder: z.boolean().optional(),
  special: z.object({ kind: z.enum(['runs', 'access']), text: z.string() }).optional(),
  isExecutable: z.boolean().optional(),
  heldBack: z.string().optional(),
  /** Unix time in milliseconds. */
  openedAt: z.number(),
  /** For an interrupted review: when it was last known to be pending. */
  interruptedAt: z.number().optional(),
  /** The user accepted it. Without `isAnswered`, it is unknown whether its agent received the answer. */
  isAccepted: z.boolean().optional(),
  /** The agent of an accepted review received its answer. */
  isAnswered: z.boolean().optional(),
  /** Only in the history: how it was decided, or that it is a restoration. `content` is what its file then held. */
  decided: z
    .object({
      /** The number of the review, or `r` and a number for a restoration. */
      id: z.string(),
      /** Unix time in milliseconds. */
      at: z.number(),
      how: z.enum(['accepted', 'rejected', 'restored']),
      /** The agent's name for the change. */
      title: z.string().optional(),
      /** The file was removed. */
      isRemoval: z.boolean().optional(),
      /** A restoration that also wrote what is not this session's: it undid changes of several, or the user resolved a conflict. */
      isMixed: z.boolean().optional(),
      /** Of a restored text, unless it is UTF-8. */
      encoding: z.string().optional(),
    })
    .optional(),
});

export type SavedReview = z.infer<typeof savedReview>;

/** How a review ended, as far as it is known. */
type Ending = Pick<SavedReview, 'interruptedAt' | 'isAccepted' | 'isAnswered'>;

/** The review in its current state. */
export function saveReview(review: Review, ending: Ending = {}): SavedReview {
  const { key, proposal, comments, original, marks, openedAt } = review;
  const { content, keptHunks } = review.edits;
  return {
    key,
    number: review.id,
    agent: proposal.agent,
    session: proposal.session,
    path: proposal.path,
    original,
    proposed: proposal.content,
    content,
    keptHunks: [...keptHunks],
    ...(comments.length > 0 && { comments: [...comments] }),
    ...marks,
    openedAt,
    ...ending,
  };
}

/** Whether the user changed the proposal. */
export function isEdited({ proposed, content }: Pick<SavedReview, 'proposed' | 'content'>): boolean {
  return content !== proposed;
}

/** Whether the user edited it or commented on it. */
export function hasUsersText(review: Pick<SavedReview, 'proposed' | 'content' | 'comments'>): boolean {
  return isEdited(review) || hasComments(review);
}

export function hasComments({ comments = [] }: Pick<SavedReview, 'comments'>): boolean {
  return comments.length > 0;
}

/** Whether the user edited, commented or accepted it: it is kept until the user discards it. */
export function isUsersWork(
  review: Pick<SavedReview, 'proposed' | 'content' | 'comments' | 'isAccepted'>,
): boolean {
  return hasUsersText(review) || review.isAccepted === true;
}

/** A cache: finding the hunks of a large text is slow. A saved review that changes is a new object. */
const remade = new WeakMap<SavedReview, Review>();

/** A saved review as a `Review`: ended if it was decided, otherwise pending, but no agent receives a decision. */
export function remakeReview(saved: SavedReview & { readonly id?: string }): Review {
  const known = remade.get(saved) ?? remake(saved);
  remade.set(saved, known);
  return known;
}

function remake(saved: SavedReview & { readonly id?: string }): Review {
  const { agent, session, path, proposed, original, content, keptHunks, decided } = saved;
  const proposal = {
    agent,
    session,
    path,
    content: proposed,
    ...(decided?.title !== undefined && { title: decided.title }),
  };
  let now = saved.openedAt;
  const review = new Review(
    {
      id: decided?.id ?? saved.id ?? saved.key,
      proposal,
      original,
      ...marksOf(saved),
      edits: { content, keptHunks },
      commented: [saved],
    },
    { clock: { ...systemClock, now: () => now }, logger: silentLogger },
  );
  if (decided === undefined) return review;
  now = decided.at;
  if (decided.how === 'rejected') review.reject();
  else review.accept();
  return review;
}
