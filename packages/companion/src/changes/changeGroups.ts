import type { HistoryEntry, SessionTurn } from '@tandem/reviews';

/** Entries of one session under one heading: those of a turn, or those without one. */
export interface EntryGroup {
  /** Stays the same as long as the group has entries. */
  readonly key: string;
  readonly agent: string;
  readonly session: string;
  readonly turn?: SessionTurn;
  /** Perhaps something else made these changes. They are in a group of their own, which no action for several files includes. */
  readonly isUncertain: boolean;
  readonly entries: readonly HistoryEntry[];
}

/** The group of an entry. */
export function groupKeyOf(entry: HistoryEntry): string {
  const { session, decided } = entry;
  return `${isUncertain(entry) ? 'uncertain' : 'turn'} ${decided.turn?.number ?? 0} ${session}`;
}

/** Whether perhaps something else than the agent made the change. */
export function isUncertain({ decided }: HistoryEntry): boolean {
  return decided.evidence?.kind === 'turn';
}

/** Whether the change waits for the user: it was written without a review, and the user has not kept it. */
export function isWaiting({ decided, keptAt }: HistoryEntry): boolean {
  return decided.how === 'written' && keptAt === undefined;
}
