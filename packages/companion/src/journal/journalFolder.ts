import { utimesSync } from 'node:fs';
import { open, rename, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Logger, Path } from '@tandem/core';
import { openOwnFolder } from '@tandem/mcp';
import {
  companionKey,
  entryPath,
  type JournalEntry,
  type JournaledReview,
  maxEntryBytes,
  namesIn,
  readEntry,
  versionsIn,
} from './journalEntries.js';
import { type CompanionFile, reviewFileText, type TextReference } from './journalFormat.js';
import { isMissing, JournalTexts, removeFile } from './journalTexts.js';

/** The result of writing a journal. */
export interface WriteResult {
  /** Why something is missing; undefined if everything is stored. */
  readonly error?: unknown;
  /** The reviews whose current state is not stored, by key, with the reasons. */
  readonly failed: ReadonlyMap<string, unknown>;
}

/** One file on the disk, and the names of the text files that it refers to. */
interface Version {
  readonly number: number;
  readonly texts: readonly string[];
}

/** What is on the disk for one key. The last version counts; earlier ones are removed once the last is synced. */
interface Stored {
  readonly versions: Version[];
  /** The number of the last version, complete or not. */
  readonly last: number;
  /** The content of the last version. */
  readonly content: JournalEntry['content'];
  /** The references to the texts of the last version, for a later version that has the same texts. */
  readonly references: JournalEntry['references'];
}

const textName = /^[0-9a-f]{64}\.(utf8|utf16le)$/;
/** UTF-8 needs at most this many bytes for a code unit. */
const maxBytesOfUnit = 3;
/** How many files are written in parallel. */
const writers = 4;
/** How many files are read before other work gets its turn. */
const readAtOnce = 20;

/**
 * The journal of one companion: a folder with one small file for the companion, one for each review, and the large
 * texts in separate files. Only changes are written. A file is never overwritten: the next version gets a name of its
 * own, is moved into position complete, and is synced afterwards. Until then the previous version stays, in case of a
 * power cut.
 */
export class JournalFolder {
  readonly path: Path;
  /** What the journal has to contain, by key. */
  readonly #entries = new Map<string, JournaledReview>();
  /** Keys of the entries that may differ from what is on the disk. */
  readonly #changed = new Set<string>();
  readonly #stored = new Map<string, Stored>();
  readonly #texts: JournalTexts;
  readonly #unsynced = new Set<Path>();
  /** Keys with versions that are not needed once the last one is synced. */
  readonly #outdated = new Set<string>();
  #isOpen = false;
  #queue: Promise<unknown> = Promise.resolve();
  #syncing: Promise<void> | undefined;

  constructor(path: Path) {
    this.path = path;
    this.#texts = new JournalTexts(path, (file) => this.#unsynced.add(file));
  }

  /**
   * Takes over a journal that no other process uses and reads its reviews. Files that are incomplete, not ours or of
   * another version stay, and the log names them.
   */
  static async adopt(path: Path, logger: Logger): Promise<JournalFolder> {
    const folder = new JournalFolder(path);
    await folder.#read(logger);
    return folder;
  }

  /** Its reviews, by key, with those that the next `write` writes. */
  get entries(): ReadonlyMap<string, JournaledReview> {
    return this.#entries;
  }

  /** Adds a review, or replaces the one with its key, with the next `write`. */
  put(review: JournaledReview): void {
    this.#entries.set(review.saved.key, review);
    this.#changed.add(review.saved.key);
  }

  /** Removes a review with the next `write`. */
  delete(key: string): void {
    this.#entries.delete(key);
    this.#changed.add(key);
  }

