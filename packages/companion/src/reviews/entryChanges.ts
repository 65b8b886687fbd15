import type { Path } from '@tandem/core';
import {
  encodingFate,
  encodingOf,
  type FileChange,
  type FileContent,
  type HistoryEntry,
  writtenText,
} from '@tandem/reviews';
import { writingOf } from '../agents/agents.js';

/** What an entry did to its file; undefined for a rejected review. `next`: what the file was seen to hold after that. */
function changeOf(entry: HistoryEntry, next: FileContent): FileChange | undefined {
  return isChange(entry) ? { before: entry.original, after: resultOf(entry, next) } : undefined;
}

/** What an entry that changed its file left there. */
export function resultOf(entry: HistoryEntry, next: FileContent): FileContent {
  return entry.decided.isRemoval ? { kind: 'missing' } : contentAfter(entry, next);
}

/** What the agent wrote: the text with the line ends and the byte order mark that it gave to it. */
function contentAfter({ agent, decided, original, content }: HistoryEntry, next: FileContent): FileContent {
  if (decided.how !== 'accepted') return { kind: 'text', text: content, encoding: decided.encoding };
  const { lineEnds, ...others } = writingOf(agent);
  const encoding = encodingFate(original, others) === 'kept' ? encodingOf(original) : undefined;
  const sent = writtenText(content, original, others);
  const isAsSent = lineEnds === undefined || (next.kind === 'text' && next.text === sent);
  const text = isAsSent ? sent : writtenText(content, original, { ...others, lineEnds });
  return { kind: 'text', text, encoding };
}

/** Whether an entry changed its file. */
export function isChange({ decided }: HistoryEntry): boolean {
  return decided.how !== 'rejected';
}

/** The entries that changed each file, by its path. */
export function changesByFile(entries: readonly HistoryEntry[]): ReadonlyMap<Path, readonly HistoryEntry[]> {
  const files = new Map<Path, HistoryEntry[]>();
  for (const entry of entries.filter(isChange)) {
    const those = files.get(entry.path);
    if (those === undefined) files.set(entry.path, [entry]);
    else those.push(entry);
  }
  return files;
}

/**
 * What some of the entries of a file did to it. `all`: those that changed it, of all sessions, the oldest first; `now`: its
 * present content.
 */
export function fileChanges(
  all: readonly HistoryEntry[],
  selected: ReadonlySet<HistoryEntry>,
  now: FileContent,
): FileChange[] {
  return all.flatMap((entry, at) =>
    selected.has(entry) && entry.decided.unkept === undefined
      ? (changeOf(entry, all[at + 1]?.original ?? now) ?? [])
      : [],
  );
}
