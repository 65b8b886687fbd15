import * as z from 'zod';
import { journalContents } from './journalContents.js';

const formerJournal = z.object({
  format: z.literal(2),
  pid: z.int().positive(),
  /** When that process started, in Unix milliseconds: a later process may have got the same pid. */
  startedAt: z.number(),
  /** The window that it belongs to; a reload changes it. */
  window: z.string(),
  hasEnded: z.boolean(),
  companion: journalContents,
});

/** The journal of a companion of an earlier version: one file with everything. */
export type FormerJournal = z.infer<typeof formerJournal>;

/** Parses the text of such a file; undefined for a format that those versions do not write. Never throws. */
export function parseFormerJournal(text: string): FormerJournal | undefined {
  try {
    return formerJournal.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
