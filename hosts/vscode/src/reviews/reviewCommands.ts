import { type Disposable, DisposableStore } from '@tandem/core';
import type { Decision } from '@tandem/reviews';
import * as vscode from 'vscode';
import { inform, plainLabel } from '../messages.js';
import type { Settings } from '../settings.js';
import type { UserFocus } from '../userFocus.js';
import { hunkAtCursor } from './changeAtCursor.js';
import {
  type Accept,
  acceptReview,
  closeReview,
  keepReviews,
  rejectReview,
  setHunk,
} from './decideReview.js';
import type { FollowedSessions } from './followedSessions.js';
import {
  nameOfSession,
  type PendingSession,
  pendingSessions,
  type SessionModel,
  titleOfSession,
} from './pendingSessions.js';
import { SessionNode } from './reviewTree.js';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';
import type { FeedbackModel } from './sendFeedback.js';

/** A key this soon after a diff opened at the cursor was meant for something else. */
const startledMs = 500;

/** The argument of the keybindings in the manifest. */
const byKey = 'key';
/** The same if no editor has the focus: in another view, or after a diff was closed. */
const fromElsewhere = 'elsewhere';
/** The same if a terminal has the focus. */
const fromTerminal = 'terminal';

/** Registers the commands for reviews, for title bar, keys, lenses, tree and palette. */
export function registerReviewCommands(of: {
  readonly views: ReviewViews;
  readonly focus: UserFocus;
  readonly settings: () => Settings;
  readonly followed: FollowedSessions;
  readonly accept: () => Accept;
  /** Undefined while no companion runs. */
  readonly sessions: () => SessionModel | undefined;
  /** Undefined while no companion runs. */
  readonly feedback: () => FeedbackModel | undefined;
}): Disposable {
  const { views, focus, settings, followed, sessions, feedback } = of;
  const store = new DisposableStore();
  const register = (name: string, run: (...values: unknown[]) => unknown): void => {
    store.add(vscode.commands.registerCommand(`tandem.${name}`, run));
  };
  const offer = async (view: ReviewView): Promise<void> => {
    const { offerFeedback } = await import('./sendFeedback.js');
    await offerFeedback(view, feedback());
  };
  const decide = (run: (view: ReviewView) => unknown) => async (what?: unknown) => {
    const isByKey = what === byKey;
    const view = views.find(isByKey ? undefined : what);
    if (view === undefined) return isByKey ? undefined : reportNoReview(views);
    if (isByKey && view.shownForMs < startledMs) return undefined;
    const { isActive } = view;
    await views.deciding(() => run(view));
    const { state } = view.review;
    const isDecided = state === 'accepted' || state === 'rejected';
    if (isDecided && view.review.commentCount > 0) void offer(view);
    if (state === 'pending') return undefined;
    if (isActive) await views.goOn(view);
    else if (views.isEmpty) views.leave(view);
  };
  const accept = (view: ReviewView): Promise<boolean> =>
    acceptReview(view, () => views.reveal(view), of.accept());
  register('acceptReview', decide(accept));
  register('rejectReview', decide(rejectReview));
  const send = (rejects: boolean) => async (what?: unknown) => {
    const view = views.find(what);
    if (view === undefined) return reportNoReview(views);
    const { isActive } = view;
    const { sendFeedback } = await import('./sendFeedback.js');
    const delivery = await views.deciding(() => sendFeedback(view, feedback(), { rejects }));
    // The terminal with the text keeps the focus.
    if (!rejects || !isActive || delivery === undefined) return;
    if (delivery === 'clipboard') await views.goOn(view);
    else await views.openNext(view, false);
  };
  register('rejectWithFeedback', send(true));
  register('sendFeedback', send(false));
  register('closeReview', async () => {
    // Otherwise VS Code would ask about unsaved text, and then we would ask, too.
    await views.find()?.text.save();
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });
  register('showReview', async (what) => {
    const view = views.find(what) ?? (what === undefined ? await pickReview(views) : undefined);
    if (view !== undefined) await views.reveal(view);
  });
  const go = (by: 1 | -1) => (from?: unknown) => {
    const terminal = from === fromTerminal ? vscode.window.activeTerminal : undefined;
    if (terminal !== undefined) focus.inTerminal(terminal);
    return step(views, by, from === fromElsewhere || from === fromTerminal);
  };
  register('nextReview', go(1));
  register('previousReview', go(-1));
  register('dropHunk', (key, index) => setHunkOf(views, key, index, false));
  register('keepHunk', (key, index) => setHunkOf(views, key, index, true));
  const decideAll = (decision: Decision, placeHolder: string) => async (what?: unknown) => {
    const decisions = sessions();
    const meant = await sessionsMeant(views, what, { placeHolder, model: decisions });
    if (decisions === undefined || meant.length === 0) return;
    const ids = meant.map(({ id }) => id);
    const active = views.find();
    const { decideSessions } = await import('./decideSession.js');
    await decideSessions({ decision, sessions: ids, decisions, views });
    const [first] = meant.flatMap((session) => session.views);
    const left = views.isEmpty ? (active ?? first) : active;
    if (left !== undefined && left.review.state !== 'pending') views.leave(left);
  };
  register(
    'acceptAllReviews',
    decideAll('accept', vscode.l10n.t('Choose a session to accept its proposals')),
  );
  register(
    'rejectAllReviews',
    decideAll('reject', vscode.l10n.t('Choose a session to reject its proposals')),
  );
  const follow = (isFollowed: boolean) => (what?: unknown) => {
    const session = what instanceof SessionNode ? what.session.id : views.active?.review.proposal.session;
    if (session === undefined) reportNoReview(views);
    else followed.set(session, isFollowed);
  };
  register('followSession', follow(true));
  register('unfollowSession', follow(false));
  store.add(
    views.onDidClose(({ views: closed, isSeveral }) => {
      const whenClosed = settings().whenClosed;
      const showAgain = (): Promise<void> => views.showAgain(closed);
      if (!isSeveral) {
        for (const view of closed)
          void closeReview(view, whenClosed, { reveal: showAgain, accept: of.accept() });
      }
      if (isSeveral && whenClosed !== 'keep') void keepReviews(closed, showAgain);
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
  else void setHunk(view, at, isKept);
}

/** Reveals the review after the active one; if the focus is elsewhere, first the active one. */
async function step(views: ReviewViews, by: 1 | -1, isFromElsewhere: boolean): Promise<void> {
  const { active } = views;
  // In the order of the list of reviews.
  const all = pendingSessions(views).flatMap((session) => session.views);
  if (isFromElsewhere && active !== undefined) return views.reveal(active);
  const at = active === undefined ? -1 : all.indexOf(active);
  const next = all.at(at < 0 ? (by > 0 ? 0 : -1) : (at + by) % all.length);
  if (next === undefined) return reportNoReview(views);
  await views.reveal(next);
}

/** The session in the tree; otherwise the one that the user chooses, if there are several. */
async function sessionsMeant(
  views: ReviewViews,
  what: unknown,
  how: { readonly placeHolder: string; readonly model: SessionModel | undefined },
): Promise<readonly PendingSession[]> {
  if (what instanceof SessionNode) return [what.session];
  const all = pendingSessions(views);
  if (all.length === 0) reportNoReview(views);
  if (all.length < 2) return all;
  const count = (length: number): string =>
    length === 1 ? vscode.l10n.t('1 proposal') : vscode.l10n.t('{0} proposals', length);
  const choices = all.map((session) => ({
    label: plainLabel(nameOfSession(session, how.model)),
    description: `${plainLabel(titleOfSession(session, how.model))} \u00b7 ${count(session.views.length)}`,
    sessions: [session],
  }));
  const everything = {
    label: vscode.l10n.t('All sessions'),
    description: count(all.flatMap((session) => session.views).length),
    sessions: all,
  };
  const { placeHolder } = how;
  return (await vscode.window.showQuickPick([...choices, everything], { placeHolder }))?.sessions ?? [];
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
