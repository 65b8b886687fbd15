import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { Path } from '@tandem/core';
import { onDisk } from './diskGate.js';
import { RefusedFileError } from './refusedFileError.js';

/** How much of a file may be read, and for how long. */
export interface ReadLimits {
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** The content of a regular file and its metadata at the time of reading. */
export interface BoundedFile {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

/** Extra bytes requested beyond the size: some files in /proc can be read only in whole words. */
const slackBytes = 4096;

/**
 * Opening does not block on a pipe, and a terminal does not become our controlling terminal. Windows has neither flag.
 */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Reads a whole file whose path or content others control: a repository, an agent, a link. Follows links.
 *
 * Rejects with `RefusedFileError` if the path is not a regular file, if the file holds more than `maxBytes` or more
 * than its size states (as files in /proc do), or if the disk does not answer in time; with the reason of `signal` if
 * it aborts; otherwise with the error of the file system.
 */
export function readBoundedFile(path: Path, limits: ReadLimits): Promise<BoundedFile> {
  return readWith(path, limits, readWhole);
}

/** Reads the first `maxBytes` of a file of any size. Rejects like `readBoundedFile`. */
export function readFileHead(path: Path, limits: ReadLimits): Promise<BoundedFile> {
  return readWith(path, limits, async (handle, { maxBytes }) => {
    const buffer = Buffer.alloc(maxBytes);
    return buffer.subarray(0, await fill(handle, buffer));
  });
}

interface Reading {
  readonly path: Path;
  readonly maxBytes: number;
  readonly stats: Stats;
  /** Stops a read whose result is no longer needed. */
  readonly check: () => void;
}

function readWith(
  path: Path,
  { maxBytes, signal, timeoutMs }: ReadLimits,
  read: (handle: FileHandle, reading: Reading) => Promise<Buffer>,
): Promise<BoundedFile> {
  const operation = async (check: () => void): Promise<BoundedFile> => {
    // Check the type before opening: opening some devices has side effects.
    requireRegular(path, await stat(path));
    check();
    const handle = await open(path, openFlags);
    try {
      check();
      const stats = await handle.stat();
      requireRegular(path, stats);
      return { bytes: await read(handle, { path, maxBytes, stats, check }), stats };
    } finally {
      await handle.close();
    }
  };
  return onDisk(path, operation, {
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
}

async function readWhole(handle: FileHandle, reading: Reading): Promise<Buffer> {
  const { path, maxBytes, check } = reading;
  const parts: Buffer[] = [];
  let [length, hasEnded] = [0, false];
  // A file may grow while it is read. A file that holds more than its size states is not on a disk, such as one in
  // /proc.
  for (let { stats } = reading; ; stats = await handle.stat()) {
    const { size } = stats;
    check();
    if (length > size)
      throw new RefusedFileError(path, 'endless', 'it contains more bytes than its reported size');
    if (size > maxBytes) {
      const why = `it has ${size} bytes; the limit is ${maxBytes}`;
      throw new RefusedFileError(path, 'too-large', why, stats);
    }
    if (hasEnded) break;
    const part = Buffer.allocUnsafe(Math.min(size + slackBytes, maxBytes + 1) - length);
    const read = await fill(handle, part, check);
    parts.push(part.subarray(0, read));
    length += read;
    hasEnded = read < part.length;
    if (hasEnded && length <= size) break;
  }
  return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts, length);
}

/** Reads until the buffer is full or the file ends. */
async function fill(handle: FileHandle, buffer: Buffer, check = (): void => {}): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
    check();
  }
  return length;
}

function requireRegular(path: Path, stats: Stats): void {
  if (stats.isFile()) return;
  const kind = stats.isDirectory() ? 'folder' : 'special';
  throw new RefusedFileError(path, kind, `it is ${nameOfKind(stats)} and not a regular file`);
}

function nameOfKind(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'a device' : 'something else';
}
