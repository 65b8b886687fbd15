import { createHash } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Path } from '@tandem/core';
import { openPrivateFile, readAll, writeAll } from './privateFolder.js';

/**
 * A segment is a file of records. A record is a head of 64 bytes and the stored bytes:
 * mark (4), checksum of the rest of the head (4), SHA-256 (32), length of the content (4), stored length (4), time (8), whether it
 * is deflated (1), and zeros.
 */
const headBytes = 64;
const mark = 0x31425454;
/** What is read at once while records are searched. */
const windowBytes = 64 * 1024;
/** Shorter contents are not deflated. */
const leastToDeflate = 128;
/** In place of the hash of a record that was erased. */
const erasedHash = '0'.repeat(64);

/** Where a blob is. */
export interface BlobPlace {
  readonly segment: number;
  /** Of its head. */
  readonly offset: number;
  readonly storedBytes: number;
  readonly rawBytes: number;
  readonly isDeflated: boolean;
}

/** A record found in a segment. */
export interface FoundBlob {
  readonly hash: string;
  readonly place: BlobPlace;
  /** When it was written, in Unix milliseconds. */
  readonly writtenAt: number;
}

/** How many bytes a blob takes in its segment. */
export function bytesOf({ storedBytes }: BlobPlace): number {
  return headBytes + storedBytes;
}

/** A record with these bytes, deflated if that makes it smaller. */
export function recordOf(hash: string, bytes: Buffer, writtenAt: number): Buffer {
  const deflated =
    bytes.length < leastToDeflate ? bytes : deflateRawSync(bytes, { level: constants.Z_BEST_SPEED });
  const isDeflated = deflated.length < bytes.length;
  const stored = isDeflated ? deflated : bytes;
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(mark, 0);
  head.write(hash, 8, 'hex');
  head.writeUInt32LE(bytes.length, 40);
  head.writeUInt32LE(stored.length, 44);
  head.writeDoubleLE(writtenAt, 48);
  head.writeUInt8(isDeflated ? 1 : 0, 56);
  head.writeUInt32LE(crc32(head.subarray(8)), 4);
  return Buffer.concat([head, stored]);
}

/**
 * All whole records in a segment, and where they end. What follows is torn: the end of the machine or of the process cut it off.
 *
 * @throws if the file cannot be read
 */
export function readRecords(path: Path, segment: number): { found: FoundBlob[]; end: number; size: number } {
  const file = openPrivateFile(path, 'read');
  try {
    const { size } = fstatSync(file);
    const found: FoundBlob[] = [];
    const window = Buffer.alloc(windowBytes);
    let [windowAt, windowEnd] = [0, 0];
    let end = 0;
    while (end + headBytes <= size) {
      if (end < windowAt || end + headBytes > windowEnd) {
        windowAt = end;
        windowEnd = end + readAll(file, window, end);
        if (end + headBytes > windowEnd) break;
      }
      const blob = readHead(window.subarray(end - windowAt, end - windowAt + headBytes), segment, end);
      if (blob === undefined || end + bytesOf(blob.place) > size) break;
      if (blob.hash !== erasedHash) found.push(blob);
      end += bytesOf(blob.place);
    }
    return { found, end, size };
  } finally {
    closeSync(file);
  }
}

function readHead(head: Buffer, segment: number, offset: number): FoundBlob | undefined {
  if (head.readUInt32LE(0) !== mark || head.readUInt32LE(4) !== crc32(head.subarray(8))) return undefined;
  return {
    hash: head.toString('hex', 8, 40),
    writtenAt: head.readDoubleLE(48),
    place: {
      segment,
      offset,
      rawBytes: head.readUInt32LE(40),
      storedBytes: head.readUInt32LE(44),
      isDeflated: head.readUInt8(56) === 1,
    },
  };
}

/** Cuts a torn end off. */
export function cutSegment(path: Path, end: number): void {
  const file = openPrivateFile(path, 'change');
  try {
    ftruncateSync(file, end);
  } finally {
    closeSync(file);
  }
}

/** The content of a blob; undefined if its bytes are damaged. @throws if the file cannot be read */
export function readBlob(file: number, hash: string, place: BlobPlace): Buffer | undefined {
  const stored = Buffer.alloc(place.storedBytes);
  if (readAll(file, stored, place.offset + headBytes) !== stored.length) return undefined;
  let bytes: Buffer;
  try {
    // One byte more than it should have, so that a damaged record does not fill the memory.
    bytes = place.isDeflated ? inflateRawSync(stored, { maxOutputLength: place.rawBytes + 1 }) : stored;
  } catch {
    return undefined;
  }
  return createHash('sha256').update(bytes).digest('hex') === hash ? bytes : undefined;
}

/** The whole record of a blob, as it is. @throws if the file cannot be read */
export function copyRecord(file: number, place: BlobPlace): Buffer {
  const record = Buffer.alloc(bytesOf(place));
  if (readAll(file, record, place.offset) !== record.length)
    throw new Error('A segment is shorter than its index.');
  return record;
}

/** Appends a record whole, or nothing. @throws if it cannot be written */
export function appendRecord(file: number, record: Buffer, end: number, write = writeAll): void {
  try {
    write(file, record);
  } catch (error) {
    // A rest that cannot be cut off is found torn when the segment is read again.
    ftruncateSync(file, end);
    throw error;
  }
}

/** Overwrites a blob in its segment, so that its bytes are gone and the records after it stay. @throws if it cannot be written */
export function eraseBlob(path: Path, place: BlobPlace): void {
  const file = openPrivateFile(path, 'change');
  try {
    const rest = Buffer.alloc(place.storedBytes);
    for (let at = 0; at < rest.length; )
      at += writeSync(file, rest, at, rest.length - at, place.offset + headBytes + at);
    const head = Buffer.alloc(headBytes);
    head.writeUInt32LE(mark, 0);
    head.write(erasedHash, 8, 'hex');
    head.writeUInt32LE(place.rawBytes, 40);
    head.writeUInt32LE(place.storedBytes, 44);
    head.writeUInt32LE(crc32(head.subarray(8)), 4);
    writeSync(file, head, 0, head.length, place.offset);
  } finally {
    closeSync(file);
  }
}