  /**
   * Writes what was put and deleted, after any earlier writes. When it resolves, the data survives the end of this process;
   * syncing follows. Never rejects.
   */
  write(companion: CompanionFile): Promise<WriteResult> {
    return this.#inTurn(async () => {
      const result = await this.#write(companion);
      if (!isMissing(result.error)) return result;
      this.#forget();
      return this.#write(companion);
    });
  }

  /** Resolves when earlier writes survive a power cut too, as far as the file system can ensure that. Never rejects. */
  async synced(): Promise<void> {
    while (this.#syncing !== undefined) await this.#syncing;
  }

  /** Records that the companion is alive. */
  noteAlive(): void {
    const number = this.#stored.get(companionKey)?.versions.at(-1)?.number;
    if (number === undefined) return;
    try {
      const now = new Date();
      utimesSync(this.#pathOf(companionKey, number), now, now);
    } catch (error) {
      // The next write creates it again.
      if (isMissing(error)) void this.#inTurn(async () => this.#forget());
    }
  }

  /** Removes the journal, except files in it that are not ours. Never rejects. */
  remove(): Promise<void> {
    return this.#inTurn(async () => {
      for (const key of [...this.#stored.keys()]) await this.#removeKey(key).catch(() => {});
      await this.#texts.collect();
      await rmdir(this.path).catch(() => {});
    });
  }

  /** The folder was removed or moved: everything is written again. */
  #forget(): void {
    for (const key of this.#entries.keys()) this.#changed.add(key);
    this.#stored.clear();
    this.#texts.forget();
    this.#outdated.clear();
    this.#unsynced.clear();
    this.#isOpen = false;
  }

  async #write(companion: CompanionFile): Promise<WriteResult> {
    const errors: unknown[] = [];
    const failed = new Map<string, unknown>();
    const changed = new Map([...this.#changed].map((key) => [key, this.#entries.get(key)]));
    try {
      if (!this.#isOpen) openOwnFolder(this.path);
      this.#isOpen = true;
    } catch (error) {
      return { error, failed: new Map([...changed.keys()].map((key) => [key, error])) };
    }
    this.#changed.clear();
    const text = JSON.stringify(companion);
    const writeCompanion = async (): Promise<void> => {
      if (this.#stored.get(companionKey)?.content === text) return;
      await this.#put(companionKey, text, { text, texts: [], references: [] }).catch((error) =>
        errors.push(error),
      );
    };
    if (!companion.hasEnded) await writeCompanion();
    await inParallel([...changed], async ([key, review]) => {
      if (review === undefined || isSame(this.#stored.get(key)?.content, review)) return;
      await this.#putReview(key, review).catch((error) => {
        failed.set(key, error);
        this.#changed.add(key);
      });
    });
    // The companion file states the end only after all other files are written.
    if (companion.hasEnded) await writeCompanion();
    for (const [key, review] of changed) {
      if (review !== undefined) continue;
      await this.#removeKey(key).catch((error) => {
        errors.push(error);
        this.#changed.add(key);
      });
    }
    await this.#texts.collect();
    this.#startToSync();
    const [error] = [...failed.values(), ...errors];
    return { ...(error !== undefined && { error }), failed };
  }

  async #putReview(key: string, review: JournaledReview): Promise<void> {
    const known = this.#stored.get(key)?.references ?? [];
    const references: [string, TextReference][] = [];
    const put = async (text: string): Promise<TextReference> => {
      const reference = known.find(([other]) => other === text)?.[1] ?? (await this.#texts.put(text));
      references.push([text, reference]);
      return reference;
    };
    const text = await reviewFileText(review.kind, review.saved, put);
    const texts = references.flatMap(([, reference]) =>
      typeof reference === 'string' ? [] : [reference.file],
    );
    const { original, proposed } = review.saved;
    const lasting = references.filter(
      ([each]) => each === proposed || (original.kind === 'text' && each === original.text),
    );
    await this.#put(key, review, { text, texts, references: lasting });
  }

  /** Writes the next version of a key. */
  async #put(
    key: string,
    content: Stored['content'],
    file: {
      readonly text: string;
      readonly texts: readonly string[];
      readonly references: Stored['references'];
    },
  ): Promise<void> {
    const { versions: before = [], last = 0 } = this.#stored.get(key) ?? {};
    // A larger file could not be read again.
    if (file.text.length * maxBytesOfUnit > maxEntryBytes) throw new Error('it has too many separate edits');
    const number = last + 1;
    const path = this.#pathOf(key, number);
    const unfinished = `${path}.tmp`;
    this.#texts.hold(file.texts);
    try {
      const handle = await open(unfinished, 'wx', 0o600);
      try {
        await writeFile(handle, file.text);
      } finally {
        await handle.close();
      }
      await rename(unfinished, path);
    } catch (error) {
      this.#texts.release(file.texts);
      await removeFile(unfinished).catch(() => {});
      throw error;
    }
    this.#unsynced.add(path);
    const versions = [...before, { number, texts: file.texts }];
    const { references } = file;
    this.#stored.set(key, { versions, last: number, content, references });
    if (versions.length > 1) this.#outdated.add(key);
  }

  /** Removes the oldest version first: a replaced version must never count again. */
  async #removeKey(key: string): Promise<void> {
    await this.#removeVersions(key, this.#stored.get(key)?.versions ?? []);
    this.#stored.delete(key);
    this.#outdated.delete(key);
  }

  async #removeVersions(key: string, versions: readonly Version[]): Promise<void> {
    for (const version of [...versions]) {
      const path = this.#pathOf(key, version.number);
      await removeFile(path);
      this.#unsynced.delete(path);
      this.#texts.release(version.texts);
      const kept = this.#stored.get(key)?.versions;
      kept?.splice(kept.indexOf(version), 1);
    }
  }

  #startToSync(): void {
    if (this.#syncing !== undefined || this.#unsynced.size === 0) return;
    this.#syncing = this.#sync().finally(() => {
      this.#syncing = undefined;
      this.#startToSync();
    });
  }

  async #sync(): Promise<void> {
    while (this.#unsynced.size > 0) {
      const paths = [...this.#unsynced];
      this.#unsynced.clear();
      const synced = new Set<Path>();
      for (const path of paths) if (await syncPath(path, 'r+')) synced.add(path);
      // The rename itself survives a power cut only with this. Not every file system and platform supports it.
      await syncPath(this.path, 'r');
      await this.#inTurn(() => this.#removeOutdated(synced));
    }
  }

  async #removeOutdated(synced: ReadonlySet<Path>): Promise<void> {
    for (const key of [...this.#outdated]) {
      const versions = this.#stored.get(key)?.versions ?? [];
      const last = versions.at(-1);
      if (last === undefined || !synced.has(this.#pathOf(key, last.number))) continue;
      const isRemoved = await this.#removeVersions(key, versions.slice(0, -1)).then(
        () => true,
        () => false,
      );
      if (isRemoved) this.#outdated.delete(key);
    }
    await this.#texts.collect();
  }

  async #read(logger: Logger): Promise<void> {
    const names = namesIn(this.path, logger);
    let isWhole = true;
    let count = 0;
    for (const [key, newestFirst] of versionsIn(names)) {
      for (const [at, number] of newestFirst.entries()) {
        if (++count % readAtOnce === 0) await setImmediate();
        const found = readEntry(this.path, key, number, this.#texts, logger);
        if (found === undefined || found === 'other') isWhole = false;
        if (found === undefined) continue;
        if (found === 'other') break;
        const older = newestFirst.slice(at + 1).map((each) => ({ number: each, texts: [] }));
        const versions = [...older.reverse(), { number, texts: found.texts }];
        const { content, references, texts } = found;
        const last = newestFirst[0] ?? number;
        this.#stored.set(key, { versions, last, content, references });
        this.#texts.hold(texts);
        if (older.length > 0) this.#outdated.add(key);
        if (typeof content === 'object') this.#entries.set(key, content);
        break;
      }
    }
    for (const name of names.filter((each) => each.endsWith('.tmp'))) {
      await removeFile(join(this.path, name)).catch(() => {});
    }
    const texts = names.filter((name) => textName.test(name));
    // A file that cannot be read may need any of them.
    if (isWhole) this.#texts.noteIdle(texts);
    else this.#texts.hold(texts);
    this.#isOpen = true;
  }

  #pathOf(key: string, number: number): Path {
    return entryPath(this.path, key, number);
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(step);
    this.#queue = result.catch(() => {});
    return result;
  }
}

/** Whether an entry is stored as it is: a record that did not change has the same values. */
function isSame(stored: Stored['content'] | undefined, { kind, saved }: JournaledReview): boolean {
  if (typeof stored !== 'object' || stored.kind !== kind) return false;
  const before = new Map<string, unknown>(Object.entries(stored.saved));
  const now = new Map<string, unknown>(Object.entries(saved));
  return [...before.keys(), ...now.keys()].every((name) => before.get(name) === now.get(name));
}

/** Resolves to whether the sync succeeded. Without it, the write is as safe as the platform allows. */
async function syncPath(path: Path, flags: 'r' | 'r+'): Promise<boolean> {
  try {
    const handle = await open(path, flags);
    await handle.sync().finally(() => handle.close());
    return true;
  } catch {
    return false;
  }
}

async function inParallel<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const work = async (): Promise<void> => {
    for (const item of rest) await run(item);
  };
  await Promise.all(Array.from({ length: writers }, work));
}
