import type { Sessions } from '@tandem/companion';
import { nameOfAgent } from '@tandem/companion/agents';
import { shorten, visibleName } from '@tandem/core';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

/** The pending reviews of one session. */
export interface PendingSession {
  readonly id: string;
  readonly agent: string;
  readonly views: readonly ReviewView[];
}

/** The agent of a session, with a number if several of its sessions are connected. */
export function nameOfSession({ id, agent }: PendingSession, sessions: Sessions | undefined): string {
  return sessions?.names.of(agent, id) ?? nameOfAgent(agent);
}

const maxTitle = 60;

/** What the agent calls its conversation, otherwise the first file. */
export function titleOfSession({ id, views }: PendingSession, sessions: Sessions | undefined): string {
  const title = sessions?.titleOf(id) ?? '';
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
