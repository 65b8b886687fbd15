import type { Sessions } from '@tandem/companion';
import { nameOfAgent } from '@tandem/companion/agents';
import { type Obstacle, type PendingDecision, shorten, visibleName } from '@tandem/core';
import * as vscode from 'vscode';
import { ask, warn } from '../messages.js';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

/** What the companion knows of sessions, and decides on all pending reviews of one. */
export type SessionModel = Pick<Sessions, 'preview' | 'acceptAll' | 'rejectAll' | 'titleOf'> & {
  readonly names: Pick<Sessions['names'], 'of'>;
};

/** The pending reviews of one session. */
export interface PendingSession {
  readonly id: string;
  readonly agent: string;
  readonly views: readonly ReviewView[];
}

/** The agent of a session, with a number if several of its sessions are connected. */
export function nameOfSession({ id, agent }: PendingSession, model: SessionModel | undefined): string {
  return model?.names.of(agent, id) ?? nameOfAgent(agent);
}

const maxTitle = 60;

/** What the agent calls its conversation, otherwise the first file. */
export function titleOfSession({ id, views }: PendingSession, model: SessionModel | undefined): string {
  const title = model?.titleOf(id) ?? '';
  return title === '' ? (views[0]?.fileName ?? '') : shorten(visibleName(title), maxTitle);
}

/** The sessions with pending reviews, in the order of their oldest one. */
export function pendingSessions({ all }: ReviewViews): PendingSession[] {
  const sessions = new Map<string, ReviewView[]>();
  for (const view of all) {
    if (view.review.state !== 'pending') continue;
    const { session } = view.review.proposal;
    sessions.set(session, [...(sessions.get(session) ?? []), view]);
  }
  return [...sessions].flatMap(([id, views]) => {
    const [first] = views;
    return first === undefined ? [] : { id, agent: first.review.proposal.agent, views };
  });
}

/** Accepts or rejects all pending reviews of these sessions, after one question. What has an obstacle stays pending. */
export async function decideSessions(of: {
  readonly isAccepted: boolean;
  readonly sessions: readonly string[];
  readonly decisions: SessionModel;
  readonly views: ReviewViews;
}): Promise<void> {
  const { isAccepted, sessions, decisions, views } = of;
  const previews = new Map<string, readonly PendingDecision[]>();
  for (const session of sessions) previews.set(session, await decisions.preview(session));
  const all = [...previews.values()].flat();
  const answer = isAccepted ? await mayAccept(all, views) : await mayReject(all, views);
  if (answer === undefined) return;
  const left: { readonly review: PendingDecision['review']; readonly obstacle: Obstacle }[] = [];
  await views.deciding(async () => {
    for (const [session, each] of previews) {
      const seen = new Map(each.map((one) => [one.review.id, one.seen]));
      const { pending } = isAccepted
        ? await decisions.acceptAll(session, seen)
        : await decisions.rejectAll(session, seen, { rejectsEdited: answer === 'everything' });
      left.push(...pending);
    }
  });
  // The question named the others.
  const known = new Set(all.flatMap(({ review, obstacle }) => (isAccepted && obstacle ? [review] : [])));
  const unexpected = left.filter(({ review, obstacle }) => obstacle !== 'edited' && !known.has(review));
  if (unexpected.length > 0) await report(unexpected, views);
}

type Answer = 'everything' | 'unedited';

