import { join } from 'node:path';
import type { DiscoveryEntry } from '@tandem/agents';
import { describeError, type Logger, type Path } from '@tandem/core';
import { DiscoveryError, type DiscoveryFile, openOwnFolder, openSharedFolder, sweepStale } from '@tandem/mcp';

/**
 * Maintains the files by which agents find this companion: writes and rewrites them, removes those that are no longer
 * needed, and cleans up files of crashed companions. A file that cannot be written is a problem that the host reports,
 * not a reason to fail: other agents and the environment variables still work.
 */
export class DiscoveryKeeper {
  readonly #port: number;
  readonly #logger: Logger;
  readonly #files = new Map<Path, DiscoveryFile>();
  readonly #problems = new Map<Path, string>();
  #entries: readonly DiscoveryEntry[] = [];
  #queue: Promise<void> = Promise.resolve();
  #isRemoved = false;

  constructor(options: { readonly port: number; readonly logger: Logger }) {
    this.#port = options.port;
    this.#logger = options.logger;
  }

  /** Makes the files on disk match `entries`. Calls run one after the other; the last one wins. */
  write(entries: readonly DiscoveryEntry[]): Promise<void> {
    this.#queue = this.#queue.then(() => this.#write(entries));
    return this.#queue;
  }

  /**
   * Rewrites files that are lost and files that could not be written: a disk was full, a file or its folder was moved,
   * or another companion removed the files because this one did not answer and looked dead. Resolves to the paths of
   * the lost files.
   */
  async restore(): Promise<readonly Path[]> {
    let lost: Path[] = [];
    this.#queue = this.#queue.then(async () => {
      lost = [...this.#files].filter(([, file]) => file.isLost).map(([path]) => path);
      for (const path of lost) this.#files.delete(path);
      const missing = this.#entries.filter((entry) => !this.#files.has(join(entry.folder, entry.name)));
      await Promise.all(missing.map((entry) => this.#writeOne(entry)));
    });
    await this.#queue;
    return lost.filter((path) => this.#files.has(path));
  }

  /** For each entry its path, and the problem if its file is not in place. */
  report(entries: readonly DiscoveryEntry[]): { file: Path; problem?: string }[] {
    return entries.map((entry) => {
      const file = join(entry.folder, entry.name);
      const problem = this.#problems.get(file);
      return { file, ...(problem !== undefined && { problem }) };
    });
  }

  /** Sets the time of the files that agents choose by time. */
  touch(at: Date): void {
    for (const { folder, name, isChosenByTime } of this.#entries)
      if (isChosenByTime) this.#files.get(join(folder, name))?.touch(at);
  }

  /** Removes every file. Resolves when no write is in progress any longer. */
  async remove(): Promise<void> {
    this.removeSync();
    await this.#queue;
  }

  /** For exit handlers. Cancels the writes in progress. */
  removeSync(): void {
    this.#isRemoved = true;
    for (const file of this.#files.values()) file.removeSync();
    this.#files.clear();
  }

  async #write(entries: readonly DiscoveryEntry[]): Promise<void> {
    this.#entries = entries;
    const wanted = new Set(entries.map((entry) => join(entry.folder, entry.name)));
    for (const [path, file] of this.#files) {
      if (wanted.has(path)) continue;
      file.removeSync();
      this.#files.delete(path);
    }
    for (const path of this.#problems.keys()) if (!wanted.has(path)) this.#problems.delete(path);
    // In parallel: a probe of a companion that hangs takes time, and must delay only its own entry.
    await Promise.all(entries.map((entry) => this.#writeOne(entry)));
  }

  async #writeOne(entry: DiscoveryEntry): Promise<void> {
    if (this.#isRemoved) return;
    const path = join(entry.folder, entry.name);
    try {
      const known = this.#files.get(path);
      if (known !== undefined) {
        await known.rewrite(entry.content);
        this.#problems.delete(path);
        return;
      }
      const folder = entry.isOwnFolder ? openOwnFolder(entry.folder) : openSharedFolder(entry.folder);
      const removed = await sweepStale(folder, entry.namePattern, {
        ...(entry.credentials && { credentials: entry.credentials }),
      });
      if (removed.length > 0) this.#logger.info('removed stale discovery files of ours', { files: removed });
      if (this.#isRemoved) return;
      this.#files.set(path, folder.write(entry.name, entry.content, this.#port));
      this.#problems.delete(path);
    } catch (error) {
      const problem = error instanceof DiscoveryError ? error.message : describeError(error);
      if (this.#problems.get(path) === problem) return;
      this.#problems.set(path, problem);
      this.#logger.info('a discovery file could not be written', { file: path, problem });
    }
  }
}
