import * as z from 'zod';

/** Values that a companion also keeps, and the sentences of its views. */

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

/** The message to the user for a review that a crash would lose. `reason` is its `notKept`. */
export function describeUnsaved(isEdited: boolean, reason: string): string {
  return `Not saved: a crash would lose ${isEdited ? 'your edits' : 'this review'} (${reason}).`;
}

/** What a view says, before the user accepts, about an agent that writes its own text. */
export const ownTextNote =
  'This agent always writes its own proposal. If you edit it, your text is kept, and you can apply it after the agent has written the file.';
