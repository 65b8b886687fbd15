import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describeError, inTime, type Logger, type Path, systemClock } from '@tandem/core';
import { isOwn, isRunning, openOwnFolder, processStartedAt, readPrivateFile, statOf } from '@tandem/mcp';
import { isUsersWork, newReviewKey, type SavedReview } from '../savedReview.js';
import { parseFormerJournal } from './formerJournal.js';
import type { JournalContents } from './journalContents.js';
import {
  isUnfinishedJournal,
  type JournaledReview,
  JournalFolder,
  type JournalParts,
  tellLeftAlone,
} from './journalFolder.js';
import type { EntryKind } from './journalFormat.js';

/** A companion that was alive this long ago may still have agents that look for it. */
const freshMs = 60_000;
/** Where the user typed and accepted nothing, older journals are forgotten. */
const forgottenMs = 24 * 60 * 60_000;
/** How often a companion notes that it lives. */
const beatMs = 20_000;
/** An end in order waits no longer than this for what it has written to be synced. */
const syncLimitMs = 1_000;
/** A larger file is no journal of an earlier version. */
const maxFormerBytes = 320 * 1024 * 1024;

/** The pid, when that process started, and what tells several journals of one process apart. */
const folderName = /^(\d{1,10})-(\d{1,15})-[0-9a-f]{8}$/;
const claimedEnd = '-claimed.json';
const formerUnfinishedName = /^\d+-[0-9a-f]{8}\.json\.tmp$/;

/** What a companion has left that is gone. */
interface Left {
  readonly path: Path;
  readonly window: string;
  readonly aliveAt: number;
  /** Another companion has taken it over and ended before it had written it down: no agent looks for it any more. */
  readonly isTaken: boolean;
  /** Takes it for this companion alone; undefined when another one was quicker. */
  claim(): Promise<Claimed | undefined>;
}

interface Claimed {
  readonly companion: JournalContents;
  /** The journal that it stands in; none for one of an earlier version. */
  readonly journal?: JournalFolder;
  /** Removes it, once it stands elsewhere. */
  remove(): Promise<void>;
}

