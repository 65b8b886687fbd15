import type { PageReview } from '../wire/index.js';
import { isTyping } from './isTyping.js';
import { describeAdvance, describeArrival, nextPending } from './reviewWords.js';
import type { Shell } from './shell.js';

/** A second press of the same keys within this time was meant for the review that was just decided. */
export const slipMs = 700;

/** How long the notice of a new review stays; the queue shows it anyway. */
const noticeMs = 10_000;

/**
 * Watches the queue: tells of new reviews without taking the focus, and goes on to the next one after a decision that
 * was made here.
 */
export function watchReviews(shell: Shell): void {
  let known: readonly PageReview[] | undefined;
  let waiting: PageReview[] = [];
  shell.services.store.subscribe(({ reviews, restarts }, { reviews: before, restarts: restartsBefore }) => {
    // Another companion gives the numbers of its reviews anew.
    if (restarts !== restartsBefore) known = [];
    if (reviews === before) return;
    const isFirst = known === undefined;
    const decided = known?.filter(({ id, state }) => state === 'pending' && isDecided(reviews, id)) ?? [];
    const fresh = reviews.filter(
      ({ id, state }) => state === 'pending' && !known?.some((other) => other.id === id),
    );
    const queue = known ?? [];
    known = reviews;
    waiting = waiting.filter(({ id }) => reviews.some((r) => r.id === id && r.state === 'pending'));
    shell.dropReviews(reviews);
    if (fresh.length > 0) arrive(fresh, isFirst);
    for (const review of decided) advance(review, queue, reviews);
    if (waiting.length === 0) shell.notices.dismiss(arrivalKey);
  });
  // Who has found one of them need not be told of the others: the queue is before their eyes.
  shell.tabs.state.subscribe(() => {
    const shown = shell.tabs.active?.id;
    if (waiting.some(({ id }) => id === shown)) shell.notices.dismiss(arrivalKey);
  });

  function arrive(fresh: readonly PageReview[], isFirst: boolean): void {
    // What waited before the page was opened is shown with everything else that the page begins with.
    if (isFirst) return;
    const first = fresh[0];
    if (first !== undefined && shell.tabs.active === undefined && !isTyping()) {
      shell.openReview(first.id, { takesFocus: false });
      // What is in front of the person's eyes needs no notice.
      shell.notices.say(describeArrival(fresh));
      return;
    }
    // Those that came while the notice is still there are told of together.
    waiting = shell.notices.has(arrivalKey) ? [...waiting, ...fresh] : [...fresh];
    shell.notices.show({
      key: arrivalKey,
      kind: 'info',
      text: describeArrival(waiting),
      staysMs: noticeMs,
      action: {
        label: 'Review',
        run: () => {
          const id = waiting[0]?.id;
          waiting = [];
          if (id !== undefined) shell.openReview(id, { takesFocus: true });
        },
      },
    });
  }

  /** Goes on only from the review that was decided in front of the person, who is not writing elsewhere. */
  function advance(review: PageReview, queue: readonly PageReview[], reviews: readonly PageReview[]): void {
    const { active } = shell.tabs;
    if (active?.kind !== 'review' || active.id !== review.id || !document.hasFocus()) return;
    if (shell.leaving.has(review.id)) return;
    const next = nextPending(review.id, queue, reviews);
    if (next === undefined) return;
    const panel = document.getElementById('review-panel');
    const isInside =
      document.activeElement === document.body || panel?.contains(document.activeElement) === true;
    const isDecidedHere = shell.services.store.getState().decidedHere === review.id;
    // Decided in another page or in a terminal, it may still be what the person is writing in.
    if (isTyping() && !(isInside && isDecidedHere)) return;
    const decided = reviews.find(({ id }) => id === review.id) ?? review;
    shell.notices.show({
      key: decidedKey,
      kind: 'good',
      text: describeAdvance(decided, next),
      staysMs: noticeMs,
    });
    shell.openReview(next.id, { takesFocus: isInside, replaces: review.id });
    shell.advancedAt = performance.now();
  }
}

const arrivalKey = 'new-review';
const decidedKey = 'decided-review';

/** A review that the agent took back stays where it is: the person may have typed something into it. */
function isDecided(reviews: readonly PageReview[], id: string): boolean {
  const state = reviews.find((review) => review.id === id)?.state;
  return state === 'accepted' || state === 'rejected';
}
