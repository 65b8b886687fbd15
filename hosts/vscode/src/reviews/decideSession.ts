import type { Answer, Decision, Review } from '@tandem/reviews';
import * as vscode from 'vscode';
import { choose } from '../askFirst.js';
import { warn } from '../messages.js';
import type { SessionModel } from './pendingSessions.js';
import type { ReviewViews } from './reviewViews.js';

/** Accepts or rejects all pending reviews of these sessions, if the user agrees. What has an obstacle stays pending. */
export async function decideSessions(of: {
  readonly decision: Decision;
  readonly sessions: readonly string[];
  readonly decisions: SessionModel;
  readonly views: ReviewViews;
}): Promise<void> {
  const { decision, sessions, decisions, views } = of;
  const decide = (answer?: Answer) => views.deciding(() => decisions.decide(sessions, decision, answer));
  let attempt = await decide();
  let wanted: ReadonlySet<string> | undefined;
  if (attempt.kind === 'question') {
    const { question } = attempt;
    if (question.choices.length === 0) {
      void warn([question.message, ...question.detail.split('\n')].join(' '));
      return;
    }
    const chosen = await choose(question);
    if (chosen === undefined) return;
    wanted = new Set(chosen.answer.seen?.map(({ id }) => id));
    attempt = await decide(chosen.answer);
  }
  if (attempt.kind === 'question') return;
  // The question named the others.
  const [first] = attempt.pending.filter(
    ({ review, obstacle }) => obstacle !== 'edited' && wanted?.has(review.id) !== false,
  );
  if (first !== undefined) await report(attempt.note, first.review, views);
}

/** Names the reviews that stay pending, and offers the first one. */
async function report(note: string, review: Review, views: ReviewViews): Promise<void> {
  const show = vscode.l10n.t('Show');
  if ((await warn(note, show)) !== show) return;
  const view = views.all.find((each) => each.review === review);
  if (view !== undefined) await views.reveal(view);
}
