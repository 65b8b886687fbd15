import { randomBytes } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describeError, type Logger, type Path, systemClock, withTimeout } from '@tandem/core';
import { isOwn, isRunning, openOwnFolder, processStartedAt, statOf } from '@tandem/mcp';
import { isUsersWork, newReviewKey, type SavedReview } from '../savedReview.js';
import type { JournalContents } from './journalContents.js';
import { isUnfinishedJournal, type JournaledReview, namesIn, peekCompanion } from './journalEntries.js';
import { JournalFolder, type JournalParts } from './journalFolder.js';
import type { EntryKind } from './journalFormat.js';

/** A companion that was alive within this time may still have agents that look for it. */
const freshMs = 60_000;
/** Older journals without edited or accepted reviews are removed. */
const forgottenMs = 24 * 60 * 60_000;
/** How often a companion records that it is alive. */
const beatMs = 20_000;
/** Limit for syncing the last write when the companion ends normally. */
const syncLimitMs = 1_000;

/** The pid, the start time of that process, and random digits that distinguish several journals of one process. */
const folderName = /^(\d{1,10})-(\d{1,15})-[0-9a-f]{8}$/;

/** The saved state of an ended companion. */
interface Left {
  readonly path: Path;
  readonly window: string;
  readonly aliveAt: number;
  /** Claims it for this companion; undefined if another one was faster. */
  claim(): Promise<Claimed | undefined>;
}

interface Claimed {
  readonly companion: JournalContents;
  /** The journal that contains it. */
  readonly journal: JournalFolder;
}

/**
 * The journal of a companion: what it would leave if it ended now, especially pending reviews. It is a folder of its
 * own beside those of other companions of the same workspace. Several windows may have the workspace open: a companion
 * takes over from its own window first, and never from a live companion. The caller that opens a journal closes it.
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

  /** Throws `DiscoveryError` if the folder is a link, belongs to another user, or cannot be written. */
  static open(options: JournalOptions): Journal {
    openOwnFolder(options.folder);
    return new Journal(options);
  }

  /** The reviews that the last write did not store in their present state: the reason for each key. */
  get failed(): ReadonlyMap<string, unknown> {
    return this.#failed;
  }

  /**
   * Takes over what an ended companion left: without `sessions` if its agents are gone as well, and with the reviews of
   * others that ended long ago. Never rejects.
   */
  async take(): Promise<JournalContents | undefined> {
    let first: Claimed | undefined;
    const older: Claimed[] = [];
    for (const left of this.#left()) {
      if (first !== undefined && isFresh(left)) continue;
      const claimed = await left.claim();
      if (claimed === undefined) continue;
      const { history = [] } = claimed.companion;
      const isWorthless =
        Date.now() - left.aliveAt > forgottenMs &&
        history.length === 0 &&
        !reviewsIn(claimed.companion).some(isUsersWork);
      if (isWorthless) await claimed.journal.remove();
      else if (first === undefined) first = claimed;
      else older.push(claimed);
    }
    if (first === undefined) return undefined;
    const companion = withReviewsOf(older, first.companion);
    this.#journal = first.journal;
    // Remove the older journals only after their content is written here.
    if (await this.write(companion)) for (const { journal } of older) await journal.remove();
    return companion;
  }

  /**
   * Writes what has changed in what the running companion would leave, after any earlier writes. Resolves to whether
   * all of it survives the end of this process and, after a normal end, of the machine; `failed` lists what is missing.
   * Never rejects: the companion works without a journal, and logs the problem once.
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
    if (isWritten && this.#isFailing) logger.info('the journal can be written again');
    this.#isFailing = !isWritten;
    if (state.hasEnded)
      await withTimeout(systemClock, syncLimitMs, journal.synced(), 'The disk').catch(() => {});
    return isWritten;
  }

  close(): void {
    clearInterval(this.#beat);
  }

  /** What ended companions left: that of this window first, then the most recent. */
  #left(): Left[] {
    const { folder, window } = this.#options;
    const found = namesIn(folder, this.#options.logger).flatMap((name) => {
      const path = join(folder, name);
      if (path === this.#journal.path) return [];
      if (isLeftUnfinished(path, name)) rmSync(path, { force: true, recursive: true });
      return (folderName.test(name) ? this.#leftFolder(path) : undefined) ?? [];
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
    const claim = async (): Promise<Claimed | undefined> => {
      const claimed = this.#newPath();
      if (!tryRename(path, claimed)) return undefined;
      const { folder, reviews } = await JournalFolder.adopt(claimed, logger);
      const companion = asFound({ ...file.companion, ...sectionsOf(reviews) }, file.hasEnded, aliveAt);
      // The companion file records the time when it was last known to be alive.
      folder.noteSame(partsOf(companion));
      return { companion, journal: folder };
    };
    return { path, window: file.window, aliveAt, claim };
  }

  #newPath(): Path {
    const { folder, pid = process.pid } = this.#options;
    return join(folder, `${pid}-${Math.round(processStartedAt)}-${randomBytes(4).toString('hex')}`);
  }
}

export interface JournalOptions {
  /** Private to the workspace and to this user. */
  readonly folder: Path;
  /** Identifies this window until it is reloaded. */
  readonly window: string;
  readonly logger: Logger;
  readonly pid?: number;
}

function isFresh({ aliveAt }: { readonly aliveAt: number }): boolean {
  return Date.now() - aliveAt < freshMs;
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

/** Adds the reviews of older journals. Two companions that started at once may have taken over the same ones. */
function withReviewsOf(older: readonly Claimed[], first: JournalContents): JournalContents {
  const keys = new Set(Object.values(partsOf(first)).flatMap((part) => part.map(({ key }) => key)));
  const added = older
    .flatMap((each) => reviewsIn(each.companion))
    .map((review) => {
      const key = keys.has(review.key) ? newReviewKey() : review.key;
      keys.add(key);
      return { ...review, key };
    });
  const history = [...older, { companion: first }].flatMap(({ companion }) => companion.history ?? []);
  return { ...first, interrupted: [...added, ...first.interrupted], ...(history.length > 0 && { history }) };
}

function partsOf({ reviews, interrupted, rejected = [], history = [] }: JournalContents): JournalParts {
  return { reviews, interrupted, rejected, history };
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

function reviewsIn({ interrupted, reviews }: JournalContents): SavedReview[] {
  return [...interrupted, ...reviews];
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