/**
 * The journal of a companion: what it would leave if it ended now, pending reviews above all, in a folder of its own
 * beside those of other companions of the same workspace. Several windows may have the workspace open: a companion takes
 * over from its own window's first, and never from one that lives. Whoever opens a journal closes it.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #beat: NodeJS.Timeout;
  #journal: JournalFolder;
  #failed: ReadonlyMap<string, unknown> = new Map();
  #isFailing = false;

  private constructor(options: JournalOptions) {
    this.#options = options;
    this.#journal = new JournalFolder(this.#newPath());
    this.#beat = setInterval(() => this.#journal.noteAlive(), beatMs);
    this.#beat.unref();
  }

  /** Throws `DiscoveryError` when the folder is a link, another user's, or cannot be written. */
  static open(options: JournalOptions): Journal {
    openOwnFolder(options.folder);
    return new Journal(options);
  }

  /** Why the last write does not hold some reviews as they were, by their keys. */
  get failed(): ReadonlyMap<string, unknown> {
    return this.#failed;
  }

  /**
   * Takes what a companion has left that is gone: without `sessions` when its agents are gone as well, and with the
   * reviews of others that ended long ago. Never rejects.
   */
  async take(): Promise<JournalContents | undefined> {
    let first: Claimed | undefined;
    const older: Claimed[] = [];
    for (const left of this.#left()) {
      if (first !== undefined && isFresh(left) && !left.isTaken) continue;
      const claimed = await left.claim();
      if (claimed === undefined) continue;
      const isWorthless =
        Date.now() - left.aliveAt > forgottenMs && !reviewsIn(claimed.companion).some(isUsersWork);
      if (isWorthless) await claimed.remove();
      else if (first === undefined) first = claimed;
      else older.push(claimed);
    }
    if (first === undefined) return undefined;
    const companion = withReviewsOf(older, first.companion);
    const { journal } = first;
    if (journal !== undefined) this.#journal = journal;
    // Only when it is written down here may it be gone there.
    if (await this.write(companion)) {
      if (journal === undefined) await first.remove();
      for (const each of older) await each.remove();
    }
    return companion;
  }

  /**
   * Writes what differs in what the running companion would leave, after what was written before. Resolves to whether all
   * of it outlives the end of this process, and after an end in order the machine's; `failed` says what is missing. Never
   * rejects: the companion works without, and the log says so once.
   */
  async write(
    companion: JournalContents,
    state: { readonly hasEnded: boolean } = { hasEnded: false },
  ): Promise<boolean> {
    const { window, logger } = this.#options;
    const { port, tokens, sessions, isPaused } = companion;
    const journal = this.#journal;
    const { error, failed } = await journal.write(
      {
        format: 3,
        folder: basename(journal.path),
        window,
        hasEnded: state.hasEnded,
        companion: { port, tokens, sessions, ...(isPaused && { isPaused }) },
      },
      partsOf(companion),
    );
    this.#failed = failed;
    const isWritten = error === undefined;
    if (!isWritten && !this.#isFailing) {
      logger.warn('the journal could not be written: a crash now would lose pending reviews', {
        error: describeError(error),
      });
    }
    if (isWritten && this.#isFailing) logger.info('what a restart needs is written again');
    this.#isFailing = !isWritten;
    if (state.hasEnded) await inTime(systemClock, syncLimitMs, journal.synced(), 'The disk').catch(() => {});
    return isWritten;
  }

  close(): void {
    clearInterval(this.#beat);
  }

  /** What companions have left that are gone: of this window first, then the youngest. */
  #left(): Left[] {
    const { folder, window } = this.#options;
    const found = this.#names().flatMap((name) => {
      const path = join(folder, name);
      if (path === this.#journal.path) return [];
      if (isLeftUnfinished(path, name)) rmSync(path, { force: true, recursive: true });
      return (folderName.test(name) ? this.#leftFolder(path) : this.#leftFile(path)) ?? [];
    });
    const isOurs = (left: Left): boolean => left.window === window;
    return found.sort((a, b) => Number(isOurs(b)) - Number(isOurs(a)) || b.aliveAt - a.aliveAt);
  }

  #leftFolder(path: Path): Left | undefined {
    const { logger } = this.#options;
    const name = basename(path);
    const stats = statOf(path);
    if (stats === undefined) return undefined;
    if (!stats.isDirectory() || !isOwn(stats)) {
      logger.warn('a folder of an earlier companion is left alone', {
        folder: name,
        problem: 'no folder of this user',
      });
      return undefined;
    }
    const { file, aliveAt } = JournalFolder.peek(path, logger) ?? {};
    if (file === undefined || aliveAt === undefined) return undefined;
    // Whoever claims a journal gives it a name of its own first.
    const hasEnded = file.hasEnded && file.folder === name;
    if (!hasEnded && isNamedAfterRunning(name)) return undefined;
    const claim = async (): Promise<Claimed | undefined> => {
      const claimed = this.#newPath();
      if (!isMoved(path, claimed)) return undefined;
      const { folder, reviews } = await JournalFolder.adopt(claimed, logger);
      const companion = asFound({ ...file.companion, ...sectionsOf(reviews) }, file.hasEnded, aliveAt);
      // When it was known to live last is told by the file of the companion.
      folder.noteSame(partsOf(companion));
      return { companion, journal: folder, remove: () => folder.remove() };
    };
    return { path, window: file.window, aliveAt, isTaken: false, claim };
  }

  /** The journal of a companion of an earlier version. */
  #leftFile(path: Path): Left | undefined {
    if (!path.endsWith('.json')) return undefined;
    const text = readPrivateFile(path, maxFormerBytes);
    const file = text === undefined ? undefined : parseFormerJournal(text);
    if (file === undefined) {
      tellLeftAlone(this.#options.logger, path, text);
      return undefined;
    }
    if (!file.hasEnded && isRunning(file.pid, file.startedAt)) return undefined;
    const aliveAt = statOf(path)?.mtimeMs ?? 0;
    const claim = async (): Promise<Claimed | undefined> => {
      const claimed = path.endsWith(claimedEnd) ? path : `${path.slice(0, -'.json'.length)}${claimedEnd}`;
      if (!isMoved(path, claimed)) return undefined;
      return {
        companion: asFound(file.companion, file.hasEnded, aliveAt),
        remove: () => rm(claimed, { force: true }).catch(() => {}),
      };
    };
    return { path, window: file.window, aliveAt, isTaken: path.endsWith(claimedEnd), claim };
  }

  #names(): string[] {
    try {
      return readdirSync(this.#options.folder);
    } catch (error) {
      this.#options.logger.warn('what earlier companions have left cannot be read', {
        error: describeError(error),
      });
      return [];
    }
  }

  #newPath(): Path {
    const { folder, pid = process.pid } = this.#options;
    return join(folder, `${pid}-${Math.round(processStartedAt)}-${randomBytes(4).toString('hex')}`);
  }
}

