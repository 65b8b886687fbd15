import * as z from 'zod';

/** What the user has to know before a file is written. `kind` for programs, `text` to show. */
export const concern = z.object({ kind: z.string(), text: z.string() });

/** What the user answered to a question, sent with the call that asked it. */
export const answer = z.object({
  /** The kinds of concerns that the user confirmed. */
  confirmed: z.array(z.string()).readonly().optional(),
  /** Save the editor's unsaved changes first. */
  saves: z.boolean().optional(),
  /** Merge the file into the text, with conflict markers, and decide nothing. */
  merges: z.boolean().optional(),
  /** Of several reviews, only these are decided, and only as the user saw them. */
  seen: z
    .array(z.object({ id: z.string(), seen: z.string() }))
    .readonly()
    .optional(),
  /** Of several reviews, the edited ones are rejected, too. */
  rejectsEdited: z.boolean().optional(),
});

/** What the user has to answer before a call does what it is asked: the error `question` has it. */
export const question = z.object({
  message: z.string(),
  /** Sentences, one in each line. */
  detail: z.string(),
  concerns: z.array(concern).readonly(),
  /** The ways to answer. The last one confirms all concerns; the first ones lose nothing. Empty if nothing can be done now. */
  choices: z
    .array(
      z.object({
        kind: z.string(),
        /** For its button. */
        label: z.string(),
        /** It overwrites, discards, or runs something. */
        isDangerous: z.boolean().optional(),
        answer,
      }),
    )
    .readonly(),
});

export type Answer = z.infer<typeof answer>;
export type Question = z.infer<typeof question>;
