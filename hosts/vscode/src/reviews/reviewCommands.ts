import type { Sessions } from '@tandem/companion';
import { type Disposable, DisposableStore } from '@tandem/core';
import { type Decision, presentActions } from '@tandem/reviews';
import type { ReviewFacts } from '@tandem/rpc';
import * as vscode from 'vscode';
import type { OpenDesk } from '../desk.js';
import { inform, inTitleCase, plainLabel } from '../messages.js';
import type { UserFocus } from '../userFocus.js';
import { hunkAtCursor } from './changeAtCursor.js';
import type { FollowedSessions } from './followedSessions.js';
import type { InterruptedTexts } from './interruptedTexts.js';
import { nameOfSession, type PendingSession, pendingSessions, titleOfSession } from './pendingSessions.js';
import { SessionNode } from './reviewTree.js';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

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
  readonly followed: FollowedSessions;
  readonly interrupted: InterruptedTexts;
  /** Undefined while no companion runs. */
  readonly sessions: () => Sessions | undefined;
  readonly openDesk: OpenDesk;
}): Disposable {
  const { views, focus, followed, interrupted, sessions, openDesk } = of;
  const store = new DisposableStore();
  const register = (name: string, run: (...values: unknown[]) => unknown): void => {
    store.add(vscode.commands.registerCommand(`tandem.${name}`, run));
  };
  const run = async (view: ReviewView, action: string): Promise<void> => {
    const { isActive, review } = view;
    const desk = await openDesk();
    if (desk === undefined) return;
    const show = (): Promise<void> => views.reveal(view);
    const done = await views.deciding(() => desk.ask('review.run', { id: review.id, action }, show));
    if (done?.note !== undefined) void inform(done.note);
    if (review.state === 'pending') return done?.note === undefined ? undefined : show();
    const isDecided = review.state !== 'withdrawn';
    if (isDecided && review.commentCount > 0)
      void import('./sendFeedback.js').then(({ offerFeedback }) => offerFeedback(view, desk));
    if (isActive) await views.goOn(view);
    else if (views.isEmpty) views.leave(view);
  };
  const withReview = (what: unknown, does: (view: ReviewView) => Promise<unknown>): unknown => {
    const view = views.find(what);
    return view === undefined ? reportNoReview(views) : does(view);
  };
  const decide = (decision: Decision) => (what?: unknown) => {
    if (what !== byKey) return withReview(what, (view) => run(view, decision));
    const view = views.find();
    return view && view.shownForMs >= startledMs ? run(view, decision) : undefined;
  };
  register('acceptReview', decide('accept'));
  register('rejectReview', decide('reject'));
  register('reviewActions', async (what) => {
    const saved = interrupted.find(what);
    if (saved === undefined)
      return withReview(what, async (view) => {
        const action = await pickAction(presentActions(view.review, view));
        if (action !== undefined) await run(view, action);
      });
    const action = await pickAction(saved.actions);
    return action && interrupted.run(saved, action);
  });
  const send = (rejects: boolean) => (what?: unknown) =>
    withReview(what, async (view) => {
      const { isActive } = view;
      const desk = await openDesk();
      if (desk === undefined) return;
      const { sendFeedback } = await import('./sendFeedback.js');
      const delivery = await views.deciding(() => sendFeedback(view, desk, { rejects }));
      // The terminal with the text keeps the focus.
      if (!rejects || !isActive || delivery === undefined) return;
      if (delivery === 'clipboard') await views.goOn(view);
      else await views.openNext(view, false);
    });
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
  const setHunk = (isKept: boolean) => (key: unknown, index: unknown) =>
    withReview(typeof key === 'string' ? key : undefined, async (view) => {
      const hunk = typeof index === 'number' ? index : hunkAtCursor(view)?.index;
      if (hunk === undefined) return void inform(vscode.l10n.t('No change at the cursor.'));
      await (await openDesk())?.attempt('review.hunk', { id: view.review.id, hunk, isKept });
    });
  register('dropHunk', setHunk(false));
  register('keepHunk', setHunk(true));
  const decideAll = (decision: Decision, placeHolder: string) => async (what?: unknown) => {
    const meant = await sessionsMeant(views, what, { placeHolder, names: sessions() });
    const desk = await openDesk();
    const [one, ...others] = meant;
    if (desk === undefined || one === undefined) return;
    const active = views.find();
    const { decideSession } = await import('./decideSession.js');
    await decideSession({ decision, session: others.length === 0 ? one.id : undefined, desk, views });
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
    views.onDidClose((closed) => {
      void import('./closeReviews.js').then(({ closeReviews }) => closeReviews(closed, views, openDesk));
    }),
  );
  return store;
}

async function pickAction(actions: ReviewFacts['actions']): Promise<string | undefined> {
  const items = actions.map(({ id, label, isDangerous }) => ({
    label: `${isDangerous ? '$(warning) ' : ''}${inTitleCase(label)}`,
    id,
  }));
  const placeHolder = vscode.l10n.t('Choose what to do with this review');
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.id;
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
  how: { readonly placeHolder: string; readonly names: Sessions | undefined },
): Promise<readonly PendingSession[]> {
  if (what instanceof SessionNode) return [what.session];
  const all = pendingSessions(views);
  if (all.length === 0) reportNoReview(views);
  if (all.length < 2) return all;
  const count = (length: number): string =>
    length === 1 ? vscode.l10n.t('1 proposal') : vscode.l10n.t('{0} proposals', length);
  const choices = all.map((session) => ({
    label: plainLabel(nameOfSession(session, how.names)),
    description: `${plainLabel(titleOfSession(session, how.names))} \u00b7 ${count(session.views.length)}`,
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
