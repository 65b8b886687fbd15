import { type BigIntStats, lstatSync } from 'node:fs';
import { errorCode } from '@tandem/core';
import { type NameText, readName } from '@tandem/core/ignoring';
import type { FileState } from '../fileState.js';
import {
  type FileEntry,
  type FolderNode,
  fileAt,
  filesBelow,
  folderAt,
  foldersBelow,
  newFolder,
  pathIn,
} from './folderTree.js';
import type { IgnoreRules } from './ignoreRules.js';
import { listFolder } from './listFolder.js';
import { beliefOf, notYet, stateWithoutReading, unread } from './readState.js';
import type { ScanTable } from './scanTable.js';
import { changeTime, isSameStamp, type Stamp, stampOf } from './stamp.js';

/** A file that may differ from what the caller knows. */
export interface Candidate {
  readonly entry: FileEntry;
  readonly before: FileState;
  readonly notBefore: number;
  /** What it has now; undefined if it is gone. */
  readonly stamp: Stamp | undefined;
}

/** Why a walk ended before it saw everything. */
export type WalkStop = 'too-many' | 'too-slow';

/** What a walk needs. */
export interface WalkOptions {
  /** The real path of the root. */
  readonly root: string;
  readonly table: ScanTable;
  readonly rules: IgnoreRules;
  /** The paths that hints have named, and when they were last checked. */
  readonly named: Map<string, number>;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /** Ends the walk at this time of `performance.now()`. */
  readonly until: number;
  /** When the look before began; undefined if this is the first. */
  readonly lastLookAt: number | undefined;
  /** A folder that does not count, although it may be within the root: that of the store. */
  readonly storeFolder: string;
  /** Different for each walk. */
  readonly id: number;
}

/** Where a folder is. */
interface FolderPlace {
  /** Its absolute path. */
  readonly path: string;
  /** Its path below the root. */
  readonly below: string;
  /** The names on the way to it, from where the ignore rules begin. */
  readonly names: readonly NameText[];
  /** How many folders below the root it is. */
  readonly level: number;
}

const missing: FileState = { kind: 'missing' };
const namesBetweenChecks = 256;
/** How far the clock of a file system is behind ours. */
const clockLagMs = 20;

/** One pass over a tree or over some paths of it: stats everything, reads nothing. */
export class Walker {
  readonly candidates: Candidate[] = [];
  /** Files that were seen for the first time and are not reported. */
  readonly seenFirst: FileEntry[] = [];
  /** Files that a hint named. */
  readonly checked: FileEntry[] = [];
  stop: WalkStop | undefined;
  /** Everything could be listed. */
  isComplete = true;
  oddNames = 0;
  readonly #options: WalkOptions;

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  /** Walks all that is not ignored. */
  walk(): void {
    const { rules, table, root } = this.#options;
    rules.refresh();
    this.#walkFolder(table.root, { path: root, below: '', names: rules.rootNames, level: 0 });
  }

