import * as z from 'zod';

/**
 * What happens in a companion, as `tandem serve --json` prints it and as the control interface streams it: one
 * JSON object a line. Plain data: no token, no file content.
 */
export const companionEvent = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('session.connected'),
    agent: z.string(),
    session: z.string(),
    client: z.object({ name: z.string(), version: z.string() }),
  }),
  z.object({
    event: z.literal('session.closed'),
    agent: z.string(),
    session: z.string(),
    client: z.object({ name: z.string(), version: z.string() }),
  }),
  /** Agents that the companion before had have not come back by themselves. */
  z.object({
    event: z.literal('session.lost'),
    agent: z.string(),
    displayName: z.string(),
    /** How many of them. */
    count: z.int(),
    /** What a person types in the agent to connect it. */
    connect: z.string(),
  }),
  /** Agents that were told of so are here again, all of their kind or some. */
  z.object({
    event: z.literal('session.returned'),
    agent: z.string(),
    displayName: z.string(),
    /** How many are missing still. */
    count: z.int(),
  }),
  z.object({
    event: z.literal('review.opened'),
    id: z.string(),
    path: z.string(),
    agent: z.string(),
    session: z.string(),
  }),
  z.object({
    event: z.literal('review.decided'),
    id: z.string(),
    outcome: z.enum(['accepted', 'rejected', 'withdrawn']),
  }),
  z.object({ event: z.literal('sharing.paused') }),
  z.object({ event: z.literal('sharing.resumed') }),
]);

export type CompanionEvent = z.infer<typeof companionEvent>;
