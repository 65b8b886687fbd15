import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describeError, type Logger, type Path } from '@tandem/core';
import { readPrivateFile, statOf } from '@tandem/mcp';
import type { SavedReview } from '@tandem/reviews';
import {
  type CompanionFile,
  type EntryKind,
  isOfOtherVersion,
  parseCompanionFile,
  parseReviewFile,
  reviewOf,
  type TextReference,
  textFilesOf,
} from './journalFormat.js';
import { type JournalTexts, LostTextError } from './journalTexts.js';

/** A review of the journal, and the part that contains it. */
export interface JournaledReview {
  readonly kind: EntryKind;
  readonly saved: SavedReview;
}

/** One file of a journal, as it was read: the companion's as text. */
export interface JournalEntry {
  readonly content: string | JournaledReview;
  /** The texts that it refers to, with the references. */
  readonly references: readonly (readonly [string, TextReference])[];
  /** The names of the text files that it refers to. */
  readonly texts: readonly string[];
}

export const companionKey = 'companion';
const entryName = /^(companion|[0-9a-f]{24})\.(\d{1,15})\.json$/;
/** JSON needs at most six bytes for a code unit, and an entry has a few short texts and a path. */
export const maxEntryBytes = 8 * 1024 * 1024;

export function entryPath(folder: Path, key: string, number: number): Path {
  return join(folder, `${key}.${number}.json`);
}

/** The numbers of the versions of each key, the newest first. */
export function versionsIn(names: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const versions = new Map<string, number[]>();
  for (const name of names) {
    const [, key = '', number] = entryName.exec(name) ?? [];
    if (number !== undefined) versions.set(key, [...(versions.get(key) ?? []), Number(number)]);
  }
  for (const ofKey of versions.values()) ofKey.sort((one, other) => other - one);
  return versions;
}

/** The companion file of the journal at `path`, and when the companion was last known to be alive. Changes nothing. */
export function peekCompanion(
  path: Path,
  logger: Logger,
): { readonly file: CompanionFile; readonly aliveAt: number } | undefined {
  for (const number of versionsIn(namesIn(path, logger)).get(companionKey) ?? []) {
    const name = entryPath(path, companionKey, number);
    const text = readPrivateFile(name, maxEntryBytes);
    const file = text === undefined ? undefined : parseCompanionFile(text);
    if (file !== undefined) return { file, aliveAt: statOf(name)?.mtimeMs ?? 0 };
    warnLeftAlone(logger, name, text);
    if (text !== undefined && isOfOtherVersion(text)) return undefined;
  }
  return undefined;
}

/**
 * Reads one file of a key; undefined for an incomplete one, and `other` for one of another version of Tandem, which earlier
 * files of the key do not replace. The log names both.
 */
export function readEntry(
  folder: Path,
  key: string,
  number: number,
  storedTexts: JournalTexts,
  logger: Logger,
): JournalEntry | 'other' | undefined {
  const path = entryPath(folder, key, number);
  const text = readPrivateFile(path, maxEntryBytes);
  // The log already named the companion file when the journal was first inspected.
  if (key === companionKey)
    return text === undefined ? undefined : { content: text, references: [], texts: [] };
  try {
    const file = text === undefined ? undefined : parseReviewFile(text);
    if (file !== undefined) {
      const saved = reviewOf(file, (reference) => storedTexts.get(reference));
      const references: JournalEntry['references'] = [
        ...(saved.original.kind === 'text' && file.original.kind === 'text'
          ? [[saved.original.text, file.original.text] as const]
          : []),
        [saved.proposed, file.proposed],
      ];
      return { content: { kind: file.kind, saved }, references, texts: textFilesOf(file) };
    }
    warnLeftAlone(logger, path, text);
    if (text !== undefined && isOfOtherVersion(text)) return 'other';
  } catch (error) {
    if (!(error instanceof LostTextError)) throw error;
    logger.warn('a file of an earlier companion is ignored', {
      file: basename(path),
      problem: error.message,
    });
  }
  return undefined;
}

/** Whether a folder holds only files of a journal but no companion file: the companion was killed before writing it. */
export function isUnfinishedJournal(path: Path): boolean {
  try {
    return readdirSync(path).every((name) => name.endsWith('.tmp'));
  } catch {
    return false;
  }
}

export function namesIn(path: Path, logger: Logger): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    logger.warn('the journals of earlier companions cannot be read', { error: describeError(error) });
    return [];
  }
}

/** Logs a file that cannot be read. It stays, because its owner and its content are unknown. */
function warnLeftAlone(logger: Logger, path: Path, text: string | undefined): void {
  const problem =
    text === undefined
      ? 'not a regular file of this user, or too large'
      : 'not what this version of Tandem writes';
  logger.warn('a file of an earlier companion is ignored', { file: basename(path), problem });
}
