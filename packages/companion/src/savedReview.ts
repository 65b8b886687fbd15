import type { Review } from '@tandem/core';
import * as z from 'zod';

const fileContent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('missing') }),
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('binary'), size: z.number() }),
]);

/** A review as it outlives its companion: what was proposed for which file, and what the person made of it. */
export const savedReview = z.object({
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

export function saveReview(review: Review, interruptedAt?: number): SavedReview {
  const { proposal, original, content, marks, openedAt } = review;
  return {
    agent: proposal.agent,
    session: proposal.session,
    path: proposal.path,
    original,
    proposed: proposal.content,
    content,
    // Nobody has dropped one of them, and finding them takes a while in a large text.
    keptHunks: review.isEdited ? [...review.keptHunks] : [],
    ...marks,
    openedAt,
    ...(interruptedAt !== undefined && { interruptedAt }),
  };
}

/** Whether a person made something else of the proposal. */
export function isEdited({ proposed, content }: Pick<SavedReview, 'proposed' | 'content'>): boolean {
  return content !== proposed;
}

/** How many code units of text it holds. */
export function sizeOf({ original, proposed, content }: SavedReview): number {
  return (original.kind === 'text' ? original.text.length : 0) + proposed.length + content.length;
}
