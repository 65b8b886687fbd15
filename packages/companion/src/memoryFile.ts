import * as z from 'zod';
import { savedCompanion } from './savedCompanion.js';

const memoryFile = z.object({
  /** Another one means that another version of Tandem wrote it: it is left to that. */
  format: z.literal(2),
  pid: z.int().positive(),
  /** When that process started, in Unix milliseconds: a later one may have got the same pid. */
  startedAt: z.number(),
  /** The window that it belongs to, as long as it is not loaded anew. */
  window: z.string(),
  hasEnded: z.boolean(),
  companion: savedCompanion,
});

/** What stands in the journal of one companion. */
export type MemoryFile = z.infer<typeof memoryFile>;

/** Reads the text of such a file; undefined for what this version of Tandem does not write. Never throws. */
export function parseMemoryFile(text: string): MemoryFile | undefined {
  try {
    return memoryFile.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