export interface JournalOptions {
  /** Private to the workspace and to this user. */
  readonly folder: Path;
  /** What tells this window from others, until it is reloaded. */
  readonly window: string;
  readonly logger: Logger;
  readonly pid?: number;
}

function isFresh({ aliveAt }: { readonly aliveAt: number }): boolean {
  return Date.now() - aliveAt < freshMs;
}

/** What was found, with what only its finder knows. */
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

/** Adds the reviews of older journals. Two companions that started at once may have taken over the same. */
function withReviewsOf(older: readonly Claimed[], first: JournalContents): JournalContents {
  const keys = new Set(Object.values(partsOf(first)).flatMap((part) => part.map(({ key }) => key)));
  const added = older
    .flatMap((each) => reviewsIn(each.companion))
    .map((review) => {
      const key = keys.has(review.key) ? newReviewKey() : review.key;
      keys.add(key);
      return { ...review, key };
    });
  return { ...first, interrupted: [...added, ...first.interrupted] };
}

function partsOf({ reviews, interrupted, rejected = [] }: JournalContents): JournalParts {
  return { reviews, interrupted, rejected };
}

function sectionsOf(
  reviews: ReadonlyMap<string, JournaledReview>,
): Pick<JournalContents, 'reviews' | 'interrupted' | 'rejected'> {
  const of = (kind: EntryKind): SavedReview[] =>
    [...reviews.values()]
      .filter((each) => each.kind === kind)
      .map(({ saved }) => saved)
      .sort((one, other) => since(one) - since(other) || (one.key < other.key ? -1 : 1));
  const rejected = of('rejected');
  return {
    reviews: of('reviews'),
    interrupted: of('interrupted'),
    ...(rejected.length > 0 && { rejected }),
  };
}

/** When it came to be what it is. */
function since({ interruptedAt, openedAt }: SavedReview): number {
  return interruptedAt ?? openedAt;
}

function reviewsIn({ interrupted, reviews }: JournalContents): SavedReview[] {
  return [...interrupted, ...reviews];
}

/** Whether the process runs that a journal is named after. */
function isNamedAfterRunning(name: string): boolean {
  const [, pid, startedAt] = folderName.exec(name) ?? [];
  return isRunning(Number(pid), Number(startedAt));
}

/** Another window that starts at this moment may want it: one of us moves it first. */
function isMoved(from: Path, to: Path): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** A companion that was killed while it wrote first leaves a part of a journal. One that lives is done much sooner. */
function isLeftUnfinished(path: Path, name: string): boolean {
  const stats = statOf(path);
  if (stats === undefined || Date.now() - stats.mtimeMs <= freshMs) return false;
  if (formerUnfinishedName.test(name)) return stats.isFile();
  if (!folderName.test(name) || !stats.isDirectory() || isNamedAfterRunning(name)) return false;
  return isUnfinishedJournal(path);
}
