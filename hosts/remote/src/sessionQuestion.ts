import { basename } from 'node:path';
import { type Obstacle, type PendingDecision, visibleName } from '@tandem/core';
import { describeObstacle, type SessionOutcome } from '@tandem/rpc';
import type { SessionQuestion } from './protocol.js';

type Blocked = readonly { readonly path: string; readonly obstacle: Obstacle }[];

/** The question before all pending reviews of a session are decided: what is edited, commented, and what stays pending. */
export function askAboutSession(
  { session, decision }: { readonly session: string; readonly decision: 'accept' | 'reject' },
  agentName: string,
  previews: readonly PendingDecision[],
): SessionQuestion {
  const isAccept = decision === 'accept';
  const wanted = previews.filter(({ obstacle }) => !isAccept || obstacle === undefined);
  const blocked = previews.flatMap(({ review, obstacle }) =>
    isAccept && obstacle !== undefined ? [{ path: review.proposal.path, obstacle }] : [],
  );
  const edited = wanted.filter(({ review }) => review.isEdited);
  const commented = wanted.filter(({ review }) => review.commentCount > 0);
  const verb = isAccept ? 'Accept' : 'Reject';
  const count = wanted.length === 1 ? '1 proposal' : `${wanted.length} proposals`;
  const nothing = `There is nothing to ${decision}.`;
  const message = [
    wanted.length === 0 ? nothing : `${verb} ${count} by ${agentName}: ${namesOf(wanted)}?`,
    ...(edited.length > 0
      ? [`${isAccept ? 'With your edits' : 'Including your edits'}: ${namesOf(edited)}.`]
      : []),
    ...(commented.length > 0 ? [`Your comments on these files are not sent: ${namesOf(commented)}.`] : []),
    ...stayingLines(blocked),
  ].join('\n');
  if (wanted.length === 0) return { message, choices: [] };
  const seen = wanted.map(({ review, seen }) => ({ id: review.id, seen }));
  if (isAccept) {
    return { message, choices: [{ label: verb, method: 'session/acceptAll', params: { session, seen } }] };
  }
  const method = 'session/rejectAll';
  const hasChoice = edited.length > 0 && edited.length < wanted.length;
  return {
    message,
    choices: [
      { label: verb, method, params: { session, seen, rejectsEdited: true } },
      ...(hasChoice ? [{ label: 'Only the unedited', method, params: { session, seen } } as const] : []),
    ],
  };
}

/** What became of the reviews, in one line. */
export function describeOutcome(
  decision: 'Accepted' | 'Rejected',
  { decided, pending }: SessionOutcome,
): string {
  const count = `${decision} ${decided.length} of ${decided.length + pending.length}.`;
  return [count, ...stayingLines(pending)].join(' ');
}

function stayingLines(blocked: Blocked): string[] {
  return blocked.map(({ path, obstacle }) => `${nameOf(path)} stays pending: ${describeObstacle(obstacle)}.`);
}

function namesOf(previews: readonly PendingDecision[]): string {
  return [...new Set(previews.map(({ review }) => nameOf(review.proposal.path)))].join(', ');
}

function nameOf(path: string): string {
  return visibleName(basename(path));
}
