import { describeObstacle, findConfirmable, type Obstacle, type PendingDecision } from '@tandem/core';
import * as vscode from 'vscode';
import { ask, warn } from '../messages.js';
import type { SessionModel } from './pendingSessions.js';
import type { ReviewViews } from './reviewViews.js';

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
        ? await decisions.acceptAll(session, seen, { confirmed: answer.confirmed })
        : await decisions.rejectAll(session, seen, { rejectsEdited: !answer.isUneditedOnly });
      left.push(...pending);
    }
  });
  // The question named the others.
  const known = new Set(all.flatMap(({ review, obstacle }) => (isAccepted && obstacle ? [review] : [])));
  const unexpected = left.filter(({ review, obstacle }) => obstacle !== 'edited' && !known.has(review));
  if (unexpected.length > 0) await report(unexpected, views);
}

interface Answer {
  /** The kinds of concerns that the user confirmed. */
  readonly confirmed: readonly string[];
  readonly isUneditedOnly?: boolean;
}

const everything: Answer = { confirmed: [] };

async function mayAccept(all: readonly PendingDecision[], views: ReviewViews): Promise<Answer | undefined> {
  const { t } = vscode.l10n;
  const ready = all.filter(({ obstacle }) => obstacle === undefined);
  const blocked = all.flatMap(({ review, obstacle, concerns }) =>
    obstacle === undefined ? [] : [{ review, obstacle, concerns }],
  );
  const dangerous = findConfirmable(all);
  const count = dangerous.reviews.length;
  if (ready.length + count === 0) {
    if (blocked.length > 0) await report(blocked, views);
    return undefined;
  }
  const edited = ready.filter(({ review }) => review.isEdited);
  const isPlain = !ready.some(({ review }) => review.hasUsersText);
  if (ready.length === 1 && blocked.length === 0 && isPlain) return everything;
  const detail = [
    ...(edited.length > 0 ? [t('With your edits: {0}', namesOf(edited, views))] : []),
    ...commentedLine(ready, views),
    ...linesOf(blocked, views),
  ];
  const message =
    ready.length === 0
      ? t('Each of these proposals needs your confirmation.')
      : ready.length === 1
        ? t('Accept 1 proposal?')
        : t('Accept {0} proposals?', ready.length);
  const accept = count === 0 ? t('Accept All') : t('Accept {0}', ready.length);
  const anyway =
    ready.length === 0 ? t('Accept Anyway') : t('Accept All {0}, Including These', ready.length + count);
  const buttons = [...(ready.length > 0 ? [accept] : []), ...(count > 0 ? [anyway] : [])];
  const answer = await ask(message, detail.join('\n'), ...buttons);
  if (answer === anyway && count > 0) return { confirmed: dangerous.kinds };
  return answer === accept ? everything : undefined;
}

async function mayReject(all: readonly PendingDecision[], views: ReviewViews): Promise<Answer | undefined> {
  const { t } = vscode.l10n;
  const edited = all.filter(({ review }) => review.isEdited);
  if (all.length === 0) return undefined;
  if (all.length === 1 && !all.some(({ review }) => review.hasUsersText)) return everything;
  const message = all.length === 1 ? t('Reject 1 proposal?') : t('Reject {0} proposals?', all.length);
  const [rejectAll, unedited] = [t('Reject All'), t('Reject Only Unedited')];
  const hasChoice = edited.length > 0 && edited.length < all.length;
  const detail = [
    ...(edited.length > 0 ? [t('Edited by you: {0}', namesOf(edited, views))] : []),
    ...commentedLine(all, views),
  ];
  const answer = await ask(message, detail.join('\n'), rejectAll, ...(hasChoice ? [unedited] : []));
  if (answer === rejectAll) return everything;
  return answer === unedited ? { confirmed: [], isUneditedOnly: true } : undefined;
}

/** Names the reviews with comments, which no agent receives by this. */
function commentedLine(which: readonly PendingDecision[], views: ReviewViews): string[] {
  const commented = which.filter(({ review }) => review.commentCount > 0);
  if (commented.length === 0) return [];
  return [vscode.l10n.t('Your comments on these files are not sent: {0}', namesOf(commented, views))];
}

type Blocked = readonly {
  readonly review: PendingDecision['review'];
  readonly obstacle: Obstacle;
  readonly concerns?: PendingDecision['concerns'];
}[];

/** Names the reviews that stay pending, and offers the first one. */
async function report(blocked: Blocked, views: ReviewViews): Promise<void> {
  const { t } = vscode.l10n;
  const show = t('Show');
  const message = linesOf(blocked, views).join(' ');
  if ((await warn(message, show)) !== show) return;
  const view = views.all.find(({ review }) => blocked.some((each) => each.review === review));
  if (view !== undefined) await views.reveal(view);
}

/** A line for each reason. */
function linesOf(blocked: Blocked, views: ReviewViews): string[] {
  const byReason = new Map<string, Blocked>();
  for (const each of blocked) {
    const kinds = each.concerns?.map(({ kind }) => kind) ?? [];
    const obstacles = kinds.some((kind) => kind === each.obstacle) ? kinds : [each.obstacle];
    const reason = obstacles.map(describeObstacle).join('; ');
    byReason.set(reason, [...(byReason.get(reason) ?? []), each]);
  }
  return [...byReason].map(([reason, which]) =>
    vscode.l10n.t('Stays pending: {0} ({1}).', namesOf(which, views), reason),
  );
}

const maxNames = 10;

function namesOf(which: readonly Pick<PendingDecision, 'review'>[], { all }: ReviewViews): string {
  const names = which.flatMap(({ review }) => all.find((view) => view.review === review)?.label ?? []);
  const { length } = names;
  if (length <= maxNames) return names.join(', ');
  return vscode.l10n.t('{0} and {1} more', names.slice(0, maxNames).join(', '), length - maxNames);
}
