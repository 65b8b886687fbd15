import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError, type Logger, type Path } from '@tandem/core';
import { isRunning, openOwnFolder, processStartedAt } from '@tandem/mcp';

/** A prompt does not quote a path: a reference to one with other characters would break. */
const plainPath = /^[\w./:~+\\-]+$/;
/** The pid, the start time of that process, and random digits. */
const folderName = /^(\d{1,10})-(\d{1,15})-[0-9a-f]{8}$/;

/**
 * Texts for agents that take a reference to a file: each in a file of its own that only this user can read, until its session
 * or this companion ends. The creator disposes it.
 */
export class FeedbackFiles {
  readonly #parent: Path;
  readonly #folder: Path;
  readonly #logger: Logger;
  readonly #files = new Map<string, Path[]>();
  #isOpen = false;
  #count = 0;

  /** `parent`: a private folder, which is created with the first file. */
  constructor(parent: Path, logger: Logger) {
    this.#parent = parent;
    this.#logger = logger;
    const name = `${process.pid}-${Math.round(processStartedAt)}-${randomBytes(4).toString('hex')}`;
    this.#folder = join(parent, name);
  }

  /** Writes a text for a session. Undefined if a prompt could not refer to the file. Rejects with the error of the file system. */
  async write(session: string, text: string): Promise<Path | undefined> {
    const path = join(this.#folder, `feedback-${this.#count + 1}.md`);
    if (!plainPath.test(path)) return undefined;
    if (!this.#isOpen) {
      openOwnFolder(this.#parent);
      await this.#sweep();
      openOwnFolder(this.#folder);
      this.#isOpen = true;
    }
    this.#count += 1;
    await writeFile(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
    this.#files.set(session, [...(this.#files.get(session) ?? []), path]);
    return path;
  }

  /** Removes the files of a session that has ended. */
  async endSession(session: string): Promise<void> {
    const paths = this.#files.get(session) ?? [];
    this.#files.delete(session);
    for (const path of paths) await rm(path, { force: true }).catch((error) => this.#warn(error));
  }

  dispose(): void {
    if (!this.#isOpen) return;
    try {
      rmSync(this.#folder, { force: true, recursive: true });
    } catch (error) {
      this.#warn(error);
    }
  }

  /** Removes what companions left that were killed. */
  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#parent)) {
      const [, pid, startedAt] = folderName.exec(name) ?? [];
      if (pid === undefined || isRunning(Number(pid), Number(startedAt))) continue;
      await rm(join(this.#parent, name), { force: true, recursive: true });
    }
  }

  #warn(error: unknown): void {
    this.#logger.warn('a feedback file could not be removed', { error: describeError(error) });
  }
}