async function mayAccept(all: readonly PendingDecision[], views: ReviewViews): Promise<Answer | undefined> {
  const { t } = vscode.l10n;
  const ready = all.filter(({ obstacle }) => obstacle === undefined);
  const blocked = all.flatMap(({ review, obstacle }) => (obstacle ? [{ review, obstacle }] : []));
  if (ready.length === 0) {
    if (blocked.length > 0) await report(blocked, views);
    return undefined;
  }
  const edited = ready.filter(({ review }) => review.isEdited);
  const isPlain = !ready.some(({ review }) => review.hasUsersText);
  if (ready.length === 1 && blocked.length === 0 && isPlain) return 'everything';
  const detail = [
    ...(edited.length > 0 ? [t('With your edits: {0}', namesOf(edited, views))] : []),
    ...commentedLine(ready, views),
    ...linesOf(blocked, views),
  ];
  const message = ready.length === 1 ? t('Accept 1 proposal?') : t('Accept {0} proposals?', ready.length);
  const accept = t('Accept All');
  return (await ask(message, detail.join('\n'), accept)) === accept ? 'everything' : undefined;
}

async function mayReject(all: readonly PendingDecision[], views: ReviewViews): Promise<Answer | undefined> {
  const { t } = vscode.l10n;
  const edited = all.filter(({ review }) => review.isEdited);
  if (all.length === 0) return undefined;
  if (all.length === 1 && !all.some(({ review }) => review.hasUsersText)) return 'everything';
  const message = all.length === 1 ? t('Reject 1 proposal?') : t('Reject {0} proposals?', all.length);
  const [everything, unedited] = [t('Reject All'), t('Reject Only Unedited')];
  const hasChoice = edited.length > 0 && edited.length < all.length;
  const detail = [
    ...(edited.length > 0 ? [t('Edited by you: {0}', namesOf(edited, views))] : []),
    ...commentedLine(all, views),
  ];
  const answer = await ask(message, detail.join('\n'), everything, ...(hasChoice ? [unedited] : []));
  if (answer === everything) return 'everything';
  return answer === unedited ? 'unedited' : undefined;
}

/** Names the reviews with comments, which no agent receives by this. */
function commentedLine(which: readonly PendingDecision[], views: ReviewViews): string[] {
  const commented = which.filter(({ review }) => review.commentCount > 0);
  if (commented.length === 0) return [];
  return [vscode.l10n.t('Your comments on these files are not sent: {0}', namesOf(commented, views))];
}

type Blocked = readonly { readonly review: PendingDecision['review']; readonly obstacle: Obstacle }[];

/** Names the reviews that stay pending, and offers the first one. */
async function report(blocked: Blocked, views: ReviewViews): Promise<void> {
  const { t } = vscode.l10n;
  const show = t('Show');
  const message = linesOf(blocked, views).join(' ');
  if ((await warn(message, show)) !== show) return;
  const view = views.all.find(({ review }) => blocked.some((each) => each.review === review));
  if (view !== undefined) await views.reveal(view);
}

/** A line for each kind of obstacle. */
function linesOf(blocked: Blocked, views: ReviewViews): string[] {
  const { t } = vscode.l10n;
  const reasons: Readonly<Record<Obstacle, string>> = {
    changed: t('changed meanwhile'),
    conflict: t('its file changed on lines that the proposal also changes'),
    deleted: t('the file was deleted'),
    markers: t('contains conflict markers'),
    unsaved: t('the file has unsaved changes'),
    warning: t('has a warning about its file'),
    empty: t('the agent cannot receive an empty text'),
    'not-kept': t('a crash would lose it'),
    edited: t('edited by you'),
  };
  const kinds = [...new Set(blocked.map(({ obstacle }) => obstacle))];
  return kinds.map((kind) => {
    const names = namesOf(
      blocked.filter(({ obstacle }) => obstacle === kind),
      views,
    );
    return t('Stays pending: {0} ({1}).', names, reasons[kind]);
  });
}

const maxNames = 10;

function namesOf(which: readonly Pick<PendingDecision, 'review'>[], { all }: ReviewViews): string {
  const names = which.flatMap(({ review }) => all.find((view) => view.review === review)?.fileName ?? []);
  const { length } = names;
  if (length <= maxNames) return names.join(', ');
  return vscode.l10n.t('{0} and {1} more', names.slice(0, maxNames).join(', '), length - maxNames);
}
