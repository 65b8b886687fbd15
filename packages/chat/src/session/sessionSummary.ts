import type { DaemonSessionSummary } from '@qwen-code/sdk/daemon';

/** A session of a daemon, for a list. */
export interface ChatSessionSummary {
  readonly id: string;
  /** What it is about: its first prompt, or the name that somebody gave it. */
  readonly title: string;
  /** Unix time in milliseconds. */
  readonly updatedAt?: number;
  readonly isRunning: boolean;
  /** It waits for an answer to a permission or a question. */
  readonly isWaiting: boolean;
}

export function toSessionSummary(session: DaemonSessionSummary): ChatSessionSummary {
  const updatedAt = Date.parse(session.updatedAt ?? session.createdAt ?? '');
  return {
    id: session.sessionId,
    title: session.displayName ?? 'New chat',
    isRunning: session.hasActivePrompt ?? false,
    isWaiting: (session.isWaitingForPermission ?? false) || (session.isWaitingForUserQuestion ?? false),
    ...(!Number.isNaN(updatedAt) && { updatedAt }),
  };
}
