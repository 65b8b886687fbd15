import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, renameSync, rmSync, type Stats, utimesSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError, type Logger, type Path } from '@tandem/core';
import { isRunning, openOwnFolder, processStartedAt, readPrivateFile } from '@tandem/transport';
import { jsonParts } from './jsonParts.js';
import { type MemoryFile, parseMemoryFile } from './memoryFile.js';
import type { SavedCompanion } from './savedCompanion.js';
import { isEdited } from './savedReview.js';

/** A companion that was alive this long ago may still have agents that look for it. */
const freshMs = 60_000;
/** Where nobody typed anything, older files are forgotten. */
const forgottenMs = 24 * 60 * 60_000;
/** How often a companion notes that it lives. */
const beatMs = 20_000;
/** A larger file is none of ours: JSON needs at most six bytes for a code unit of what we write down. */
const maxFileBytes = 320 * 1024 * 1024;

interface Left {
  readonly path: Path;
  readonly file: MemoryFile;
  readonly aliveAt: number;
}

const unfinishedName = /^\d+-[0-9a-f]{8}\.json\.tmp$/;

/**
 * The journal of a companion: what it would leave if it ended now, pending reviews above all, in a file of its own
 * beside those of other companions of the same workspace. Several windows may have the workspace open: a companion takes
 * over from its own window's first, and never from one that lives. Whoever opens a memory closes it.
 */
export class CompanionMemory {
  readonly #options: CompanionMemoryOptions;
  readonly #own: Path;
  readonly #beat: NodeJS.Timeout;
  #lastWrite: Promise<boolean> = Promise.resolve(true);
  #isFailing = false;

  private constructor(options: CompanionMemoryOptions) {
    this.#options = options;
    const { folder, pid = process.pid } = options;
    this.#own = join(folder, `${pid}-${randomBytes(4).toString('hex')}.json`);
    this.#beat = setInterval(() => this.#noteAlive(), beatMs);
    this.#beat.unref();
  }

  /** Throws `DiscoveryError` when the folder is a link, another user's, or cannot be written. */
  static open(options: CompanionMemoryOptions): CompanionMemory {
    openOwnFolder(options.folder);
    return new CompanionMemory(options);
  }

