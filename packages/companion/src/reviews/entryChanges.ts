import type { Path } from '@tandem/core';
import {
  type ExactSide,
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
  return isChange(entry) ? { before: foundBy(entry), after: resultOf(entry, next) } : undefined;
}

/** What an entry found. */
export function foundBy({ original, exact }: HistoryEntry): FileContent {
  return withSide(original, exact?.before);
}

/** Whether the contents of a change are kept, or what else is needed to undo it. */
export function hasCopy({ decided, exact }: HistoryEntry): boolean {
  return decided.unkept === undefined || exact !== undefined;
}

/** What the texts of a change do not say. */
export function exactOf({ before, after }: FileChange): Pick<HistoryEntry, 'exact'> {
  const exact = { before: sideOf(before), after: sideOf(after) };
  const isPlain = [exact.before, exact.after].every(({ is, mode }) => is === undefined && mode === undefined);
  return isPlain ? {} : { exact };
}

function sideOf(content: FileContent): ExactSide {
  if (content.kind === 'missing') return {};
  const mode = content.mode === undefined ? {} : { mode: content.mode };
  if (content.kind === 'text' || content.is === undefined) return mode;
  return { is: content.is, size: content.size, ...mode };
}

function withSide(content: FileContent, side: ExactSide | undefined): FileContent {
  if (side?.is !== undefined) {
    const { is, size = 0, mode } = side;
    return { kind: 'binary', size, is, mode };
  }
  return content.kind === 'missing' || side?.mode === undefined ? content : { ...content, mode: side.mode };
}

/** What an entry that changed its file left there. */
export function resultOf(entry: HistoryEntry, next: FileContent): FileContent {
  if (entry.decided.isRemoval) return { kind: 'missing' };
  return withSide(contentAfter(entry, next), entry.exact?.after);
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
  const nextOf = (at: number): FileContent =>
    all.find((entry, index) => index > at && entry.decided.unkept === undefined)?.original ?? now;
  return all.flatMap((entry, at) =>
    selected.has(entry) && hasCopy(entry) ? (changeOf(entry, nextOf(at)) ?? []) : [],
  );
}
