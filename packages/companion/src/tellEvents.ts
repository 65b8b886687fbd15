import type { RunningProtocol } from '@tandem/agents';
import { type Disposable, DisposableStore, type Reviews, type SharingPolicy } from '@tandem/core';
import type { CompanionEvent } from './control/companionEvent.js';

type Tell = (event: CompanionEvent) => void;

/** Tells what happens to reviews and to sharing. */
export function tellReviewsAndSharing(
  of: { readonly reviews: Reviews; readonly policy: SharingPolicy },
  tell: Tell,
): Disposable {
  const { reviews, policy } = of;
  const store = new DisposableStore();
  let wasPaused = policy.isPaused;
  store.add(
    reviews.onDidOpen(({ id, proposal: { path, agent, session } }) =>
      tell({ event: 'review.opened', id, path, agent, session }),
    ),
  );
  store.add(
    reviews.onDidDecide(({ id, outcome }) => {
      if (outcome !== undefined) tell({ event: 'review.decided', id, outcome: outcome.kind });
    }),
  );
  store.add(
    policy.onDidChange(() => {
      if (policy.isPaused === wasPaused) return;
      wasPaused = policy.isPaused;
      tell({ event: wasPaused ? 'sharing.paused' : 'sharing.resumed' });
    }),
  );
  return store;
}

/** Tells which agents of one kind come and go. */
export function tellSessions(protocol: RunningProtocol, tell: Tell): Disposable {
  const agent = protocol.identity.id;
  const store = new DisposableStore();
  store.add(
    protocol.onDidOpenSession(({ id, client }) =>
      tell({ event: 'session.connected', agent, session: id, client: { ...client } }),
    ),
  );
  store.add(
    protocol.onDidCloseSession(({ id, client }) =>
      tell({ event: 'session.closed', agent, session: id, client: { ...client } }),
    ),
  );
  return store;
}
