import { type Disposable, DisposableStore, type Reviews, type SharingPolicy } from '@tandem/core';
import type { CompanionEvent } from './control/companionEvent.js';

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
