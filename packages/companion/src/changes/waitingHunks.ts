import { finishWithPauses, hunksInSteps, splitBom, splitLines, textOf } from '@tandem/reviews';
import type { WaitingHunk } from '@tandem/rpc';
import { pausing } from '../files/pausing.js';
import { describeEntry } from '../reviews/history.js';
import { describe, type FileWithEntries } from './changedFile.js';
import { groupKeyOf, isWaiting } from './changeGroups.js';

/** Of one hunk, at most so many removed lines are shown. */
const mostRemoved = 500;

/** Where a document has changes of one group that wait. `file`: its entries are of the group. */
export async function waitingHunks(file: FileWithEntries): Promise<readonly Omit<WaitingHunk, 'label'>[]> {
  const entries = file.entries.filter(isWaiting);
  const [first] = entries;
  if (first === undefined) return [];
  const { before, now, stamp } = await describe(file);
  if (before.kind === 'binary' || now.kind === 'binary') return [];
  const hunks = await finishWithPauses(hunksInSteps(textOf(before), textOf(now)), pausing());
  const earlier = hunks.length === 0 ? [] : splitLines(splitBom(textOf(before)).body);
  const evidence = [...new Set(entries.flatMap((entry) => describeEntry(entry).evidence ?? []))];
  const { agent, session, decided } = first;
  return hunks.map(({ index, original, proposed: { start, count } }) => ({
    group: groupKeyOf(first),
    index,
    stamp,
    start,
    count,
    removed: earlier
      .slice(original.start, original.start + Math.min(original.count, mostRemoved))
      .map(({ text }) => text),
    removedCount: original.count,
    agent,
    session,
    ...(decided.turn && { turn: decided.turn }),
    evidence,
    isUncertain: file.isUncertain === true,
    isCertain: entries.every((entry) => entry.decided.evidence === undefined),
  }));
}
