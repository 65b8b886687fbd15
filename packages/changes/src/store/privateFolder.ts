import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Path } from '@tandem/core';

const noFollow = constants.O_NOFOLLOW ?? 0;
const nonBlocking = constants.O_NONBLOCK ?? 0;
const groupAndOthers = 0o077;

/**
 * Creates a folder for this user alone, or checks that it is one. Windows has no modes; there the folder is as private as the
 * one above it.
 *
 * @throws if it is a link, not a folder, or another user's
 */
export function openPrivateFolder(path: Path): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stats = lstatSync(path);
  if (!stats.isDirectory()) throw new Error(`${path} is not a folder. Remove it.`);
  if (process.getuid !== undefined && stats.uid !== process.getuid())
    throw new Error(`${path} belongs to another user. Remove it.`);
  if (process.platform !== 'win32' && (stats.mode & groupAndOthers) !== 0) chmodSync(path, 0o700);
}

/** Opens a file in a private folder, for reading and writing, and creates it for this user alone. Never follows a link. */
export function openPrivateFile(path: Path, how: 'create' | 'append' | 'read' | 'change'): number {
  const flags = {
    create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND,
    append: constants.O_RDWR | constants.O_CREAT | constants.O_APPEND,
    read: constants.O_RDONLY,
    change: constants.O_RDWR,
  }[how];
  const file = openSync(path, flags | noFollow | nonBlocking, 0o600);
  try {
    if (!fstatSync(file).isFile()) throw new Error(`${path} is not a regular file. Remove it.`);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return file;
}

/** The bytes of a private file; undefined if it cannot be read or is larger than the limit. */
export function readPrivateFile(path: Path, maxBytes: number): Buffer | undefined {
  let file: number;
  try {
    file = openPrivateFile(path, 'read');
  } catch {
    return undefined;
  }
  try {
    const { size } = fstatSync(file);
    if (size > maxBytes) return undefined;
    const bytes = Buffer.alloc(size);
    return readAll(file, bytes, 0) === size ? bytes : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** Writes a private file whole, or leaves the one before. */
export function replacePrivateFile(path: Path, content: string | Buffer): void {
  const unfinished = `${path}.tmp`;
  rmSync(unfinished, { force: true });
  try {
    const file = openPrivateFile(unfinished, 'create');
    try {
      writeAll(file, Buffer.from(content));
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Writes all bytes at the end of a file that was opened with `create` or `append`. */
export function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at);
}

/** Reads until the buffer is full or the file ends; returns how many bytes. */
export function readAll(file: number, buffer: Buffer, position: number): number {
  let length = 0;
  while (length < buffer.length) {
    const read = readSync(file, buffer, length, buffer.length - length, position + length);
    if (read === 0) break;
    length += read;
  }
  return length;
}

/** Removes what an interrupted write left. */
export function removeUnfinished(folder: Path, names: readonly string[]): void {
  for (const name of names) if (name.endsWith('.tmp')) rmSync(join(folder, name), { force: true });
}
