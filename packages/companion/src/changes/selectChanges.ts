import type { HistoryEntry } from '@tandem/reviews';
import { type ChangeSelection, RpcError } from '@tandem/rpc';
import { isChange } from '../reviews/entryChanges.js';
import { groupKeyOf, isUncertain, isWaiting } from './changeGroups.js';

/**
 * The entries of a selection. With `waits`: those that wait for the user, or the others. An undo is with the changes of its turn to
 * the file that wait, if there are any.
 */
export function selectChanges(
  entries: readonly HistoryEntry[],
  { ids, session, turn, path, group, since, waits }: ChangeSelection,
): readonly HistoryEntry[] {
  const found = entries.filter(
    (entry) =>
      (ids === undefined || ids.includes(entry.decided.id)) &&
      (session === undefined || entry.session === session) &&
      (turn === undefined || entry.decided.turn?.number === turn) &&
      (path === undefined || entry.path === path) &&
      (group === undefined || groupKeyOf(entry) === group) &&
      (since === undefined || entry.decided.at >= since),
  );
  if (waits === undefined) return found;
  const placeOf = (entry: HistoryEntry): string => `${groupKeyOf(entry)} ${entry.path}`;
  const waiting = new Set(entries.filter(isWaiting).map(placeOf));
  const waitsNow = (entry: HistoryEntry): boolean =>
    entry.decided.how === 'restored' ? waiting.has(placeOf(entry)) : isWaiting(entry);
  return found.filter((entry) => waitsNow(entry) === waits);
}

/** The same. Throws `RpcError` if no change is among them, or one of the ids is unknown or was rejected. */
export function requireChanges(
  entries: readonly HistoryEntry[],
  selection: ChangeSelection,
): readonly HistoryEntry[] {
  const found = selectChanges(entries, selection);
  const { ids = [], path } = selection;
  const missing = ids.filter((id) => found.every(({ decided }) => decided.id !== id));
  if (missing.length > 0) {
    const known = entries.filter(isChange).map(({ decided }) => decided.id);
    throw new RpcError(
      'not-found',
      `The history has no change ${missing.join(', ')}. It has: ${known.join(', ') || 'none'}.`,
    );
  }
  const rejected = found.find((entry) => ids.includes(entry.decided.id) && !isChange(entry));
  if (rejected !== undefined) {
    throw new RpcError('refused', `Review ${rejected.decided.id} was rejected: it changed nothing.`);
  }
  if (found.some(isChange)) return found;
  throw new RpcError('not-found', `The history has no change${path === undefined ? '' : ` to ${path}`}.`);
}

/** Throws `RpcError` unless the selection says what to do something with. `verb`: what, such as `undo`. */
export function requireChoice(selection: ChangeSelection, verb: string, isPart: boolean): void {
  const { ids, session, turn, path, group, all } = selection;
  if (turn !== undefined && session === undefined) {
    throw new RpcError('bad-params', 'Choose the session of the turn, too.');
  }
  if ([ids, session, path, group].every((each) => each === undefined) && all !== true) {
    throw new RpcError(
      'bad-params',
      `Choose what to ${verb}: changes by their numbers, a session, a file, or all.`,
    );
  }
  if (isPart && path === undefined) {
    throw new RpcError('bad-params', 'Choose the file of these lines, too.');
  }
}

/** Whether a selection names entries of a file that are perhaps not the agent's, by their ids or their group: then they count, too. */
export function isNamed({ ids, group }: ChangeSelection, entries: readonly HistoryEntry[]): boolean {
  return ids !== undefined || (group !== undefined && entries.every(isUncertain));
}
