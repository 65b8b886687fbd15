import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import {
  describeError,
  isWithin,
  type Logger,
  type Path,
  silentLogger,
  systemClock,
  withTimeout,
} from '@tandem/core';
import { openOwnFolder, processStartedAt, statOf } from '@tandem/mcp';
import { isUsersWork, newReviewKey, type ReviewRecord, type SavedReview, savedOf } from '@tandem/reviews';
import { type CompanionState, companionState, type JournalContents } from './journalContents.js';
import { namesIn } from './journalEntries.js';
import { JournalFolder } from './journalFolder.js';
import { journalFormat, kindOf } from './journalFormat.js';
import { withOwnNumbers } from './journalNumbers.js';
import { type Claimed, claim, findLeft, isFresh, type LeftJournal } from './leftJournals.js';

/** Older journals without edited or accepted reviews are removed. */
const forgottenMs = 24 * 60 * 60_000;
/** How often a companion records that it is alive. */
const beatMs = 20_000;
/** Limit for syncing the last write when the companion ends normally. */
const syncLimitMs = 1_000;

/**
 * The journal of a companion: what it would leave if it ended now, especially pending reviews. It is a folder of its
 * own beside those of other companions of the same workspace. Several windows may have the workspace open: a companion
 * takes over from its own window first, and never from a live companion. The folders of a workspace may change: with
 * `folders`, a companion also takes over from one that served one of them in another workspace, and from its own window
 * in any workspace. The caller that opens a journal closes it.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #beat: NodeJS.Timeout;
  #journal: JournalFolder;
  /** The folders that this companion and those before it have served. */
  readonly #served = new Set<Path>();
  /** The folders for which it has looked for ended companions. */
  readonly #searched = new Set<Path>();
  #hasTaken = false;
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
    const [first, ...older] = await this.#claim(this.#findLeft());
    if (first === undefined) return undefined;
    const [own, ...others] = withOwnNumbers([first, ...older].map(({ companion }) => companion));
    const companion = withReviewsOf(others, own ?? first.companion);
    this.#journal = first.journal;
    if (older.length > 0) {
      const { interrupted, history = [] } = companion;
      for (const saved of interrupted) this.#journal.put({ kind: 'interrupted', saved });
      for (const saved of history) this.#journal.put({ kind: 'history', saved });
    }
    // Remove the older journals only after their content is written here.
    if (await this.write(companionState.parse(companion)))
      for (const { journal } of older) await journal.remove();
    return companion;
  }

  /**
   * After the folders have changed: passes on the reviews that companions of the new ones left. Their history stays for the
   * next companion. `keep` resolves to whether this journal has the reviews. Never rejects.
   */
  async takeMore(keep: (reviews: readonly SavedReview[]) => Promise<boolean>): Promise<void> {
    const added = this.#addedFolders();
    if (added.length === 0) return;
    const found = this.#findElsewhere().filter((left) => hasServed(left, added));
    for (const { left, companion, journal } of await this.#claim(found)) {
      const { endedInOrder, history = [] } = companion;
      const reviews = reviewsIn(companion).filter((review) => !endedInOrder || isUsersWork(review));
      if (reviews.length > 0 && !(await keep(reviews))) continue;
      if (history.length === 0) await journal.remove();
      else {
        const rest = { ...left.file.companion, sessions: [] };
        for (const [key, { kind }] of [...journal.entries]) if (kind !== 'history') journal.delete(key);
        await journal.write({
          ...left.file,
          folder: basename(journal.path),
          hasEnded: false,
          companion: rest,
        });
      }
    }
  }

  /** The keys of the reviews in it. */
  get keys(): Iterable<string> {
    return this.#journal.entries.keys();
  }

  /** Adds a review, or replaces the one with its key, with the next `write`. */
  put(record: ReviewRecord): void {
    this.#journal.put({ kind: kindOf[record.state], saved: savedOf(record) });
  }

  /** Removes a review with the next `write`. */
  delete(key: string): void {
    this.#journal.delete(key);
  }

  /**
   * Writes what was put and deleted, and what the running companion would leave besides, after any earlier writes. Resolves
   * to whether all of it survives the end of this process and, after a normal end, of the machine; `failed` lists what is
   * missing. Never rejects: the companion works without a journal, and logs the problem once.
   */
  async write(
    companion: CompanionState,
    state: { readonly hasEnded: boolean } = { hasEnded: false },
  ): Promise<boolean> {
    const { window, logger } = this.#options;
    const journal = this.#journal;
    const folders = this.#folders();
    const { error, failed } = await journal.write({
      format: journalFormat,
      folder: basename(journal.path),
      window,
      ...(folders && { folders }),
      hasEnded: state.hasEnded,
      companion,
    });
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

  /** What ended companions left: that of this window first, then those of this workspace, then the most recent. */
  #findLeft(): LeftJournal[] {
    const { folder, window, folders, logger } = this.#options;
    const found = findLeft(folder, this.#journal.path, logger);
    const added = this.#addedFolders();
    const isOurs = (left: LeftJournal): boolean =>
      left.file.window === window && !left.file.hasEnded && isFresh(left);
    if (folders !== undefined)
      found.push(...this.#findElsewhere().filter((left) => hasServed(left, added) || isOurs(left)));
    const rank = ({ file, path }: LeftJournal): number =>
      2 * Number(file.window === window) + Number(dirname(path) === folder);
    return found.sort((a, b) => rank(b) - rank(a) || b.aliveAt - a.aliveAt);
  }

  /** What ended companions of other workspaces left. */
  #findElsewhere(): LeftJournal[] {
    const { folder } = this.#options;
    const parent = dirname(folder);
    // A companion of that workspace logs what cannot be read.
    return namesIn(parent, silentLogger)
      .map((name) => join(parent, name))
      .filter((path) => path !== folder && statOf(path)?.isDirectory())
      .flatMap((path) => findLeft(path, this.#journal.path, silentLogger));
  }

  /** The folders that are new since the last call. */
  #addedFolders(): readonly Path[] {
    const added = this.#options.folders?.().filter((folder) => !this.#searched.has(folder)) ?? [];
    for (const folder of added) this.#searched.add(folder);
    return added;
  }

  /** Claims what ended companions left, unless their agents may look for another one. */
  async #claim(found: readonly LeftJournal[]): Promise<Claimed[]> {
    const { logger } = this.#options;
    const all: Claimed[] = [];
    for (const left of found) {
      if (this.#hasTaken && isFresh(left)) continue;
      const claimed = await claim(left, this.#newPath(), logger);
      if (claimed === undefined) continue;
      const { history = [] } = claimed.companion;
      const isWorthless =
        Date.now() - left.aliveAt > forgottenMs &&
        history.length === 0 &&
        !reviewsIn(claimed.companion).some(isUsersWork);
      if (isWorthless) await claimed.journal.remove();
      else {
        this.#hasTaken = true;
        for (const folder of left.file.folders ?? []) this.#served.add(folder);
        all.push(claimed);
      }
    }
    return all;
  }

  /** The folders of the workspace, and the earlier ones with files that the journal names. */
  #folders(): Path[] | undefined {
    const current = this.#options.folders?.();
    if (current === undefined) return undefined;
    for (const folder of current) this.#served.add(folder);
    const entries = [...this.#journal.entries.values()];
    return [...this.#served].filter(
      (folder) => current.includes(folder) || entries.some(({ saved }) => isWithin(folder, saved.path)),
    );
  }

  #newPath(): Path {
    const { folder, pid = process.pid } = this.#options;
    return join(folder, `${pid}-${Math.round(processStartedAt)}-${randomBytes(4).toString('hex')}`);
  }
}

export interface JournalOptions {
  /** Private to the workspace and to this user. */
  readonly folder: Path;
  /** Identifies this window until it is reloaded; with `folders`, among those of all workspaces. */
  readonly window: string;
  /** The folders of the workspace, if `folder` is beside those of other workspaces. */
  readonly folders?: () => readonly Path[];
  readonly logger: Logger;
  readonly pid?: number;
}

function hasServed({ file: { folders = [] } }: LeftJournal, some: readonly Path[]): boolean {
  return some.some((folder) => folders.includes(folder));
}

/** Adds the reviews of older journals. Two companions that started at once may have taken over the same ones. */
function withReviewsOf(older: readonly JournalContents[], first: JournalContents): JournalContents {
  const { rejected = [], history: decided = [] } = first;
  const keys = new Set([...reviewsIn(first), ...rejected, ...decided].map(({ key }) => key));
  const added = older.flatMap(reviewsIn).map((review) => {
    const key = keys.has(review.key) ? newReviewKey() : review.key;
    keys.add(key);
    return { ...review, key };
  });
  const known = new Set(first.history?.map(({ key }) => key));
  const history = [
    ...older.flatMap((each) => each.history ?? []).filter(({ key }) => !known.has(key)),
    ...(first.history ?? []),
  ];
  return { ...first, interrupted: [...added, ...first.interrupted], ...(history.length > 0 && { history }) };
}

function reviewsIn({ interrupted, reviews }: JournalContents): SavedReview[] {
  return [...interrupted, ...reviews];
}
