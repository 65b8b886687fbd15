import { closeSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeError, errorCode, type Path } from '@tandem/core';
import {
  openPrivateFile,
  readPrivateFile,
  removeUnfinished,
  replacePrivateFile,
  type writeAll,
} from './privateFolder.js';
import {
  appendRecord,
  type BlobPlace,
  bytesOf,
  copyRecord,
  cutSegment,
  eraseBlob,
  readBlob,
  readRecords,
  recordOf,
} from './segment.js';

/** How much a store keeps, and for how long. */
export interface StoreLimits {
  readonly maxBytes: number;
  /** For how long it keeps what is neither a present content nor pinned. */
  readonly maxAgeMs: number;
}

/** The usual limits: 256 MiB and 7 days. */
export const defaultStoreLimits: StoreLimits = {
  maxBytes: 256 * 1024 * 1024,
  maxAgeMs: 7 * 24 * 60 * 60 * 1000,
};

/** What a store is made of. */
export interface BlobStoreOptions {
  /** A private folder that this process owns. */
  readonly folder: Path;
  readonly limits?: StoreLimits;
  /** Whether a content is that of a file now. Such contents are the last to be removed. */
  readonly isCurrent: (hash: string) => boolean;
  /** Writes to a file: a test lets it fail. */
  readonly write?: typeof writeAll;
}

interface Blob {
  readonly place: BlobPlace;
  /** When it was written, or stopped being the content of a file. */
  usedAt: number;
}

const segmentName = /^blobs-(\d{6,12})$/;
const maxSegmentBytes = 8 * 1024 * 1024;
/** After it made room, a store is this full. */
const fullness = 0.9;
/** A segment is written again if this share of it is not needed. */
const wasteful = 0.25;
const dayMs = 24 * 60 * 60 * 1000;
const maxPinBytes = 64 * 1024 * 1024;

/**
 * Contents by the SHA-256 of their bytes, in append-only segments. The index is in memory, rebuilt from the segments: nothing
 * else has to match them after a crash. Only `open` throws; what cannot be written is not stored, and `problem` says why.
 */
export class BlobStore {
  readonly #folder: Path;
  readonly #limits: StoreLimits;
  readonly #isCurrent: (hash: string) => boolean;
  readonly #write: typeof writeAll | undefined;
  readonly #blobs = new Map<string, Blob>();
  /** The size of each segment. */
  readonly #segments = new Map<number, number>();
  /** What of each segment the index uses. */
  readonly #used = new Map<number, number>();
  #pinned: ReadonlySet<string> = new Set();
  #active: { readonly number: number; readonly file: number } | undefined;
  #reading: { readonly number: number; readonly file: number } | undefined;
  /** Nothing can be removed for a content that nobody changed. */
  #isFullOfCurrent = false;
  #problem: string | undefined;

  private constructor({ folder, limits = defaultStoreLimits, isCurrent, write }: BlobStoreOptions) {
    this.#folder = folder;
    this.#limits = limits;
    this.#isCurrent = isCurrent;
    this.#write = write;
  }

  /** Opens the store in a folder and rebuilds its index. @throws if the folder cannot be read */
  static open(options: BlobStoreOptions): BlobStore {
    const store = new BlobStore(options);
    store.#read();
    return store;
  }

  /** How many contents it has. */
  get size(): number {
    return this.#blobs.size;
  }

