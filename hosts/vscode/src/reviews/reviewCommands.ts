import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import { inform, plainLabel } from '../say.js';
import type { Settings } from '../settings.js';
import { acceptReview, leaveReview, rejectReview, setHunk } from './decideReview.js';
import { AgentNode, viewsOf } from './reviewTree.js';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

/** A key that comes this soon after a diff opened under the caret was meant for what was there before. */
const startledMs = 500;

/** What the keybindings of the manifest pass. */
const byKey = 'key';

/** Registers what a person does with reviews: title bar, keys, lenses, tree and palette all end here. */
export function registerReviewCommands(views: ReviewViews, settings: () => Settings): Disposable {
  const store = new DisposableStore();
  const register = (name: string, run: (...values: unknown[]) => unknown): void => {
    store.add(vscode.commands.registerCommand(`tandem.${name}`, run));
  };
  const decide = (run: (view: ReviewView) => unknown) => async (what?: unknown) => {
    const isByKey = what === byKey;
    const view = views.find(isByKey ? undefined : what);
    if (view === undefined) return isByKey ? undefined : sayNothingWaits(views);
    if (isByKey && view.shownForMs < startledMs) return undefined;
    return run(view);
  };
  register('acceptReview', decide(acceptReview));
  register('rejectReview', decide(rejectReview));
  register('showReview', async (what) => {
    const view = views.find(what) ?? (what === undefined ? await pickReview(views) : undefined);
    if (view !== undefined) await views.reveal(view);
  });
  register('nextReview', () => step(views, 1));
  register('previousReview', () => step(views, -1));
  register('dropHunk', (key, index) => setHunkOf(views, key, index, false));
  register('keepHunk', (key, index) => setHunkOf(views, key, index, true));
  register('acceptAllReviews', async (what) => {
    // One after the other: each may have a question to ask.
    for (const view of await reviewsMeant(views, what)) await acceptReview(view);
  });
  register('rejectAllReviews', async (what) => {
    for (const view of await reviewsMeant(views, what)) rejectReview(view);
  });
  store.add(
    views.onDidLeave((view) => {
      void leaveReview(view, settings().closingMeans, () => views.reveal(view));
    }),
  );
  return store;
}

function setHunkOf(views: ReviewViews, key: unknown, index: unknown, isKept: boolean): void {
  const view = typeof key === 'string' ? views.find(key) : undefined;
  if (view !== undefined && typeof index === 'number') setHunk(view, index, isKept);
}

/** The next review in the list, from the one in front. */
async function step(views: ReviewViews, by: 1 | -1): Promise<void> {
  const { all, inFront } = views;
  const at = inFront === undefined ? -1 : all.indexOf(inFront);
  const next = all.at(at < 0 ? (by > 0 ? 0 : -1) : (at + by) % all.length);
  if (next === undefined) return sayNothingWaits(views);
  await views.reveal(next);
}

/** Those of the agent in the tree, or of the one that the person chooses when several have some. */
async function reviewsMeant(views: ReviewViews, what: unknown): Promise<readonly ReviewView[]> {
  if (what instanceof AgentNode) return viewsOf(views, what.agent);
  const { all } = views;
  if (all.length === 0) sayNothingWaits(views);
  const names = new Map(all.map(({ review, agentName }) => [review.proposal.agent, agentName]));
  if (names.size < 2) return all;
  const everything = { label: vscode.l10n.t('All agents'), agent: undefined };
  const choices = [...names].map(([agent, label]) => ({ label, agent }));
  const chosen = await vscode.window.showQuickPick([everything, ...choices]);
  if (chosen === undefined) return [];
  return chosen.agent === undefined ? all : viewsOf(views, chosen.agent);
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

function sayNothingWaits({ all }: ReviewViews): void {
  const message =
    all.length === 0
      ? vscode.l10n.t('No review waits.')
      : vscode.l10n.t('No review is in front. Choose one in the view "Reviews".');
  void inform(message);
}
