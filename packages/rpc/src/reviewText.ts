import * as z from 'zod';

/** Values that a companion also keeps. */

/** Lines of a file, inclusive. */
export const lineRange = z.object({ first: z.int().min(0), last: z.int().min(0) });

/** What is at a path. `encoding` is absent for UTF-8; `size` in bytes. */
export const fileContent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('missing') }),
  z.object({ kind: z.literal('text'), text: z.string(), encoding: z.string().optional() }),
  z.object({ kind: z.literal('binary'), size: z.number() }),
]);

/** What a user wrote on lines of a review, or on the whole proposal. */
export const reviewComment = z.object({
  id: z.string(),
  /** `proposal`: `lines` are those of the current text; `file`: those of the original. */
  side: z.enum(['proposal', 'file']),
  /** As they are now: they follow edits of the text. Absent for a comment on the whole proposal. */
  lines: lineRange.optional(),
  /** The lines as they were when the comment was made, joined by `\n`; a long quote is cut. */
  quote: z.string(),
  text: z.string(),
});

/** A prompt of the user, and what the agent did for it. See `SessionTurn` in `@tandem/reviews`. */
export const sessionTurn = z.object({ number: z.int(), prompt: z.string().optional() });
