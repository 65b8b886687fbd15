import { createHash } from 'node:crypto';
import type { Path } from '@tandem/core';
import {
  type Answer,
  askToKeep,
  type HistoryEntry,
  keptNotes,
  presentKept,
  type Question,
} from '@tandem/reviews';
import { type ChangeSelection, type HunkChoice, type KeptFile, RpcError } from '@tandem/rpc';
import { changesByFile, hasCopy } from '../reviews/entryChanges.js';
import type { History } from '../reviews/history.js';
import type { ChangeFacts, FileWithEntries } from './changedFile.js';
import { groupKeyOf, isUncertain, isWaiting } from './changeGroups.js';
import { keepPart } from './keepPart.js';
import { isNamed, requireChanges, requireChoice } from './selectChanges.js';

/** Which changes to keep, and how. See `changes.keep` in `deskContract`. */
export interface Keeping extends ChangeSelection, HunkChoice {
  readonly isKept?: boolean | undefined;
  readonly answer?: Answer | undefined;
}

/** What came of it. */
export type Kept =
  | { readonly kind: 'done'; readonly files: KeptFile[]; readonly note: string }
  | { readonly kind: 'question'; readonly question: Question };

interface Services {
  readonly history: History;
  readonly label: (path: Path) => string;
  /** What waits of one group in one file, as views show it. */
  readonly waitingIn: (path: Path, group: string) => Promise<FileWithEntries>;
  /** What stands of changes, by their files. */
  readonly summarize: (
    entries: readonly HistoryEntry[],
  ) => Promise<readonly (Pick<ChangeFacts, 'isAbsent' | 'warnings'> & { readonly path: Path })[]>;
}

/** Keeps changes, takes that back, or asks first. Rejects with `RpcError`. */
export async function keepChanges(keeping: Keeping, of: Services): Promise<Kept> {
  const { isKept = true, answer, hunks, lines, stamp, ...selection } = keeping;
  const isPart = hunks !== undefined || lines !== undefined;
  requireChoice(selection, 'keep', isPart);
  const found = requireChanges(of.history.entries, selection).filter(
    (entry) => entry.decided.how === 'written' && isWaiting(entry) === isKept,
  );
  const named = [...changesByFile(found)].flatMap(([, entries]) =>
    isNamed(selection, entries) ? entries : entries.filter((entry) => !isUncertain(entry)),
  );
  const uncertain = pathsOf(found.filter((entry) => !named.includes(entry)));
  if (isPart && isKept) return keepHunks(named, { hunks, lines, stamp }, of);
  const files = changesByFile(named);
  if (isKept && answer === undefined && files.size > 1) {
    const shown = (await of.summarize(named)).filter(({ isAbsent }) => !isAbsent);
    if (shown.length > 1) {
      const seen = [...files].map(([path, entries]) => ({ id: path, seen: seenOf(entries) }));
      const { label } = of;
      const question = askToKeep(shown, { label, answer: { seen }, uncertain: uncertain.length });
      return { kind: 'question', question };
    }
  }
  const seen = answer?.seen && new Map(answer.seen.map((each) => [each.id, each.seen]));
  const kept: KeptFile[] = [];
  const left: KeptFile[] = uncertain.map((path) => leave(path, keptNotes.uncertain));
  for (const [path, entries] of files) {
    if (seen !== undefined && seen.get(path) !== seenOf(entries)) {
      left.push(leave(path, keptNotes.changed));
      continue;
    }
    of.history.keep(entries, isKept);
    kept.push({
      path,
      kind: isKept ? 'kept' : 'waits',
      ids: idsOf(entries),
      note: isKept ? keptNotes.kept : keptNotes.again,
    });
  }
  return {
    kind: 'done',
    files: [...kept, ...left],
    note: presentKept(kept.length, { isKept, left: left.length }),
  };
}

async function keepHunks(entries: readonly HistoryEntry[], choice: HunkChoice, of: Services): Promise<Kept> {
  const [path] = pathsOf(entries);
  if (path === undefined) throw noneIn('The file');
  const groups = [...new Set(entries.map(groupKeyOf))];
  if (choice.hunks !== undefined && groups.length > 1)
    throw new RpcError('bad-params', 'Choose the group of these changes, too.');
  const found: ('part' | 'all')[] = [];
  const ids: string[] = [];
  for (const group of groups) {
    const file = await of.waitingIn(path, group);
    const part = await keepPart(file, choice);
    if (part === 'none') continue;
    // Only what was compared is replaced.
    const counted = file.entries.filter((entry) => isWaiting(entry) && hasCopy(entry));
    requirePresent(of.history, path, counted);
    if (part === 'all') {
      of.history.keep(counted, true);
      ids.push(...idsOf(counted));
    } else ids.push(...of.history.keepPart(counted, part.kept, part.rest));
    found.push(part === 'all' ? part : 'part');
  }
  if (found.length === 0) throw noneIn(path);
  const isWhole = found.length === groups.length && !found.includes('part');
  const note = isWhole ? keptNotes.kept : keptNotes.part;
  return { kind: 'done', files: [{ path, kind: 'kept', ids, note }], note: `${of.label(path)} ${note}` };
}

function leave(path: Path, note: string): KeptFile {
  return { path, kind: 'left', ids: [], note };
}

function idsOf(entries: readonly HistoryEntry[]): string[] {
  return entries.map(({ decided }) => decided.id);
}

function noneIn(file: string): RpcError {
  return new RpcError('not-found', `${file} has no change in these lines that waits.`);
}

function requirePresent(history: History, path: Path, entries: readonly HistoryEntry[]): void {
  const present = new Set(history.entries);
  if (entries.every((entry) => present.has(entry))) return;
  throw new RpcError('refused', `${path} has changed since it was shown. Look at its changes again.`);
}

function pathsOf(entries: readonly HistoryEntry[]): readonly Path[] {
  return [...new Set(entries.map(({ path }) => path))];
}

/** Identifies what the user was asked about. */
function seenOf(entries: readonly HistoryEntry[]): string {
  const hash = createHash('sha256');
  for (const { key } of entries) hash.update(`${key}\n`);
  return hash.digest('base64url').slice(0, 16);
}
