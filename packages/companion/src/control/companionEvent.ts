import { type Disposable, DisposableStore, type SharingPolicy } from '@tandem/core';
import type { Reviews } from '@tandem/reviews';
import * as z from 'zod';

const session = z.object({
  agent: z.string(),
  session: z.string(),
  client: z.object({ name: z.string(), version: z.string() }),
});

/**
 * The events of a companion, as `tandem serve --json` prints them and the control interface streams them: one JSON
 * object per line. Plain data: no token, no file content.
 */
export const companionEvent = z.discriminatedUnion('event', [
  session.extend({ event: z.literal('session.connected') }),
  session.extend({ event: z.literal('session.closed') }),
  /** Agents that were connected before a restart did not return. */
  z.object({
    event: z.literal('session.lost'),
    agent: z.string(),
    displayName: z.string(),
    count: z.int(),
    /** What to type in the agent to connect it. */
    connect: z.string(),
  }),
  /** Lost agents returned, all of their kind or some. `count` are still missing. */
  z.object({
    event: z.literal('session.returned'),
    agent: z.string(),
    displayName: z.string(),
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

/** What happens in a companion: agents that connect, reviews, pauses of sharing. */
export type CompanionEvent = z.infer<typeof companionEvent>;

/** Reports reviews, and pauses of sharing, until it is disposed. */
export function reportEvents(
  { reviews, policy }: { readonly reviews: Reviews; readonly policy: SharingPolicy },
  report: (event: CompanionEvent) => void,
): Disposable {
  const owned = new DisposableStore();
  owned.add(
    reviews.onDidOpen(({ id, proposal: { path, agent, session } }) =>
      report({ event: 'review.opened', id, path, agent, session }),
    ),
  );
  owned.add(
    reviews.onDidDecide(({ id, outcome }) => {
      if (outcome !== undefined) report({ event: 'review.decided', id, outcome: outcome.kind });
    }),
  );
  let wasPaused = policy.isPaused;
  owned.add(
    policy.onDidChange(() => {
      if (policy.isPaused === wasPaused) return;
      wasPaused = policy.isPaused;
      report({ event: wasPaused ? 'sharing.paused' : 'sharing.resumed' });
    }),
  );
  return owned;
}
