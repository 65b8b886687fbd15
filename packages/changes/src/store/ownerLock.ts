import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, type Path } from '@tandem/core';
import { readPrivateFile } from './privateFolder.js';

/** Who owns a store. */
interface Owner {
  readonly pid: number;
  /** When its process started, in ticks since the system did; undefined outside Linux. */
  readonly start?: string;
  /** Which owner within the process. */
  readonly id: string;
}

const maxLockBytes = 4096;
const attempts = 5;

/** The lock of one store: one owner at a time, until its process ends. */
export class OwnerLock {
  readonly #path: Path;
  readonly #text: string;
  readonly #owner: Owner;

  /** @param id stays the same when the worker of an owner starts again */
  constructor(folder: Path, id: string) {
    this.#path = join(folder, 'owner');
    const start = startOf(process.pid);
    this.#owner = { pid: process.pid, ...(start !== undefined && { start }), id };
    this.#text = JSON.stringify(this.#owner);
  }

  /**
   * Takes the lock, also from an owner whose process has ended.
   *
   * @returns undefined if it is ours now, otherwise the pid of its owner
   * @throws if the folder cannot be written
   */
  take(): number | undefined {
    for (let left = attempts; left > 0; left -= 1) {
      if (this.#create()) return undefined;
      const text = readPrivateFile(this.#path, maxLockBytes)?.toString('utf8');
      if (text === this.#text) return undefined;
      const owner = parseOwner(text);
      if (owner !== undefined && isRunning(owner)) return owner.pid;
      // Owned by nobody, or it is gone by now.
      this.#remove(text);
    }
    throw new Error(`${this.#path} changes all the time.`);
  }

  /** Whether it is still ours. */
  isOurs(): boolean {
    return readPrivateFile(this.#path, maxLockBytes)?.toString('utf8') === this.#text;
  }

  /** Gives it back. Never throws. */
  release(): void {
    try {
      if (this.isOurs()) rmSync(this.#path, { force: true });
    } catch {
      // Its process ends, which frees it.
    }
  }

  /** Creates the lock with its content; false if there is one. */
  #create(): boolean {
    const unfinished = `${this.#path}.${randomUUID()}.tmp`;
    writeFileSync(unfinished, this.#text, { mode: 0o600, flag: 'wx' });
    try {
      linkSync(unfinished, this.#path);
      return true;
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EEXIST') return false;
      // A file system without hard links: for a moment, the lock is empty there.
      if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS') return this.#createEmpty();
      throw error;
    } finally {
      rmSync(unfinished, { force: true });
    }
  }

  #createEmpty(): boolean {
    try {
      writeFileSync(this.#path, this.#text, { mode: 0o600, flag: 'wx' });
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** Removes a lock with this text. Another process may have replaced it since: that lock is put back. */
  #remove(text: string | undefined): void {
    const aside = `${this.#path}.${randomUUID()}.tmp`;
    try {
      renameSync(this.#path, aside);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      throw error;
    }
    try {
      if (readPrivateFile(aside, maxLockBytes)?.toString('utf8') !== text) linkSync(aside, this.#path);
    } catch {
      // Somebody else has it by now; its owner notices with `isOurs`.
    } finally {
      rmSync(aside, { force: true });
    }
  }
}

function parseOwner(text: string | undefined): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (typeof value !== 'object' || value === null || !('pid' in value)) return undefined;
    const { pid } = value;
    const start = 'start' in value && typeof value.start === 'string' ? value.start : undefined;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
    return { pid, id: '', ...(start !== undefined && { start }) };
  } catch {
    return undefined;
  }
}

function isRunning({ pid, start }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') return false;
  }
  const now = startOf(pid);
  return start === undefined || now === undefined || now === start;
}

/** When a process started: field 22 of its stat. Undefined outside Linux. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 2, the program's name in parentheses, may contain spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
