import { encodingOf, type FileChange, type HistoryEntry, newReviewKey, textOf } from '@tandem/reviews';
import { exactOf } from './entryChanges.js';

/** One of the entries in the place of others. `last`: the last of them. */
export function partOf(
  entries: readonly HistoryEntry[],
  last: HistoryEntry,
  { before, after }: FileChange,
  id: string,
): HistoryEntry {
  const [text, encoding] = [textOf(after), encodingOf(after)];
  const { exact: _exact, ...others } = last;
  const { isRemoval: _removal, encoding: _encoding, ...decided } = last.decided;
  return {
    ...others,
    ...exactOf({ before, after }),
    key: newReviewKey(),
    original: before,
    proposed: text,
    content: text,
    replaces: entries.map(({ key }) => key),
    decided: {
      ...decided,
      ...joinEvidence(entries),
      id,
      ...(after.kind === 'missing' && { isRemoval: true }),
      ...(encoding !== undefined && { encoding }),
    },
  };
}

/** If a crash left entries with those that replace them, both parts of them count, or else none. */
export function withoutReplaced(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const parts = new Map<string, number>();
  for (const key of entries.flatMap(({ replaces = [] }) => replaces))
    parts.set(key, (parts.get(key) ?? 0) + 1);
  const present = new Set(entries.map(({ key }) => key));
  const isSingle = ({ replaces = [] }: HistoryEntry): boolean =>
    replaces.some((key) => present.has(key) && parts.get(key) === 1);
  return entries.filter((entry) => (parts.get(entry.key) ?? 0) < 2 && !isSingle(entry));
}

/** Of several edits: what they are called, and how it is known whose they are. The weakest evidence counts. */
function joinEvidence(entries: readonly HistoryEntry[]): Pick<HistoryEntry['decided'], 'title' | 'evidence'> {
  const title = [...new Set(entries.flatMap(({ decided }) => decided.title || []))].join('; ');
  const found = entries.flatMap(({ decided }) => decided.evidence ?? []);
  const commands = found.flatMap((each) => (each.kind === 'command' ? each.commands : []));
  const isTurn = found.some(({ kind }) => kind === 'turn');
  const evidence = isTurn ? { kind: 'turn' as const } : { kind: 'command' as const, commands };
  return { title, ...(found.length > 0 && { evidence }) };
}
