import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import { ask, inform, plainLabel } from '../messages.js';
import type { Settings } from '../settings.js';
import { hunkAtCursor } from './changeAtCursor.js';
import { acceptReview, closeReview, keepReviews, rejectReview, setHunk } from './decideReview.js';
import { AgentNode, viewsOf } from './reviewTree.js';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

/** A key this soon after a diff opened at the cursor was meant for something else. */
const startledMs = 500;

/** The argument of the keybindings in the manifest. */
const byKey = 'key';
/** The same if no editor has the focus: in a terminal, or after a diff was closed. */
const fromElsewhere = 'elsewhere';

/** Registers the commands for reviews, for title bar, keys, lenses, tree and palette. */
export function registerReviewCommands(views: ReviewViews, settings: () => Settings): Disposable {
  const store = new DisposableStore();
  const register = (name: string, run: (...values: unknown[]) => unknown): void => {
    store.add(vscode.commands.registerCommand(`tandem.${name}`, run));
  };
  const decide = (run: (view: ReviewView) => unknown) => async (what?: unknown) => {
    const isByKey = what === byKey;
    const view = views.find(isByKey ? undefined : what);
    if (view === undefined) return isByKey ? undefined : reportNoReview(views);
    if (isByKey && view.shownForMs < startledMs) return undefined;
    return run(view);
  };
  const accept = (view: ReviewView): Promise<boolean> => acceptReview(view, () => views.reveal(view));
  register('acceptReview', decide(accept));
  register('rejectReview', decide(rejectReview));
  register('closeReview', async () => {
    // Otherwise VS Code would ask about unsaved text, and then we would ask, too.
    await views.find()?.text.save();
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });
  register('showReview', async (what) => {
    const view = views.find(what) ?? (what === undefined ? await pickReview(views) : undefined);
    if (view !== undefined) await views.reveal(view);
  });
  register('nextReview', (from) => step(views, 1, from === fromElsewhere));
  register('previousReview', (from) => step(views, -1, from === fromElsewhere));
  register('dropHunk', (key, index) => setHunkOf(views, key, index, false));
  register('keepHunk', (key, index) => setHunkOf(views, key, index, true));
  register('acceptAllReviews', async (what) => {
    // One after the other: each may ask a question.
    const placeHolder = vscode.l10n.t('Accept the changes of');
    for (const view of await reviewsMeant(views, what, placeHolder)) await accept(view);
  });
  register('rejectAllReviews', async (what) => {
    const placeHolder = vscode.l10n.t('Reject the changes of');
    const meant = await reviewsMeant(views, what, placeHolder);
    if (await mayRejectEdited(meant)) for (const view of meant) rejectReview(view);
  });
  store.add(
    views.onDidClose(({ views: closed, isSeveral }) => {
      const whenClosed = settings().whenClosed;
      const showAgain = (): Promise<void> => views.showAgain(closed);
      if (!isSeveral) for (const view of closed) void closeReview(view, whenClosed, showAgain);
      else if (whenClosed !== 'keep') void keepReviews(closed, showAgain);
    }),
  );
  return store;
}

/** Keeps or drops the change with this number; without a number, the change at the cursor of the active review. */
function setHunkOf(views: ReviewViews, key: unknown, index: unknown, isKept: boolean): void {
  const view = views.find(typeof key === 'string' ? key : undefined);
  if (view === undefined) {
    reportNoReview(views);
    return;
  }
  const at = typeof index === 'number' ? index : hunkAtCursor(view)?.index;
  if (at === undefined) void inform(vscode.l10n.t('No change at the cursor.'));
  else setHunk(view, at, isKept);
}

/** Reveals the review after the active one; if the focus is elsewhere, first the active one. */
async function step(views: ReviewViews, by: 1 | -1, isFromElsewhere: boolean): Promise<void> {
  const { all, active } = views;
  if (isFromElsewhere && active !== undefined) return views.reveal(active);
  const at = active === undefined ? -1 : all.indexOf(active);
  const next = all.at(at < 0 ? (by > 0 ? 0 : -1) : (at + by) % all.length);
  if (next === undefined) return reportNoReview(views);
  await views.reveal(next);
}

/** The reviews of the agent in the tree; otherwise those of the agent that the user chooses, if there are several. */
async function reviewsMeant(
  views: ReviewViews,
  what: unknown,
  placeHolder: string,
): Promise<readonly ReviewView[]> {
  if (what instanceof AgentNode) return viewsOf(views, what.agent);
  const { all } = views;
  if (all.length === 0) reportNoReview(views);
  const names = new Map(all.map(({ review, agentName }) => [review.proposal.agent, agentName]));
  if (names.size < 2) return all;
  const counted = (label: string, agent: string | undefined) => {
    const { length } = agent === undefined ? all : viewsOf(views, agent);
    const description = length === 1 ? vscode.l10n.t('1 change') : vscode.l10n.t('{0} changes', length);
    return { label, description, agent };
  };
  const choices = [...names].map(([agent, label]) => counted(label, agent));
  const everything = counted(vscode.l10n.t('All agents'), undefined);
  const chosen = await vscode.window.showQuickPick([...choices, everything], { placeHolder });
  if (chosen === undefined) return [];
  return chosen.agent === undefined ? all : viewsOf(views, chosen.agent);
}

/** Asks before one command rejects reviews that the user edited. */
async function mayRejectEdited(meant: readonly ReviewView[]): Promise<boolean> {
  const { t } = vscode.l10n;
  const edited = meant.filter(({ review }) => review.isEdited);
  if (edited.length === 0) return true;
  const reject = t('Reject All');
  const message = t('You edited some of these changes. Reject them anyway?');
  const names = edited.map(({ fileName }) => fileName).join(', ');
  return (await ask(message, t('Edited: {0}', names), reject)) === reject;
}

async function pickReview(views: ReviewViews): Promise<ReviewView | undefined> {
  const { all } = views;
  if (all.length < 2) return all[0];
  const choices = all.map((view) => ({
    label: plainLabel(view.fileName),
    description: view.agentName,
    view,
  }));
  return (await vscode.window.showQuickPick(choices))?.view;
}

function reportNoReview({ all }: ReviewViews): void {
  const message =
    all.length === 0
      ? vscode.l10n.t('No pending reviews.')
      : vscode.l10n.t('No review is active. Choose one in the view "Reviews".');
  void inform(message);
}
