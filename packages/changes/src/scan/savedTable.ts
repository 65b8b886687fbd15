import { closeSync, fstatSync, ftruncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Path } from '@tandem/core';
import type { FileState } from '../fileState.js';
import { openPrivateFile, readPrivateFile, replacePrivateFile, writeAll } from '../store/privateFolder.js';
import {
  type FileEntry,
  type FolderNode,
  fileAt,
  filesBelow,
  folderAt,
  foldersBelow,
  newFolder,
  pathIn,
  pathOfFolder,
  splitPath,
} from './folderTree.js';
import { PastContents } from './pastContents.js';
import { notYet } from './readState.js';

const version = 1;
/** More than a table of the largest permitted folder has. */
const maxTableBytes = 128 * 1024 * 1024;
/** A table is written whole again once this many lines were added, or as many as it has entries. */
const leastToRewrite = 20_000;

/** What a saved table contains. */
export interface LoadedTable {
  readonly root: FolderNode;
  /** The time of the last look whose result the caller has taken. */
  readonly lookedAt: number;
  readonly files: number;
  readonly past: PastContents;
  /** Identifies the deny list that was applied to it. */
  readonly denied: string;
}

/**
 * The table of a scan on the disk: lines of JSON, of which the last of a path counts. A line that was cut off is dropped.
 *
 *     ["v", version, path of the root, deny list]   ["l", time of a look]
 *     ["d", folder, names ignored in it]   ["x", folder that is no longer listed]
 *     ["f", file, mtimeNs, ctimeNs, size, ino, mode, state, is young, state told]   ["r", removed file]
 *     ["p", file, hash of a content that it had]
 */
export class SavedTable {
  readonly #path: Path;
  readonly #root: Path;
  #file: number | undefined;
  #added = 0;

  constructor(folder: Path, root: Path) {
    this.#path = join(folder, 'table');
    this.#root = root;
  }

