import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DiscoveryError } from './discoveryError.js';

/**
 * Everything here is synchronous on purpose: these files have a few hundred bytes, and between the temporary
 * file and its rename nothing else of ours can run, not even an exit handler.
 */

/** Discovery files are small; whatever is larger is not ours. */
const maxBytes = 64 * 1024;

/** Absent on Windows, where other users cannot write into a user's folders anyway. */
const noFollow = constants.O_NOFOLLOW ?? 0;

const temporaryName = /^\.tandem-(\d+)-[0-9a-f]{12}\.tmp$/;

/**
 * Creates or replaces a file so that no reader ever sees a part of it, and nobody else ever its content: a
 * temporary file in the same folder, 0600 from its creation, renamed onto the target.
 *
 * @throws DiscoveryError when the target belongs to another user or is a folder, or nothing can be written
 */
export function writePrivateFile(path: string, text: string): void {
  const target = statOf(path);
  if (target !== undefined && !isOwn(target)) throw new DiscoveryError('foreign-owner', path);
  const temporary = join(dirname(path), `.tandem-${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
  let isThere = false;
  try {
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | noFollow;
    const file = openSync(temporary, flags, 0o600);
    isThere = true;
    try {
      writeSync(file, text);
    } finally {
      closeSync(file);
    }
    // A rename replaces a symbolic link itself and never writes through it.
    renameSync(temporary, path);
  } catch (cause) {
    if (isThere) removeQuietly(temporary);
    throw new DiscoveryError('not-writable', path, cause);
  }
}

/**
 * The text of a regular file of this user with at most `limit` bytes; undefined for anything else, a link included, and
 * for what cannot be read.
 */
export function readPrivateFile(path: string, limit = maxBytes): string | undefined {
  return readPrivateBytes(path, limit)?.toString('utf8');
}

/** The same, as the bytes that it holds. */
export function readPrivateBytes(path: string, limit: number): Buffer | undefined {
  let file: number | undefined;
  try {
    // Without O_NONBLOCK a named pipe of that name would hang the whole process.
    file = openSync(path, constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(file);
    if (!stats.isFile() || !isOwn(stats) || stats.size > limit) return undefined;
    const bytes = Buffer.alloc(stats.size);
    return bytes.subarray(0, readSync(file, bytes, 0, stats.size, 0));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Removes a file; false when it was not there or could not be removed. */
export function removeQuietly(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The pid in the name of a temporary file of ours, undefined for any other name. */
export function temporaryFilePid(name: string): number | undefined {
  const pid = temporaryName.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** What is at a path, without following a link; undefined when nothing is. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** Whether its mode lets other users in. Never so on Windows, which has no such modes. */
export function isOpenToOthers(stats: Stats): boolean {
  return process.platform !== 'win32' && (stats.mode & 0o077) !== 0;
}

/** Whether something belongs to the user that this process runs as. Always so where there are no user ids. */
export function isOwn(stats: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || stats.uid === user;
}
