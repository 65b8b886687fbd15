import type { Decision } from '@tandem/reviews';
import type { Answer } from '@tandem/rpc';
import * as vscode from 'vscode';
import { choose, type Desk } from '../desk.js';
import { warn } from '../messages.js';
import type { ReviewViews } from './reviewViews.js';

/** Accepts or rejects all pending reviews of a session, otherwise of all, if the user agrees. What has an obstacle stays pending. */
export async function decideSession(of: {
  readonly decision: Decision;
  readonly session: string | undefined;
  readonly desk: Desk;
  readonly views: ReviewViews;
}): Promise<void> {
  const { decision, session, desk, views } = of;
  const decide = (answer?: Answer) =>
    views.deciding(() => desk.attempt('session.decide', { session, decision, answer }));
  let { done, question } = await decide();
  const answer = question && (await choose(question))?.answer;
  if (answer !== undefined) ({ done } = await decide(answer));
  // The question named the others.
  const wasWanted = (id: string): boolean => answer?.seen?.some((each) => each.id === id) !== false;
  const left = done?.pending.find(({ id, obstacle }) => obstacle !== 'edited' && wasWanted(id));
  if (done === undefined || left === undefined) return;
  const show = vscode.l10n.t('Show');
  if ((await warn(done.note, show)) !== show) return;
  const view = views.all.find(({ review }) => review.id === left.id);
  if (view !== undefined) await views.reveal(view);
}
