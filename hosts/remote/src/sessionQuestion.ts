import {
  describeObstacle,
  findConfirmable,
  type Obstacle,
  type PendingDecision,
  visibleName,
} from '@tandem/core';
import type { SessionOutcome } from '@tandem/rpc';
import type { SessionQuestion } from './protocol.js';

type Blocked = readonly { readonly path: string; readonly obstacles: readonly Obstacle[] }[];

/** The path of a file for users. */
type LabelOf = (path: string) => string;

/** The question before all pending reviews of a session are decided: what is edited, commented, and what stays pending. */
export function askAboutSession(
  { session, decision }: { readonly session: string; readonly decision: 'accept' | 'reject' },
  { agentName, label }: { readonly agentName: string; readonly label: LabelOf },
  previews: readonly PendingDecision[],
): SessionQuestion {
  const namesOf = (some: readonly PendingDecision[]): string =>
    [...new Set(some.map(({ review }) => visibleName(label(review.proposal.path))))].join(', ');
  const isAccept = decision === 'accept';
  const wanted = previews.filter(({ obstacle }) => !isAccept || obstacle === undefined);
  const blocked = previews.flatMap(({ review, obstacle, concerns }) => {
    if (!isAccept || obstacle === undefined) return [];
    const kinds = concerns.map(({ kind }) => kind);
    const obstacles = kinds.some((kind) => kind === obstacle) ? kinds : [obstacle];
    return [{ path: review.proposal.path, obstacles }];
  });
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
    ...stayingLines(blocked, label),
  ].join('\n');
  const seenOf = (some: readonly PendingDecision[]) =>
    some.map(({ review, seen }) => ({ id: review.id, seen }));
  const seen = seenOf(wanted);
  if (isAccept) {
    const method = 'session/acceptAll';
    const { reviews: dangerous, kinds: confirmed } = findConfirmable(previews);
    const all = [...wanted, ...dangerous];
    const params = { session, seen: seenOf(all), confirmed: [...confirmed] };
    return {
      message,
      choices: [
        ...(wanted.length > 0 ? [{ label: verb, method, params: { session, seen } } as const] : []),
        ...(dangerous.length > 0
          ? [
              {
                label: wanted.length > 0 ? `Accept all ${all.length}` : 'Accept anyway',
                method,
                params,
              } as const,
            ]
          : []),
      ],
    };
  }
  if (wanted.length === 0) return { message, choices: [] };
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
  label: LabelOf,
): string {
  const count = `${decision} ${decided.length} of ${decided.length + pending.length}.`;
  const blocked = pending.map(({ path, obstacle }) => ({ path, obstacles: [obstacle] }));
  return [count, ...stayingLines(blocked, label)].join(' ');
}

function stayingLines(blocked: Blocked, label: LabelOf): string[] {
  return blocked.map(
    ({ path, obstacles }) =>
      `${visibleName(label(path))} stays pending: ${obstacles.map(describeObstacle).join('; ')}.`,
  );
}
