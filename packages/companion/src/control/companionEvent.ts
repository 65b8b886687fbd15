import { type Disposable, DisposableStore, type Event, type SharingPolicy, TouchDelay } from '@tandem/core';
import type { Reviews } from '@tandem/reviews';
import * as z from 'zod';

const session = z.object({
  agent: z.string(),
  session: z.string(),
  client: z.object({ name: z.string(), version: z.string() }),
});

/** What happens in a companion: agents that connect, reviews, pauses of sharing. Plain data: no token, no file content. */
const companionEvents = [
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
] as const;

/** `tandem serve --json` prints most of them: one JSON object per line. */
export type CompanionEvent = z.infer<(typeof companionEvents)[number]>;

/** What the control interface streams: the same, and what views have to read again. */
export const streamedEvent = z.discriminatedUnion('event', [
  ...companionEvents,
  /** Its text, its hunks, its comments or what is known of its file changed. */
  z.object({ event: z.literal('review.changed'), id: z.string() }),
  /** What lists of interrupted reviews, sessions or changes show is another. */
  z.object({ event: z.literal('lists.changed') }),
]);

export type StreamedEvent = z.infer<typeof streamedEvent>;

interface Listed {
  readonly onDidChange: Event<void>;
}

/**
 * Writes each event of a companion as a line, until it is disposed. What views have to read again is written a moment later, once for
 * several changes.
 */
export function streamEvents(
  of: {
    readonly onEvent: Event<CompanionEvent>;
    readonly reviews: Reviews;
    readonly interrupted: Listed;
    readonly history: Listed;
    readonly sessions: Listed;
    readonly journal: Listed;
  },
  writeLine: (line: string) => void,
): DisposableStore {
  const owned = new DisposableStore();
  const write = (event: StreamedEvent): void => writeLine(JSON.stringify(event));
  const changed = new Set<string>();
  let areListsChanged = false;
  const delay = owned.add(
    new TouchDelay(async () => {
      for (const id of changed) write({ event: 'review.changed', id });
      changed.clear();
      if (areListsChanged) write({ event: 'lists.changed' });
      areListsChanged = false;
    }),
  );
  owned.add(of.onEvent(write));
  owned.add(
    of.reviews.onDidChange(({ id }) => {
      changed.add(id);
      delay.touch();
    }),
  );
  for (const { onDidChange } of [of.interrupted, of.history, of.sessions, of.journal]) {
    owned.add(
      onDidChange(() => {
        areListsChanged = true;
        delay.touch();
      }),
    );
  }
  return owned;
}

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