  /** The table of the previous process; undefined if there is none that can be used. */
  load(): LoadedTable | undefined {
    const bytes = readPrivateFile(this.#path, maxTableBytes);
    const end = bytes === undefined ? 0 : bytes.lastIndexOf('\n') + 1;
    if (bytes === undefined || end === 0) return undefined;
    const root = newFolder('', undefined);
    const past = new PastContents();
    let lookedAt = 0;
    let denied = '';
    let isOurs = false;
    for (const line of bytes.toString('utf8', 0, end - 1).split('\n')) {
      const values = parseLine(line);
      // What is damaged in the middle proves nothing about the rest.
      if (values === undefined) return undefined;
      const [kind, first] = values;
      if (kind === 'v') {
        isOurs = first === version && values[2] === this.#root;
        denied = String(values[3]);
      }
      if (!isOurs) return undefined;
      if (kind === 'l') lookedAt = Number(first);
      else if (kind === 'p') past.add(String(first), String(values[2]));
      else if (typeof first === 'string') readInto(root, kind, first, values);
    }
    if (lookedAt === 0) return undefined;
    let files = 0;
    for (const folder of foldersBelow(root)) {
      folder.checkedAt = lookedAt;
      files += folder.files.size;
    }
    if (end < bytes.length) this.#cut(end);
    return { root, lookedAt, files, past, denied };
  }

  /**
   * Adds what changed. Call it only with what the caller has been told and has taken: what is missing here is reported again by the
   * next process.
   *
   * @throws if it cannot be written
   */
  add(
    root: FolderNode,
    changed: {
      readonly files: Iterable<string>;
      readonly folders: Iterable<string>;
      readonly past: PastContents;
    },
    lookedAt: number,
  ): void {
    const lines: string[] = [];
    for (const path of changed.folders) {
      const folder = folderAt(root, path);
      lines.push(folder?.isListed ? folderLine(folder) : lineOf('x', path));
    }
    for (const path of changed.files) {
      const entry = fileAt(root, path);
      lines.push(entry === undefined ? lineOf('r', path) : fileLine(entry));
    }
    for (const [path, hash] of changed.past.takeNew()) lines.push(lineOf('p', path, hash));
    lines.push(lineOf('l', lookedAt));
    this.#file ??= openPrivateFile(this.#path, 'append');
    const end = fstatSync(this.#file).size;
    try {
      writeAll(this.#file, Buffer.from(lines.join('')));
    } catch (error) {
      // Half a line would spoil the next one.
      ftruncateSync(this.#file, end);
      throw error;
    }
    this.#added += lines.length;
  }

  /** Whether it has more lines than it needs. */
  isWasteful(files: number): boolean {
    return this.#added > Math.max(leastToRewrite, 2 * files);
  }

  /** Writes the whole table, as in `add`. @throws if it cannot be written */
  write(root: FolderNode, past: PastContents, lookedAt: number, denied: string): void {
    this.close();
    const lines = [lineOf('v', version, this.#root, denied), lineOf('l', lookedAt)];
    for (const folder of foldersBelow(root)) if (folder.isListed) lines.push(folderLine(folder));
    for (const entry of filesBelow(root)) lines.push(fileLine(entry));
    for (const [path, hash] of past.all()) lines.push(lineOf('p', path, hash));
    replacePrivateFile(this.#path, lines.join(''));
    past.takeNew();
    this.#added = 0;
  }

  /** Closes its file. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #cut(end: number): void {
    const file = openPrivateFile(this.#path, 'change');
    try {
      ftruncateSync(file, end);
    } finally {
      closeSync(file);
    }
  }
}

function lineOf(...values: readonly unknown[]): string {
  return `${JSON.stringify(values)}\n`;
}

function folderLine(folder: FolderNode): string {
  return lineOf('d', pathOfFolder(folder), [...folder.ignored]);
}

function fileLine({ folder, name, stamp, state, isYoung, told }: FileEntry): string {
  const numbers = [stamp.mtimeNs, stamp.ctimeNs, stamp.size, stamp.ino].map(String);
  const rest = [Number(stamp.mode), packState(state), isYoung ? 1 : 0, ...(told ? [packState(told)] : [])];
  return lineOf('f', pathIn(folder, name), ...numbers, ...rest);
}

function readInto(root: FolderNode, kind: unknown, path: string, values: readonly unknown[]): void {
  if (kind === 'd') {
    const folder = folderAt(root, path, true);
    folder.isListed = true;
    folder.ignored.clear();
    if (Array.isArray(values[2])) for (const name of values[2]) folder.ignored.add(String(name));
    return;
  }
  const { folder: above, name } = splitPath(path);
  if (kind === 'x') folderAt(root, above)?.folders.delete(name);
  if (kind === 'r') folderAt(root, above)?.files.delete(name);
  if (kind !== 'f') return;
  const [mtimeNs, ctimeNs, size, ino, mode] = values.slice(2, 7).map(toBigInt);
  const state = unpackState(values[7]);
  if (mtimeNs === undefined || ctimeNs === undefined || size === undefined) return;
  if (ino === undefined || mode === undefined || state === undefined) return;
  const folder = folderAt(root, above, true);
  const stamp = { mtimeNs, ctimeNs, size, ino, mode };
  const told = values[9] === undefined ? undefined : unpackState(values[9], true);
  const isYoung = values[8] === 1;
  folder.files.set(name, { name, folder, stamp, state, isYoung, told, checkedAt: 0, seenIn: 0 });
}

function parseLine(line: string): readonly unknown[] | undefined {
  try {
    const values: unknown = JSON.parse(line);
    return Array.isArray(values) ? values : undefined;
  } catch {
    return undefined;
  }
}

function toBigInt(value: unknown): bigint | undefined {
  return /^-?\d{1,25}$/.test(String(value)) ? BigInt(String(value)) : undefined;
}

function packState(state: FileState): readonly unknown[] {
  if (state.kind === 'file') return ['f', state.hash, state.size, state.mode];
  if (state.kind === 'link') return ['l', state.target];
  return state.kind === 'unread' ? ['u', state.why, state.stamp] : ['m'];
}

const reasons = ['too-large', 'hidden', 'unreadable', 'special', 'not-yet'] as const;

function unpackState(value: unknown, withStamp = false): FileState | undefined {
  if (!Array.isArray(value)) return undefined;
  const [kind, first, second, third] = value.map((each: unknown) => each);
  if (kind === 'm') return { kind: 'missing' };
  if (kind === 'l' && typeof first === 'string') return { kind: 'link', target: first };
  const why = reasons.find((each) => each === first);
  if (kind === 'u' && why === 'not-yet' && !withStamp) return notYet;
  if (kind === 'u' && why !== undefined && typeof second === 'string')
    return { kind: 'unread', why, stamp: second };
  const isFile = kind === 'f' && typeof first === 'string' && /^[0-9a-f]{64}$/.test(first);
  if (!isFile || typeof second !== 'number' || typeof third !== 'number') return undefined;
  return { kind: 'file', hash: first, size: second, mode: third, isStored: false };
}
