import { pausing } from '@tandem/companion/files';
import { DocumentError, messageOf } from '@tandem/core';
import {
  type Accepting,
  type Answer,
  type Attempt,
  closeReview as closeAtDesk,
  concernSince,
  FileConflictError,
  HunkConflictError,
  presentChanged,
  type Review,
  ReviewDecidedError,
  UnanswerableError,
  type WhenClosed,
} from '@tandem/reviews';
import * as vscode from 'vscode';
import { askFirst, choose, showFirst } from '../askFirst.js';
import { inform, warn } from '../messages.js';
import type { ReviewView } from './reviewView.js';

const beingAccepted = new Set<ReviewView>();

/** Shows the diff of a review. */
type Reveal = () => Promise<void>;

/** Accepts a review, or asks first: `Companion.accept`. Undefined while no companion runs. */
export type Accept = ((review: Review, how: Accepting) => Promise<Attempt>) | undefined;

/**
 * Accepts a review as the user sees it, after all necessary questions. Resolves to whether it was accepted. A
 * concurrent second call for the same review resolves to false, so that a second click asks nothing.
 */
export async function acceptReview(view: ReviewView, reveal: Reveal, accept: Accept): Promise<boolean> {
  if (accept === undefined || beingAccepted.has(view)) return false;
  beingAccepted.add(view);
  try {
    for (let answer: Answer = {}; ; ) {
      view.text.flush();
      const attempt = await accept(view.review, { ...answer, file: view.file });
      if (attempt.kind !== 'question') return await finish(attempt, view, reveal);
      const chosen = await askFirst(attempt.question);
      // The review can be decided elsewhere at any time.
      if (chosen === undefined || view.review.state !== 'pending') return false;
      if (chosen === showFirst) {
        await reveal();
        return false;
      }
      answer = chosen;
    }
  } catch (error) {
    if (view.review.state === 'pending' || !(error instanceof ReviewDecidedError)) reportRefusal(error);
    return false;
  } finally {
    beingAccepted.delete(view);
  }
}

async function finish(attempt: Attempt, view: ReviewView, reveal: Reveal): Promise<boolean> {
  if (attempt.kind === 'changed') void inform(presentChanged(view.label, attempt));
  if (attempt.kind === 'merged' && view.review.state === 'pending') await reveal();
  return attempt.kind === 'done';
}

/** Rejects a review. */
export function rejectReview(view: ReviewView): boolean {
  view.text.flush();
  return view.review.reject();
}

/** Keeps or drops one hunk. */
export async function setHunk(view: ReviewView, index: number, isKept: boolean): Promise<void> {
  view.text.flush();
  await view.review.setHunk(index, isKept, pausing()).catch(reportRefusal);
}

/** The user closed the diff: does what the desk says. */
export async function closeReview(
  view: ReviewView,
  whenClosed: WhenClosed,
  { reveal, accept }: { readonly reveal: Reveal; readonly accept: Accept },
): Promise<void> {
  view.text.flush();
  const { question } = closeAtDesk(view.review, { whenClosed, agentName: view.agentName, label: view.label });
  if (question === undefined) return;
  // One question is enough.
  if (view.text.wasAskedAbout) return keepReviews([view], reveal);
  const choice = await choose(question);
  if (choice?.kind === 'reject') rejectReview(view);
  const isAccepted = choice?.kind === 'accept' && (await acceptReview(view, reveal, accept));
  const isShown = choice?.kind === 'show' || choice?.kind === 'accept';
  if (isShown && !isAccepted && view.review.state === 'pending') await reveal();
}

/** Reports that reviews stay pending after their diffs were closed, and offers to open them again. */
export async function keepReviews(views: readonly ReviewView[], showAgain: Reveal): Promise<void> {
  const { t } = vscode.l10n;
  const show = t('Show Again');
  const [view] = views;
  if (view === undefined) return;
  const message =
    views.length === 1
      ? t('The proposal by {1} for {0} is still pending.', view.fileName, view.agentName)
      : t(
          '{0} proposals are still pending. Closing several tabs at once does not reject them.',
          views.length,
        );
  if ((await inform(message, show)) === show) await showAgain();
}

/** Reports that the file under review was deleted, or changed on disk on the same lines. */
export async function warnOfConflict(view: ReviewView, reveal: Reveal): Promise<void> {
  const { relation, canMarkConflicts } = view.file;
  if (relation !== 'deleted' && relation !== 'conflict') return;
  const show = canMarkConflicts ? vscode.l10n.t('Show Both Versions') : vscode.l10n.t('Show');
  const message = `${view.label}: ${concernSince(relation).text}`;
  if ((await warn(message, show)) === show) await showConflicts(view, reveal);
}

/** Adds conflict markers to the text of the review, if that is still possible, and shows its diff. */
async function showConflicts(view: ReviewView, reveal: Reveal): Promise<void> {
  if (view.review.state !== 'pending') return;
  if (view.file.canMarkConflicts) await view.file.markConflicts().catch(reportRefusal);
  if (view.review.state === 'pending') await reveal();
}

const refusals = [
  UnanswerableError,
  HunkConflictError,
  ReviewDecidedError,
  FileConflictError,
  DocumentError,
] as const;

/** Reports what a review refuses, in the words of the review. Throws other errors. */
function reportRefusal(error: unknown): void {
  if (!refusals.some((refusal) => error instanceof refusal)) throw error;
  void warn(messageOf(error));
}
