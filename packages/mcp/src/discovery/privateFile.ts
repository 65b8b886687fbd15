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
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Everything here is synchronous on purpose: these files are small, and no other code, such as an exit handler, may run
 * between writing the temporary file and renaming it.
 */

/** Larger than any discovery file. */
const maxBytes = 64 * 1024;

/** Absent on Windows, where other users cannot write to a user's folders. */
const noFollow = constants.O_NOFOLLOW ?? 0;

const temporaryName = /^\.tandem-(\d+)-[0-9a-f]{12}\.tmp$/;

/**
 * Creates or replaces a file atomically and privately: writes a temporary file in the same folder, with mode 0600 from its
 * creation, and renames it.
 *
 * @throws DiscoveryError when the target belongs to another user or is a folder, or nothing can be written
 */
export function writePrivateFile(path: string, text: string): void {
  const target = statOf(path);
  if (target !== undefined && !isOwn(target)) throw new DiscoveryError('foreign-owner', path);
  const temporary = join(dirname(path), `.tandem-${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
  let isCreated = false;
  try {
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | noFollow;
    const file = openSync(temporary, flags, 0o600);
    isCreated = true;
    try {
      // Also the rest, if the first write takes only a part.
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
    // A rename replaces a symbolic link and never writes through it.
    renameSync(temporary, path);
  } catch (cause) {
    if (isCreated) removeQuietly(temporary);
    throw new DiscoveryError('not-writable', path, cause);
  }
}

/**
 * The text of a regular file of this user with at most `limit` bytes; undefined for anything else, including links, and if
 * it cannot be read.
 */
export function readPrivateFile(path: string, limit = maxBytes): string | undefined {
  return readPrivateBytes(path, limit)?.toString('utf8');
}

/** Like `readPrivateFile`, as bytes. */
export function readPrivateBytes(path: string, limit: number): Buffer | undefined {
  let file: number | undefined;
  try {
    // Without O_NONBLOCK, a named pipe would block the process.
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

/** Removes a file. Returns false if it did not exist or could not be removed. */
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

/** Follows no link. Undefined if nothing exists at the path. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** Whether its mode allows access by other users. Always false on Windows, which has no such modes. */
export function isOpenToOthers({ mode }: Pick<Stats, 'mode'>, platform = process.platform): boolean {
  return platform !== 'win32' && (mode & 0o077) !== 0;
}

/** Whether it belongs to the user of this process. Always true on systems without user ids. */
export function isOwn(stats: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || stats.uid === user;
}

/** What is wrong with a discovery folder, file or socket. */
export type DiscoveryFault =
  | 'symlink'
  | 'foreign-owner'
  | 'not-a-directory'
  | 'not-a-socket'
  | 'path-too-long'
  | 'not-writable'
  | 'bad-name';

/** A discovery file cannot be written. The message says which path, why, and what to do. */
export class DiscoveryError extends Error {
  override readonly name = 'DiscoveryError';
  readonly fault: DiscoveryFault;
  readonly path: string;

  constructor(fault: DiscoveryFault, path: string, cause?: unknown) {
    super(explain(fault, path, cause), { cause });
    this.fault = fault;
    this.path = path;
  }
}

function explain(fault: DiscoveryFault, path: string, cause: unknown): string {
  switch (fault) {
    case 'symlink':
      return `${path} is a symbolic link. Discovery files contain a secret and are not written through a link. Remove it, or replace it with a real folder.`;
    case 'foreign-owner':
      return `${path} belongs to another user, who could read or replace files in it. Ask its owner to remove it, or set TMPDIR or HOME to another folder.`;
    case 'not-a-directory':
      return `${path} is not a folder. Rename or remove it.`;
    case 'not-a-socket':
      return `${path} is not a socket of your user. Remove it.`;
    case 'path-too-long':
      return `${path} is too long for the path of a socket (${Buffer.byteLength(path)} bytes). Use a shorter folder, or a short symbolic link to it.`;
    case 'not-writable':
      return `${path} cannot be written: ${reason(cause)}. Make it writable for your user, or set TMPDIR or HOME to another folder.`;
    case 'bad-name':
      return `${path} is not a plain file name. Discovery files must be directly in their folder.`;
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'the reason is unknown';
}
