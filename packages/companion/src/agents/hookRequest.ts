import * as z from 'zod';

/** What the program of a hook sends. */
export const hookRequest = z.object({
  agent: z.string(),
  pid: z.int(),
  mode: z.enum(['before', 'follow', 'after']).catch('before'),
  isInteractive: z.boolean(),
  isRepeated: z.boolean().optional(),
  input: z.unknown(),
});
