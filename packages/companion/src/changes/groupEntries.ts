import type { HistoryEntry } from '@tandem/reviews';
import { type EntryGroup, groupKeyOf, isUncertain } from './changeGroups.js';

/**
 * Groups entries, the oldest first. Sessions keep the order of their first entry; within one, what has no turn comes before the
 * turns. The uncertain groups of all sessions are the last.
 */
export function groupEntries(entries: readonly HistoryEntry[]): readonly EntryGroup[] {
  const groups = new Map<string, EntryGroup & { readonly entries: HistoryEntry[] }>();
  const sessions = new Map<string, number>();
  for (const entry of entries) {
    const { agent, session, decided } = entry;
    if (!sessions.has(session)) sessions.set(session, sessions.size);
    const key = groupKeyOf(entry);
    const known = groups.get(key);
    if (known !== undefined) known.entries.push(entry);
    else {
      const { turn } = decided;
      groups.set(key, {
        key,
        agent,
        session,
        ...(turn && { turn }),
        isUncertain: isUncertain(entry),
        entries: [entry],
      });
    }
  }
  const rank = ({ isUncertain, session, turn }: EntryGroup): readonly number[] => [
    Number(isUncertain),
    sessions.get(session) ?? 0,
    turn?.number ?? 0,
  ];
  return [...groups.values()].sort((one, other) => compare(rank(one), rank(other)));
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((each, index) => each !== other[index]);
  return (one[at] ?? 0) - (other[at] ?? 0);
}