  /**
   * Takes what a companion has left that is gone: without `sessions` when its agents are gone as well, and with the
   * reviews of others that ended long ago. Never rejects.
   */
  async take(): Promise<SavedCompanion | undefined> {
    const left = this.#left();
    const first = left.find((each) => this.#claim(each, this.#own));
    if (first === undefined) return undefined;
    const older = left.filter((each) => each !== first && !isFresh(each));
    const claimed = older.filter((each) => this.#claim(each, `${each.path.slice(0, -5)}-claimed.json`));
    const taken = asFound(first);
    const companion: SavedCompanion = {
      ...taken,
      interrupted: [...claimed.flatMap((each) => reviewsIn(asFound(each))), ...taken.interrupted],
    };
    // Only when it is written down here may it be gone there.
    if (await this.write(companion)) {
      for (const { path } of claimed) rmSync(`${path.slice(0, -5)}-claimed.json`, { force: true });
    }
    return companion;
  }

  /**
   * Writes what the running companion would leave, after what was written before. Resolves to whether it stands on the
   * disk, also after a power cut. Never rejects: the companion works without, and the log says so once.
   */
  write(
    companion: SavedCompanion,
    state: { readonly hasEnded: boolean } = { hasEnded: false },
  ): Promise<boolean> {
    this.#lastWrite = this.#lastWrite.then(() => this.#write(companion, state.hasEnded));
    return this.#lastWrite;
  }

  close(): void {
    clearInterval(this.#beat);
  }

  async #write(companion: SavedCompanion, hasEnded: boolean): Promise<boolean> {
    const { window, logger, pid = process.pid } = this.#options;
    const file: MemoryFile = { format: 2, pid, startedAt: processStartedAt, window, hasEnded, companion };
    const unfinished = `${this.#own}.tmp`;
    try {
      await rm(unfinished, { force: true });
      const handle = await open(unfinished, 'wx', 0o600);
      try {
        // A review may hold as much text as would keep agents waiting for a tenth of a second.
        await writeFile(handle, jsonParts(file));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(unfinished, this.#own);
      await this.#syncFolder();
      if (this.#isFailing) logger.info('what a restart needs is written again');
      this.#isFailing = false;
      return true;
    } catch (error) {
      rmSync(unfinished, { force: true });
      if (!this.#isFailing) {
        logger.warn('what a restart needs could not be written: a crash now would lose what is pending', {
          error: describeError(error),
        });
      }
      this.#isFailing = true;
      return false;
    }
  }

  /** The rename itself outlives a power cut only with this. Not every file system and platform knows it. */
  async #syncFolder(): Promise<void> {
    try {
      const folder = await open(this.#options.folder, 'r');
      await folder.sync().finally(() => folder.close());
    } catch {
      // The file is as safe as it can be had.
    }
  }

  /** Another window that starts at this moment may want it: one of us moves it first. */
  #claim({ path }: Left, to: Path): boolean {
    try {
      renameSync(path, to);
      return true;
    } catch {
      return false;
    }
  }

  /** What companions have left that are gone: of this window first, then the youngest. */
  #left(): Left[] {
    const { folder, window } = this.#options;
    const found: Left[] = [];
    for (const name of this.#names()) {
      const path = join(folder, name);
      if (isLeftUnfinished(path, name)) rmSync(path, { force: true });
      if (!name.endsWith('.json') || path === this.#own) continue;
      const left = this.#read(path, name);
      if (left === undefined) continue;
      const isWorthless =
        Date.now() - left.aliveAt > forgottenMs && !reviewsIn(left.file.companion).some(isEdited);
      if (isWorthless) rmSync(path, { force: true });
      else found.push(left);
    }
    const isOurs = ({ file }: Left): boolean => file.window === window;
    return found.sort((a, b) => Number(isOurs(b)) - Number(isOurs(a)) || b.aliveAt - a.aliveAt);
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

  /** What cannot be read stays where it is: who knows whose it is, and what it holds. */
  #read(path: Path, name: string): Left | undefined {
    const text = readPrivateFile(path, maxFileBytes);
    const file = text === undefined ? undefined : parseMemoryFile(text);
    if (file === undefined) {
      const problem =
        text === undefined
          ? 'no regular file of this user of a fit size'
          : 'not what this version of Tandem writes';
      this.#options.logger.warn('a file of an earlier companion is left alone', { file: name, problem });
      return undefined;
    }
    if (!file.hasEnded && isRunning(file.pid, file.startedAt)) return undefined;
    return { path, file, aliveAt: statOf(path)?.mtimeMs ?? 0 };
  }

  #noteAlive(): void {
    try {
      const now = new Date();
      utimesSync(this.#own, now, now);
    } catch {
      // Nothing was written yet.
    }
  }
}

export interface CompanionMemoryOptions {
  /** Private to the workspace and to this user. */
  readonly folder: Path;
  /** What tells this window from others, as long as it is not loaded anew. */
  readonly window: string;
  readonly logger: Logger;
  readonly pid?: number;
}

function isFresh({ aliveAt }: Left): boolean {
  return Date.now() - aliveAt < freshMs;
}

/** What the file says, with what only its finder knows. */
function asFound(left: Left): SavedCompanion {
  const { companion, hasEnded } = left.file;
  return {
    ...companion,
    ...(!isFresh(left) && { sessions: [] }),
    reviews: companion.reviews.map((review) => ({ ...review, interruptedAt: left.aliveAt })),
    endedInOrder: hasEnded,
  };
}

function reviewsIn({ interrupted, reviews }: SavedCompanion): SavedCompanion['reviews'] {
  return [...interrupted, ...reviews];
}

/** A companion that was killed while it wrote leaves a part of a file. One that lives is done with it much sooner. */
function isLeftUnfinished(path: Path, name: string): boolean {
  const stats = unfinishedName.test(name) ? statOf(path) : undefined;
  return stats?.isFile() === true && Date.now() - stats.mtimeMs > freshMs;
}

function statOf(path: Path): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
