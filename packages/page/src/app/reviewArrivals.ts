import { visibleName } from '@tandem/core';
import type { ReviewSummary } from '@tandem/rpc';
import { inQueueOrder, nextPending, sessionViews } from '../review/sessionGroups.js';
import { decidedKey, undoAction } from '../review/undoDecision.js';
import { isTyping } from './pageFocus.js';
import type { ShellParts } from './shellState.js';

/** A second press of the same keys within this time was meant for the review that was just decided. */
export const slipMs = 700;

/** How long the notice of a new review or a decision stays; the queue shows them anyway. */
export const noticeMs = 10_000;

/**
 * Watches the queue: announces new reviews without taking the focus, and opens the next one after a decision that was
 * made here.
 */
export function watchReviews(shell: ShellParts): void {
  let known: readonly ReviewSummary[] | undefined;
  let announced: ReviewSummary[] = [];
  shell.services.store.subscribe((now, last) => {
    const { reviews, restarts } = now;
    const { reviews: before, restarts: restartsBefore } = last;
    if (now.interrupted !== last.interrupted) shell.dropInterrupted(now.interrupted, last.interrupted);
    // Another companion may number its reviews from one again.
    if (restarts !== restartsBefore) known = [];
    if (now.decided !== last.decided) shell.dropReviews();
    if (reviews === before) return;
    const isFirst = known === undefined;
    const decided = known?.filter(({ id, state }) => state === 'pending' && isDecided(reviews, id)) ?? [];
    const fresh = reviews.filter(
      ({ id, state }) => state === 'pending' && !known?.some((other) => other.id === id),
    );
    const queue = inQueueOrder(known ?? [], shell.services.store.getState().sessions);
    known = reviews;
    announced = announced.filter(({ id }) => reviews.some((r) => r.id === id && r.state === 'pending'));
    shell.dropReviews();
    if (fresh.length > 0) arrive(fresh, isFirst);
    for (const review of decided) {
      const next = advance(review, queue, reviews);
      const here = review.id === now.decidedHere?.id ? now.decidedHere : undefined;
      // What was decided together is reported together.
      if (here === undefined ? next !== undefined : !here.isOneOfSeveral) report(review, next);
    }
    if (announced.length === 0) shell.notices.dismiss(arrivalKey);
  });
  // A user who has opened one of them sees the others in the queue.
  shell.tabs.state.subscribe(() => {
    const shown = shell.tabs.active?.id;
    if (announced.some(({ id }) => id === shown)) shell.notices.dismiss(arrivalKey);
  });

  function arrive(fresh: readonly ReviewSummary[], isFirst: boolean): void {
    // What waited before the page was opened is shown with everything else that the page begins with.
    if (isFirst) return;
    const { followed } = sessionViews.getState();
    const isBusy = isTyping() || shell.state.getState().dialog !== undefined;
    const first = fresh.find(({ session }) => followed.has(session)) ?? fresh[0];
    const opens =
      first !== undefined && (shell.tabs.active === undefined || followed.has(first.session)) && !isBusy;
    if (opens) {
      // The text that had the focus is replaced.
      shell.openReview(first.id, { takesFocus: isInReview() });
      // The review is visible, so that it needs no notice.
      shell.notices.announce(describeArrival(fresh));
      return;
    }
    // The notice that is still shown covers the new ones as well.
    announced = shell.notices.has(arrivalKey) ? [...announced, ...fresh] : [...fresh];
    shell.notices.show({
      key: arrivalKey,
      kind: 'info',
      text: describeArrival(announced),
      staysMs: noticeMs,
      action: {
        label: 'Review',
        run: () => {
          const id = announced[0]?.id;
          announced = [];
          if (id !== undefined) shell.openReview(id, { takesFocus: true });
        },
      },
    });
  }

  function report(review: ReviewSummary, next: ReviewSummary | undefined): void {
    const decided = shell.services.store.getState().reviews.find(({ id }) => id === review.id) ?? review;
    const action = undoAction(shell, decided);
    shell.notices.show({
      key: decidedKey,
      kind: 'good',
      text: describeAdvance(decided, next),
      staysMs: noticeMs,
      ...(action !== undefined && { action }),
    });
  }

  /** Opens the next review after the active one was decided, unless the user is typing elsewhere. Returns it. */
  function advance(
    review: ReviewSummary,
    queue: readonly ReviewSummary[],
    reviews: readonly ReviewSummary[],
  ): ReviewSummary | undefined {
    const { active } = shell.tabs;
    if (active?.kind !== 'review' || active.id !== review.id || !document.hasFocus()) return undefined;
    if (shell.leaving.has(review.id)) return undefined;
    const open = reviews.filter(({ id }) => !shell.closings.has(id));
    const next = nextPending(review.id, queue, open);
    if (next === undefined) return undefined;
    const isInside = document.activeElement === document.body || isInReview();
    const isDecidedHere = shell.services.store.getState().decidedHere?.id === review.id;
    // If it was decided in another page or in a terminal, the user may still be typing in it.
    if (isTyping() && !(isInside && isDecidedHere)) return undefined;
    shell.openReview(next.id, { takesFocus: isInside, replaces: review.id });
    shell.advancedAt = performance.now();
    return next;
  }
}

/** Whether the focus is in the active review. */
function isInReview(): boolean {
  return document.getElementById('review-panel')?.contains(document.activeElement) === true;
}

const arrivalKey = 'new-review';

/** A withdrawn review stays open: the user may have typed into it. */
function isDecided(reviews: readonly ReviewSummary[], id: string): boolean {
  const state = reviews.find((review) => review.id === id)?.state;
  return state === 'accepted' || state === 'rejected';
}

/** The notice for new reviews. */
export function describeArrival(fresh: readonly ReviewSummary[]): string {
  const latest = fresh.at(-1);
  if (latest === undefined) return '';
  const label = visibleName(latest.label);
  const agent = visibleName(latest.agentName);
  if (fresh.length > 1) return `${fresh.length} new proposals, the latest from ${agent}: ${label}`;
  return latest.isNewFile
    ? `${agent} proposes a new file: ${label}`
    : `${agent} proposes a change to ${label}`;
}

/** The notice after a decision, when the next review replaces the decided one, if there is one. */
export function describeAdvance(
  { label, state }: Pick<ReviewSummary, 'label' | 'state'>,
  next: Pick<ReviewSummary, 'label'> | undefined,
): string {
  const done = state === 'rejected' ? 'Rejected' : 'Accepted';
  const then = next === undefined ? '' : ` Next: ${visibleName(next.label)}.`;
  return `${done} ${visibleName(label)}.${then}`;
}

/** The next pending review after one, around the ends; the oldest if that one is not listed. */
export function neighbourReview(
  reviews: readonly ReviewSummary[],
  id: string | undefined,
  step: 1 | -1,
): ReviewSummary | undefined {
  const listed = reviews.filter((review) => review.state === 'pending' || review.id === id);
  const pending = listed.filter((review) => review.state === 'pending');
  const at = listed.findIndex((review) => review.id === id);
  if (at < 0) return step === 1 ? pending[0] : pending.at(-1);
  for (let distance = 1; distance < listed.length; distance += 1) {
    const candidate = listed.at((at + step * distance + listed.length * distance) % listed.length);
    if (candidate?.state === 'pending') return candidate;
  }
  return undefined;
}
