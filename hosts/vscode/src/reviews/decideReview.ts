import { HunkConflictError, ReviewDecidedError, UnanswerableError } from '@tandem/core';
import type { ClosingMeans } from '@tandem/page/wire';
import * as vscode from 'vscode';
import { ask, inform, warn } from '../say.js';
import type { ReviewView } from './reviewView.js';

const beingAccepted = new Set<ReviewView>();

/** Brings the diff of a review to the front. */
type Reveal = () => Promise<void>;

/** Accepts a review as the person sees it, after they know what else it would do. Resolves to whether it is accepted. */
export async function acceptReview(view: ReviewView, reveal: Reveal): Promise<boolean> {
  // A second click would ask a second time.
  if (beingAccepted.has(view)) return false;
  beingAccepted.add(view);
  try {
    view.text.flush();
    await view.file.check();
    if (!(await isSureOfFile(view, reveal))) return false;
    return refusing(() => view.review.accept()) ?? false;
  } finally {
    beingAccepted.delete(view);
  }
}

/** Rejects a review. What was typed in it stays where it can be found. */
export function rejectReview(view: ReviewView): boolean {
  view.text.flush();
  return view.review.reject();
}

/** Keeps or drops one hunk. */
export function setHunk(view: ReviewView, index: number, isKept: boolean): void {
  view.text.flush();
  refusing(() => (isKept ? view.review.keepHunk(index) : view.review.dropHunk(index)));
}

/**
 * The person closed the diff. The agents' specifications take that for a rejection; what somebody has worked on is not
 * thrown away by a wrong click, so then they are asked.
 */
export async function leaveReview(view: ReviewView, means: ClosingMeans, reveal: Reveal): Promise<void> {
  if (means === 'keep') return;
  if (means === 'reject' && !view.review.isEdited) {
    rejectReview(view);
    return;
  }
  const { t } = vscode.l10n;
  // One question is enough.
  if (view.text.wasAskedAbout) return keepReviews([view], reveal);
  const [show, accept, reject, keep] = [t('Show Again'), t('Accept'), t('Reject'), t('Keep Pending')];
  const message = view.review.isEdited
    ? t('You edited the change to {0} that {1} proposes. Accept or reject it?', view.fileName, view.agentName)
    : t('Accept or reject the change to {0} that {1} proposes?', view.fileName, view.agentName);
  const detail = t('If you keep it pending, it stays in the list of reviews.');
  // Closing the question is no answer, nor is a key that was meant for something else: nothing is decided by them.
  const keepPending = { title: keep, isCloseAffordance: true };
  const answer = await ask(message, detail, keepPending, show, accept, reject);
  if (answer === show && view.review.state === 'pending') await reveal();
  else if (answer === accept && !(await acceptReview(view, reveal)) && view.review.state === 'pending')
    await reveal();
  else if (answer === reject) rejectReview(view);
}

/** Reviews whose diffs were closed and that stay pending: says so, and opens them again when the user wants. */
export async function keepReviews(views: readonly ReviewView[], showAgain: Reveal): Promise<void> {
  const { t } = vscode.l10n;
  const show = t('Show Again');
  const [view] = views;
  if (view === undefined) return;
  const message =
    views.length === 1
      ? t('The change to {0} by {1} is still pending.', view.fileName, view.agentName)
      : t('{0} changes are still pending. Closing several tabs at once decides nothing.', views.length);
  if ((await inform(message, show)) === show) await showAgain();
}

/** Warns that the file under review changed where the proposal changes it. */
export async function warnOfConflict(view: ReviewView, reveal: Reveal): Promise<void> {
  const { t } = vscode.l10n;
  const show = t('Show');
  const { agentName, fileName } = view;
  const message = view.file.isGone
    ? t(
        '{0} was deleted or renamed. If you accept the change by {1}, the file is created again.',
        fileName,
        agentName,
      )
    : t(
        '{0} changed on disk in or next to lines that {1} changes too. If you accept its change, the other one is undone.',
        fileName,
        agentName,
      );
  if ((await warn(message, show)) === show && view.review.state === 'pending') await reveal();
}

/** Asks before a change of the file is undone by accepting, or unsaved changes come to stand against what is written. */
async function isSureOfFile(view: ReviewView, reveal: Reveal): Promise<boolean> {
  // Decided elsewhere there is nothing to ask any more.
  if (view.review.state !== 'pending') return false;
  const { t } = vscode.l10n;
  const anyway = t('Accept Anyway');
  if (view.file.relation === 'conflict') {
    const message = view.file.isGone
      ? t('{0} was deleted or renamed since {1} proposed this.', view.fileName, view.agentName)
      : t('{0} changed since {1} proposed this.', view.fileName, view.agentName);
    const detail = view.file.isGone
      ? t('If you accept, the file is created again.')
      : t('Both changed the same or adjacent lines. If you accept, the other change is undone.');
    // The first button is what Enter presses.
    const look = t('Look Again');
    const answer = await ask(message, detail, look, anyway);
    if (view.review.state !== 'pending') return false;
    if (answer === look) await reveal();
    if (answer !== anyway) return false;
  }
  if (!view.file.isDirty) return true;
  const save = t('Save and Accept');
  const message = t('{0} has unsaved changes.', view.fileName);
  const detail = t(
    'The agent writes the file on disk and does not know them. If you save first, they are merged into the change.',
  );
  const answer = await ask(message, detail, save, anyway);
  if (answer === anyway) return true;
  if (answer !== save || view.review.state !== 'pending' || !(await view.file.save())) return false;
  const before = view.file.relation;
  const after = await view.file.check();
  return after !== 'conflict' || before === 'conflict' || isSureOfFile(view, reveal);
}

/** Says what a review refuses in its own words. */
function refusing<T>(change: () => T): T | undefined {
  try {
    return change();
  } catch (error) {
    const isRefusal =
      error instanceof UnanswerableError ||
      error instanceof HunkConflictError ||
      error instanceof ReviewDecidedError;
    if (!isRefusal) throw error;
    void warn(error.message);
    return undefined;
  }
}