  /** Checks one path below the root, and what is below it if it is a folder. Never follows a link. */
  check(path: string): void {
    const { root, table, named } = this.#options;
    const parts = path.split('/');
    if (this.#isOurs(`${root}/${path}`)) return;
    if (parts.includes('.git') || parts.some((part) => part === '' || part === '..' || part === '.')) return;
    const now = Date.now();
    let folder = table.root;
    let [above, isCovered, coveredAt] = [root, true, 0];
    for (const [at, name] of parts.entries()) {
      const isKnown = folder.isListed && !isIgnored(folder, name);
      isCovered &&= isKnown;
      coveredAt = isCovered ? folder.checkedAt : 0;
      const full = `${above}/${name}`;
      const stats = this.#stat(full);
      if (stats === 'refused') return;
      const isLast = at === parts.length - 1;
      if (stats?.isDirectory()) {
        const file = folder.files.get(name);
        if (file !== undefined) this.#gone(file, folder.checkedAt);
        const sub = folder.folders.get(name) ?? this.#addFolder(folder, name, isCovered);
        if (isLast && !isIgnored(folder, name)) {
          this.#rulesAbove(folder);
          const names = [...this.#options.rules.rootNames, ...parts.map(readName)];
          this.#walkFolder(sub, { path: full, below: path, names, level: parts.length });
        }
        folder = sub;
        above = full;
        continue;
      }
      const sub = folder.folders.get(name);
      if (sub !== undefined) this.#folderGone(sub);
      if (isLast) this.#checkFile(folder, name, stats, named.get(path), isCovered ? coveredAt : undefined);
      break;
    }
    named.delete(path);
    named.set(path, now);
  }

  /** Whether the walk has not seen a path that exists, as far as is known, or that may exist by now. */
  isUnseen(path: string): boolean {
    const { table, id } = this.#options;
    if (folderAt(table.root, path)?.seenIn === id) return false;
    return fileAt(table.root, path)?.seenIn !== id;
  }

  #checkFile(
    folder: FolderNode,
    name: string,
    stats: BigIntStats | undefined,
    namedAt: number | undefined,
    coveredAt: number | undefined,
  ): void {
    const known = folder.files.get(name);
    const notBefore = Math.max(known?.checkedAt ?? 0, namedAt ?? 0, coveredAt ?? 0);
    const now = Date.now();
    if (stats === undefined) {
      if (known !== undefined) this.#gone(known, notBefore);
      return;
    }
    this.#see(folder, name, stats, coveredAt !== undefined || namedAt !== undefined, notBefore);
    const entry = folder.files.get(name);
    if (entry === undefined) return;
    entry.checkedAt = now;
    this.checked.push(entry);
  }

  #walkFolder(folder: FolderNode, place: FolderPlace): void {
    const { path, below, names, level } = place;
    const { rules, id, named } = this.#options;
    if (this.#mustStop()) return;
    const now = Date.now();
    const listing = listFolder(path);
    if (listing === 'gone' && folder.above !== undefined) {
      this.#folderGone(folder);
      return;
    }
    if (listing === 'gone' || listing === 'refused') {
      this.isComplete = false;
      return;
    }
    this.oddNames += listing.oddNames;
    const notBefore = folder.checkedAt;
    const hasFile = listing.entries.some(({ name }) => name === '.gitignore');
    folder.rules = rules.of(folder, path, level, hasFile);
    const isSameRules = folder.listedWith === folder.rules.chain;
    const ignored = new Set<string>();
    const inside: FolderNode[] = [];
    for (const [at, each] of listing.entries.entries()) {
      const { name } = each;
      if (name === '.git' || this.#isOurs(`${path}/${name}`)) continue;
      if (at % namesBetweenChecks === 0 && this.#mustStop()) return;
      const isFolder = each.isDirectory();
      const key = isFolder ? `${name}/` : name;
      const wasIgnored = folder.ignored.has(key);
      const known = isFolder ? folder.folders.get(name) : folder.files.get(name);
      const isUnchanged = isSameRules && (wasIgnored || known !== undefined);
      if (isUnchanged ? wasIgnored : rules.isIgnored(folder.rules, names, name, isFolder)) {
        ignored.add(key);
        if (known !== undefined && !wasIgnored) this.#ignoreFromNowOn(known);
        continue;
      }
      const isCovered = folder.isListed && !isIgnored(folder, name);
      if (isFolder) {
        const sub = folder.folders.get(name) ?? this.#addFolder(folder, name, isCovered);
        sub.seenIn = id;
        inside.push(sub);
        continue;
      }
      const stats = this.#stat(`${path}/${name}`);
      if (stats === 'refused') {
        const entry = folder.files.get(name);
        if (entry !== undefined) entry.seenIn = id;
      } else if (stats !== undefined && !stats.isDirectory()) {
        const namedAt = named.size === 0 ? undefined : named.get(below === '' ? name : `${below}/${name}`);
        this.#see(folder, name, stats, isCovered || namedAt !== undefined, Math.max(notBefore, namedAt ?? 0));
        if (this.stop !== undefined) return;
      }
    }
    for (const entry of folder.files.values())
      if (entry.seenIn !== id && !ignored.has(entry.name)) this.#gone(entry, notBefore);
    for (const sub of folder.folders.values())
      if (sub.seenIn !== id && !ignored.has(`${sub.name}/`)) this.#folderGone(sub);
    this.#setListed(folder, ignored);
    folder.listedWith = folder.rules.chain;
    folder.checkedAt = now;
    for (const sub of inside) {
      this.#walkFolder(sub, {
        path: `${path}/${sub.name}`,
        below: below === '' ? sub.name : `${below}/${sub.name}`,
        names: [...names, readName(sub.name)],
        level: level + 1,
      });
    }
  }

  /** Compares one file with what is known of it. */
  #see(folder: FolderNode, name: string, stats: BigIntStats, isCovered: boolean, notBefore: number): void {
    const { table, id, maxFiles, maxFileBytes, lastLookAt, root } = this.#options;
    const stamp = stampOf(stats);
    const entry = folder.files.get(name);
    if (entry !== undefined) {
      entry.seenIn = id;
      if (isSameStamp(entry.stamp, stamp) && !entry.isYoung && entry.told === undefined) return;
      const before = beliefOf(entry);
      this.candidates.push({ entry, before, stamp, notBefore: Math.max(notBefore, entry.checkedAt) });
      return;
    }
    if (table.files >= maxFiles) {
      this.stop = 'too-many';
      return;
    }
    const known = stats.isFile() && stats.size <= maxFileBytes;
    const state = known
      ? notYet
      : (stateWithoutReading(`${root}/${pathIn(folder, name)}`, stats, maxFileBytes) ?? notYet);
    const added = table.addFile(folder, name, stamp, state, id);
    if (isCovered) this.candidates.push({ entry: added, before: missing, stamp, notBefore });
    else if (lastLookAt !== undefined && changeTime(stamp) >= lastLookAt - clockLagMs)
      this.candidates.push({ entry: added, before: unread('not-yet', ''), stamp, notBefore: lastLookAt });
    else this.seenFirst.push(added);
  }

