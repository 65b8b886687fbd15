import { createHash, createHmac } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { errorCode, type Path } from '@tandem/core';
import type { FileState } from '../fileState.js';
import type { FileEntry } from './folderTree.js';
import { isSameStamp, isYoung, permissionsOf, type Stamp, stampOf, stampText } from './stamp.js';

/** How to read files. */
export interface ReadRules {
  readonly maxBytes: number;
  /** Hashes what is hidden. */
  readonly key: Buffer;
  /** Whether the file is hidden from agents. */
  readonly isHidden: (path: Path) => boolean;
  /** Learns the content of a hidden file, which must not be kept. */
  readonly onHidden: (hash: string) => void;
  /** Keeps the bytes, or reports that it could not. */
  readonly keep: (hash: string, bytes: Buffer) => boolean;
}

/** A state, and the stamp with which it was read. */
export interface ReadFile {
  readonly state: FileState;
  /** Undefined if nothing is there. */
  readonly stamp: Stamp | undefined;
  readonly isYoung: boolean;
}

/** How often a file is read that changes while it is read. */
const attempts = 4;

/** Opening never follows a link, never waits for a pipe, and makes no terminal ours. Windows has none of these flags. */
const flags =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

const missing: ReadFile = { state: { kind: 'missing' }, stamp: undefined, isYoung: false };

/**
 * What a path is now. The path is real, except for its last name. Reads only a regular file, once it has the same stamp before
 * and after. Never throws.
 */
export function readState(path: Path, rules: ReadRules): ReadFile {
  for (let left = attempts; ; left -= 1) {
    const readAt = Date.now();
    let stats: BigIntStats | undefined;
    try {
      stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    } catch (error) {
      return isGone(error) ? missing : { ...missing, state: unread('unreadable', '') };
    }
    if (stats === undefined || stats.isDirectory()) return missing;
    const stamp = stampOf(stats);
    const young = isYoung(stamp, readAt);
    const state = stateWithoutReading(path, stats, rules.maxBytes);
    if (state !== undefined) return { state, stamp, isYoung: young };
    const read = left > 0 ? readBytes(path, stamp, rules.maxBytes) : 'refused';
    if (read === 'changed') continue;
    if (read === 'refused')
      return { state: unread('unreadable', stampText(stamp)), stamp, isYoung: young || left === 0 };
    return { state: stateOf(path, read, stamp, rules), stamp, isYoung: young };
  }
}

/** The state of what needs no reading: a link, a special file, a file that is too large. */
export function stateWithoutReading(path: Path, stats: BigIntStats, maxBytes: number): FileState | undefined {
  if (stats.isSymbolicLink()) return linkState(path, stampOf(stats));
  // Each use of a pipe changes its times.
  if (!stats.isFile()) return unread('special', `${stats.ino.toString(36)}-${stats.mode.toString(36)}`);
  return stats.size > maxBytes ? unread('too-large', stampText(stampOf(stats))) : undefined;
}

/** The state of a file that is not read yet, without its stamp: `beliefOf` adds it. */
export const notYet: FileState = { kind: 'unread', why: 'not-yet', stamp: '' };

/** The state that a caller knows of a file. */
export function beliefOf({ told, state, stamp }: FileEntry): FileState {
  return told ?? (state === notYet ? unread('not-yet', stampText(stamp)) : state);
}

/** The state of a file that was not read. */
export function unread(why: (FileState & { kind: 'unread' })['why'], stamp: string): FileState {
  return { kind: 'unread', why, stamp };
}

function linkState(path: Path, stamp: Stamp): FileState {
  try {
    const bytes = readlinkSync(path, 'buffer');
    const target = bytes.toString('utf8');
    if (bytes.equals(Buffer.from(target))) return { kind: 'link', target };
  } catch {
    // It changed since: the next look sees that.
  }
  return unread('unreadable', stampText(stamp));
}

/** The state of a hidden file: its permissions and a hash of its bytes that says nothing without the key. */
export function hiddenState(key: Buffer, bytes: Buffer, mode: number): FileState {
  return unread('hidden', createHmac('sha256', key).update(`${mode}\n`).update(bytes).digest('hex'));
}

function stateOf(path: Path, bytes: Buffer, stamp: Stamp, rules: ReadRules): FileState {
  const hash = createHash('sha256').update(bytes).digest('hex');
  if (rules.isHidden(path)) {
    rules.onHidden(hash);
    return hiddenState(rules.key, bytes, permissionsOf(stamp));
  }
  return {
    kind: 'file',
    hash,
    size: bytes.length,
    mode: permissionsOf(stamp),
    isStored: rules.keep(hash, bytes),
  };
}

function readBytes(path: Path, expected: Stamp, maxBytes: number): Buffer | 'changed' | 'refused' {
  let file: number;
  try {
    file = openSync(path, flags);
  } catch (error) {
    // ELOOP: it is a link by now.
    return isGone(error) || errorCode(error) === 'ELOOP' ? 'changed' : 'refused';
  }
  try {
    const stats = fstatSync(file, { bigint: true });
    if (!stats.isFile() || !isSameStamp(stampOf(stats), expected) || stats.size > maxBytes) return 'changed';
    if (!isReal(path, file)) return 'changed';
    const bytes = Buffer.allocUnsafe(Number(stats.size) + 1);
    const length = fill(file, bytes);
    const isWhole = length === Number(stats.size);
    const isSame = isSameStamp(stampOf(fstatSync(file, { bigint: true })), expected);
    return isWhole && isSame ? bytes.subarray(0, length) : 'changed';
  } catch {
    return 'refused';
  } finally {
    closeSync(file);
  }
}

/** Whether the open file is the one at the path, and no folder above it became a link. */
function isReal(path: Path, file: number): boolean {
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/self/fd/${file}`) === path;
    } catch {
      // Without /proc, as in some containers.
    }
  }
  return realpathSync.native(path) === path;
}

function fill(file: number, buffer: Buffer): number {
  let length = 0;
  while (length < buffer.length) {
    const read = readSync(file, buffer, length, buffer.length - length, null);
    if (read === 0) break;
    length += read;
  }
  return length;
}

function isGone(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