  /** What its segments take on the disk. */
  get bytes(): number {
    let sum = 0;
    for (const size of this.#segments.values()) sum += size;
    return sum;
  }

  /** Why contents are not stored at the moment, in words for users. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether it has a content. */
  has(hash: string): boolean {
    return this.#blobs.has(hash);
  }

  /**
   * Stores a content.
   *
   * @param isChange whether older contents may be removed for it, even if they are those of files now
   * @returns whether the store has it
   */
  put(hash: string, bytes: Buffer, isChange: boolean, now = Date.now()): boolean {
    if (this.#blobs.has(hash)) return true;
    try {
      const record = isChange || !this.#isFullOfCurrent ? recordOf(hash, bytes, now) : undefined;
      if (record === undefined || !this.#makeRoom(record.length, isChange)) {
        this.#problem = 'the store of file contents is full';
        return false;
      }
      this.#append(hash, record, bytes.length, now);
      this.#problem = undefined;
      return true;
    } catch (error) {
      this.#note(error);
      return false;
    }
  }

  /** The bytes of a content; undefined if it is not stored, damaged or cannot be read. */
  get(hash: string): Buffer | undefined {
    const blob = this.#blobs.get(hash);
    if (blob === undefined) return undefined;
    try {
      const bytes = readBlob(this.#fileOf(blob.place.segment), hash, blob.place);
      if (bytes === undefined) this.#drop(hash);
      return bytes;
    } catch (error) {
      this.#note(error);
      return undefined;
    }
  }

  /** Says that a content is no longer that of a file: its age counts from now. */
  release(hash: string, now = Date.now()): void {
    const blob = this.#blobs.get(hash);
    if (blob === undefined) return;
    this.#isFullOfCurrent = false;
    const isOld = blob.usedAt < now - dayMs;
    blob.usedAt = now;
    if (!isOld) return;
    // Its record says when it was written; the next process knows no other time.
    const bytes = this.get(hash);
    if (bytes === undefined) return;
    try {
      this.#append(hash, recordOf(hash, bytes, now), bytes.length, now);
    } catch (error) {
      this.#note(error);
    }
  }

  /** Keeps these contents, and no others, whatever the limits say. Also after a restart. */
  pin(hashes: ReadonlySet<string>): void {
    this.#pinned = new Set(hashes);
    this.#isFullOfCurrent = false;
    try {
      replacePrivateFile(join(this.#folder, 'pins'), [...hashes].join('\n'));
    } catch (error) {
      this.#note(error);
    }
  }

  /** Overwrites contents, pinned or not, so that their bytes are gone. Returns those that could not be overwritten. */
  forget(hashes: Iterable<string>): string[] {
    const left: string[] = [];
    for (const hash of hashes) {
      const blob = this.#blobs.get(hash);
      if (blob === undefined) continue;
      try {
        eraseBlob(this.#pathOf(blob.place.segment), blob.place);
        this.#drop(hash);
      } catch (error) {
        this.#note(error);
        left.push(hash);
      }
    }
    // Copies that a compaction left behind would be found again.
    this.#compact(0);
    return left;
  }

  /** Removes what is too old. */
  expire(now = Date.now()): void {
    const before = now - this.#limits.maxAgeMs;
    for (const [hash, { usedAt }] of this.#blobs) {
      if (usedAt < before && !this.#pinned.has(hash) && !this.#isCurrent(hash)) this.#drop(hash);
    }
    this.#compact(wasteful);
  }

  /** Closes its files. */
  close(): void {
    for (const open of [this.#active, this.#reading]) if (open !== undefined) closeSync(open.file);
    this.#active = undefined;
    this.#reading = undefined;
  }

  /** Removes all of it. Never throws. */
  delete(): void {
    this.close();
    this.#blobs.clear();
    this.#segments.clear();
    this.#used.clear();
    removeStoreFolder(this.#folder);
  }

  #read(): void {
    const names = readdirSync(this.#folder);
    removeUnfinished(this.#folder, names);
    const numbers = names.flatMap((name) => segmentName.exec(name)?.[1] ?? []).map(Number);
    for (const number of numbers.sort((a, b) => a - b)) this.#readSegment(number);
    const pins = readPrivateFile(join(this.#folder, 'pins'), maxPinBytes)?.toString('latin1') ?? '';
    this.#pinned = new Set(pins.split('\n').filter((line) => /^[0-9a-f]{64}$/.test(line)));
  }

  #readSegment(number: number): void {
    try {
      const { found, end, size } = readRecords(this.#pathOf(number), number);
      if (end < size) cutSegment(this.#pathOf(number), end);
      this.#segments.set(number, end);
      this.#used.set(number, 0);
      for (const { hash, place, writtenAt } of found) this.#add(hash, { place, usedAt: writtenAt });
    } catch (error) {
      // It stays: a later process may be able to read it.
      this.#note(error);
    }
  }

  #add(hash: string, blob: Blob): void {
    this.#drop(hash);
    this.#blobs.set(hash, blob);
    const { segment } = blob.place;
    this.#used.set(segment, (this.#used.get(segment) ?? 0) + bytesOf(blob.place));
  }

  #drop(hash: string): void {
    const blob = this.#blobs.get(hash);
    if (blob === undefined) return;
    this.#blobs.delete(hash);
    const { segment } = blob.place;
    this.#used.set(segment, (this.#used.get(segment) ?? 0) - bytesOf(blob.place));
  }

  /** @throws if it cannot be written */
  #append(hash: string, record: Buffer, rawBytes: number, usedAt: number): void {
    const { number, file } = this.#openActive(record.length);
    const offset = this.#segments.get(number) ?? 0;
    appendRecord(file, record, offset, this.#write);
    this.#segments.set(number, offset + record.length);
    const storedBytes = record.length - bytesOf({ ...noPlace, storedBytes: 0 });
    const isDeflated = storedBytes < rawBytes;
    this.#add(hash, { usedAt, place: { segment: number, offset, storedBytes, rawBytes, isDeflated } });
  }

  /** The segment that grows. A new one once it is large. */
  #openActive(length: number): { readonly number: number; readonly file: number } {
    const last = this.#active?.number ?? Math.max(0, ...this.#segments.keys());
    const size = this.#segments.get(last) ?? 0;
    const isFull = size > 0 && size + length > maxSegmentBytes;
    const number = Math.max(1, isFull || !this.#segments.has(last) ? this.#nextNumber() : last);
    if (this.#active?.number === number) return this.#active;
    if (this.#active !== undefined) closeSync(this.#active.file);
    this.#active = undefined;
    const file = openPrivateFile(this.#pathOf(number), this.#segments.has(number) ? 'append' : 'create');
    this.#segments.set(number, this.#segments.get(number) ?? 0);
    this.#used.set(number, this.#used.get(number) ?? 0);
    this.#active = { number, file };
    return this.#active;
  }

  /** A number that no file has, also none that could not be read. */
  #nextNumber(): number {
    const taken = readdirSync(this.#folder).flatMap((name) => segmentName.exec(name)?.[1] ?? []);
    return Math.max(0, ...taken.map(Number)) + 1;
  }

  #fileOf(number: number): number {
    if (this.#active?.number === number) return this.#active.file;
    if (this.#reading?.number === number) return this.#reading.file;
    if (this.#reading !== undefined) closeSync(this.#reading.file);
    this.#reading = undefined;
    const file = openPrivateFile(this.#pathOf(number), 'read');
    this.#reading = { number, file };
    return file;
  }

  /** Whether there is room for so many bytes, after old contents were removed if necessary. */
  #makeRoom(length: number, isChange: boolean): boolean {
    const { maxBytes } = this.#limits;
    if (this.bytes + length <= maxBytes) return true;
    const aim = Math.max(0, maxBytes * fullness - length);
    let live = 0;
    for (const used of this.#used.values()) live += used;
    for (const [hash, { place }] of this.#removable(isChange)) {
      if (live <= aim) break;
      live -= bytesOf(place);
      this.#drop(hash);
    }
    this.#compact(wasteful);
    if (this.bytes + length > maxBytes) this.#compact(0);
    const hasRoom = this.bytes + length <= maxBytes;
    this.#isFullOfCurrent = !hasRoom && !isChange;
    return hasRoom;
  }

  /** What may be removed: first what is no file's content now, and the oldest first. */
  #removable(alsoCurrent: boolean): [string, Blob][] {
    const ranked = [...this.#blobs]
      .filter(([hash]) => !this.#pinned.has(hash))
      .map(([hash, blob]) => ({ hash, blob, isCurrent: this.#isCurrent(hash) }))
      .filter(({ isCurrent }) => alsoCurrent || !isCurrent);
    ranked.sort((a, b) => Number(a.isCurrent) - Number(b.isCurrent) || a.blob.usedAt - b.blob.usedAt);
    return ranked.map(({ hash, blob }) => [hash, blob]);
  }

  /** Writes the used records of wasteful segments again, and removes these segments. Never throws. */
  #compact(share: number): void {
    try {
      for (const [number, size] of [...this.#segments]) {
        const waste = size - (this.#used.get(number) ?? 0);
        if (waste > size * share) this.#rewrite(number);
      }
    } catch (error) {
      this.#note(error);
    }
  }

  #rewrite(number: number): void {
    if (this.#active?.number === number) {
      closeSync(this.#active.file);
      this.#active = undefined;
    }
    const size = this.#segments.get(number) ?? 0;
    // The records go to another segment.
    this.#segments.delete(number);
    try {
      for (const [hash, { place, usedAt }] of [...this.#blobs]) {
        if (place.segment !== number) continue;
        this.#append(hash, copyRecord(this.#fileOf(number), place), place.rawBytes, usedAt);
      }
    } catch (error) {
      this.#segments.set(number, size);
      throw error;
    }
    if (this.#reading?.number === number) {
      closeSync(this.#reading.file);
      this.#reading = undefined;
    }
    rmSync(this.#pathOf(number), { force: true });
    this.#used.delete(number);
  }

  #pathOf(number: number): Path {
    return join(this.#folder, `blobs-${String(number).padStart(6, '0')}`);
  }

  #note(error: unknown): void {
    const code = errorCode(error);
    const isFull = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
    this.#problem = isFull ? 'the disk is full' : `file contents cannot be stored: ${describeError(error)}`;
  }
}

const noPlace: BlobPlace = { segment: 0, offset: 0, storedBytes: 0, rawBytes: 0, isDeflated: false };

/** Removes the files of a store, and its folder if nothing else is in it. Never throws. */
export function removeStoreFolder(folder: Path): void {
  try {
    for (const name of readdirSync(folder)) {
      if (segmentName.test(name) || ourNames.has(name) || name.endsWith('.tmp'))
        rmSync(join(folder, name), { force: true });
    }
    rmdirSync(folder);
  } catch {
    // It is gone, or something of others is in it.
  }
}

const ourNames: ReadonlySet<string> = new Set(['pins', 'key', 'table', 'owner']);