  #gone(entry: FileEntry, notBefore: number): void {
    const before = beliefOf(entry);
    this.#options.table.removeFile(entry);
    const at = Math.max(notBefore, entry.checkedAt);
    this.candidates.push({ entry, before, stamp: undefined, notBefore: at });
  }

  #folderGone(folder: FolderNode): void {
    const checkedAt = new Map([...foldersBelow(folder)].map((each) => [each, each.checkedAt]));
    for (const entry of this.#options.table.removeFolder(folder)) {
      const notBefore = Math.max(entry.checkedAt, checkedAt.get(entry.folder) ?? 0);
      this.candidates.push({ entry, before: beliefOf(entry), stamp: undefined, notBefore });
    }
  }

  /** A file or folder became ignored: what was not named is forgotten, and is no change. */
  #ignoreFromNowOn(known: FileEntry | FolderNode): void {
    const { table, named } = this.#options;
    const files = 'files' in known ? [...filesBelow(known)] : [known];
    for (const entry of files) if (!named.has(pathIn(entry.folder, entry.name))) table.removeFile(entry);
    if (!('files' in known)) return;
    for (const folder of foldersBelow(known)) {
      folder.isListed = false;
      folder.ignored.clear();
      table.markFolder(folder);
    }
  }

  /** A folder that was not known. If the one above was listed, it is new, and so is all in it. */
  #addFolder(above: FolderNode, name: string, isNew: boolean): FolderNode {
    const folder = newFolder(name, above);
    folder.isListed = isNew;
    folder.checkedAt = isNew ? above.checkedAt : 0;
    folder.seenIn = this.#options.id;
    above.folders.set(name, folder);
    this.#options.table.markFolder(folder);
    return folder;
  }

  #setListed(folder: FolderNode, ignored: ReadonlySet<string>): void {
    const isSame =
      folder.isListed &&
      folder.ignored.size === ignored.size &&
      [...ignored].every((name) => folder.ignored.has(name));
    if (isSame) return;
    folder.isListed = true;
    folder.ignored.clear();
    for (const name of ignored) folder.ignored.add(name);
    this.#options.table.markFolder(folder);
  }

  /** The rules of the folders on the way to a hint. */
  #rulesAbove(folder: FolderNode): void {
    if (folder.above !== undefined) this.#rulesAbove(folder.above);
    else this.#options.rules.refresh();
    folder.rules = this.#options.rules.at(folder);
  }

  #stat(path: string): BigIntStats | undefined | 'refused' {
    try {
      return lstatSync(path, { bigint: true, throwIfNoEntry: false });
    } catch (error) {
      if (errorCode(error) === 'ENOTDIR') return undefined;
      this.isComplete = false;
      return 'refused';
    }
  }

  #isOurs(path: string): boolean {
    const { storeFolder } = this.#options;
    return path.length >= storeFolder.length && (path === storeFolder || path.startsWith(`${storeFolder}/`));
  }

  #mustStop(): boolean {
    if (this.stop === undefined && performance.now() > this.#options.until) this.stop = 'too-slow';
    return this.stop !== undefined;
  }
}

function isIgnored({ ignored }: FolderNode, name: string): boolean {
  return ignored.has(name) || ignored.has(`${name}/`);
}
