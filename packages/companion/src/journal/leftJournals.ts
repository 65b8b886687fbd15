import { renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Logger, Path } from '@tandem/core';
import { isOwn, isRunning, statOf } from '@tandem/mcp';
import type { SavedReview } from '@tandem/reviews';
import type { JournalContents } from './journalContents.js';
import { isUnfinishedJournal, type JournaledReview, namesIn, peekCompanion } from './journalEntries.js';
import { JournalFolder } from './journalFolder.js';
import type { CompanionFile, EntryKind } from './journalFormat.js';

/** A companion that was alive within this time may still have agents that look for it. */
const freshMs = 60_000;

/** The pid, the start time of that process, and random digits that distinguish several journals of one process. */
const folderName = /^(\d{1,10})-(\d{1,15})-[0-9a-f]{8}$/;

/** The journal of an ended companion. */
export interface LeftJournal {
  readonly path: Path;
  readonly file: CompanionFile;
  readonly aliveAt: number;
}

/** What an ended companion left, for one other companion. */
export interface Claimed {
  readonly left: LeftJournal;
  readonly companion: JournalContents;
  /** The journal that contains it. */
  readonly journal: JournalFolder;
}

/** The journals of ended companions in a folder, except the one at `own`. */
export function findLeft(folder: Path, own: Path, logger: Logger): LeftJournal[] {
  return namesIn(folder, logger).flatMap((name) => {
    const path = join(folder, name);
    if (path === own) return [];
    if (isLeftUnfinished(path, name)) rmSync(path, { force: true, recursive: true });
    return (folderName.test(name) ? readLeft(path, logger) : undefined) ?? [];
  });
}

/** Moves a journal to `path`; undefined if another companion was faster. */
export async function claim(left: LeftJournal, path: Path, logger: Logger): Promise<Claimed | undefined> {
  const { file, aliveAt } = left;
  if (!tryRename(left.path, path)) return undefined;
  const journal = await JournalFolder.adopt(path, logger);
  const companion = asFound({ ...file.companion, ...sectionsOf(journal.entries) }, file.hasEnded, aliveAt);
  return { left, companion, journal };
}

export function isFresh({ aliveAt }: Pick<LeftJournal, 'aliveAt'>): boolean {
  return Date.now() - aliveAt < freshMs;
}

function readLeft(path: Path, logger: Logger): LeftJournal | undefined {
  const name = basename(path);
  const stats = statOf(path);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory() || !isOwn(stats)) {
    logger.warn('a folder of an earlier companion is ignored', {
      folder: name,
      problem: 'not a folder of this user',
    });
    return undefined;
  }
  const { file, aliveAt } = peekCompanion(path, logger) ?? {};
  if (file === undefined || aliveAt === undefined) return undefined;
  // A companion that claims a journal renames it first.
  const hasEnded = file.hasEnded && file.folder === name;
  if (!hasEnded && isNamedAfterRunning(name)) return undefined;
  return { path, file, aliveAt };
}

/** The contents found, with what follows from when and how the companion ended. */
function asFound(
  companion: Omit<JournalContents, 'endedInOrder'>,
  hasEnded: boolean,
  aliveAt: number,
): JournalContents {
  return {
    ...companion,
    ...(!isFresh({ aliveAt }) && { sessions: [] }),
    reviews: companion.reviews.map((review) => ({ ...review, interruptedAt: aliveAt })),
    endedInOrder: hasEnded,
  };
}

function sectionsOf(reviews: ReadonlyMap<string, JournaledReview>): Pick<JournalContents, EntryKind> {
  const of = (kind: EntryKind): SavedReview[] =>
    [...reviews.values()]
      .filter((each) => each.kind === kind)
      .map(({ saved }) => saved)
      .sort((one, other) => since(one) - since(other) || (one.key < other.key ? -1 : 1));
  const [rejected, history] = [of('rejected'), of('history')];
  return {
    reviews: of('reviews'),
    interrupted: of('interrupted'),
    ...(rejected.length > 0 && { rejected }),
    ...(history.length > 0 && { history }),
  };
}

/** When the review reached its present state. */
function since({ interruptedAt, decided, openedAt }: SavedReview): number {
  return decided?.at ?? interruptedAt ?? openedAt;
}

/** Whether the process in a journal's name is running. */
function isNamedAfterRunning(name: string): boolean {
  const [, pid, startedAt] = folderName.exec(name) ?? [];
  return isRunning(Number(pid), Number(startedAt));
}

/** Claims a journal by renaming it: another window that starts at this moment may try the same, and one succeeds. */
function tryRename(from: Path, to: Path): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/**
 * A companion killed during its first write leaves an incomplete journal. A live one completes that write much sooner.
 */
function isLeftUnfinished(path: Path, name: string): boolean {
  const stats = statOf(path);
  if (stats === undefined || Date.now() - stats.mtimeMs <= freshMs) return false;
  if (!folderName.test(name) || !stats.isDirectory() || isNamedAfterRunning(name)) return false;
  return isUnfinishedJournal(path);
}
