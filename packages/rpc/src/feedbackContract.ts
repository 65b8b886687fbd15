import * as z from 'zod';
import { lineRange, reviewComment } from './reviewText.js';
import { id, none } from './values.js';

/** The user's comments on one review as a text for its agent. */
const feedback = z.object({
  /** Stands alone: it names the file and quotes the lines. A view offers it for copying. */
  text: z.string(),
  /** `prompt`: the agent has it, in its prompt, not submitted, or by its hook. `clipboard`: it was put nowhere. */
  delivery: z.enum(['prompt', 'clipboard']),
  /** What happened and what to do, for the user. */
  note: z.string(),
});

/** Comments on a review, and sending them to its agent: part of the control interface and of the page's calls. */
export const feedbackContract = {
  /** Comments on lines of a pending review, or on the whole proposal. */
  'review.comment': {
    params: z.object({
      id,
      text: z.string(),
      side: reviewComment.shape.side.optional(),
      lines: lineRange.optional(),
    }),
    result: reviewComment,
  },
  'review.editComment': { params: z.object({ id, comment: id, text: z.string() }), result: reviewComment },
  'review.removeComment': { params: z.object({ id, comment: id }), result: none },
  /**
   * Composes the comments, and `text` on the whole proposal, and puts them into the agent's prompt, never submitted. Rejects
   * the review first if `rejects`. Fails with `bad-params` if there is nothing to send; then it rejects nothing.
   */
  'review.feedback': {
    params: z.object({ id, rejects: z.boolean().optional(), text: z.string().optional() }),
    result: feedback,
  },
} as const;

export type Feedback = z.infer<typeof feedback>;
