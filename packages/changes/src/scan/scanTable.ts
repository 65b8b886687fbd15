import type { FileState } from '../fileState.js';
import {
  type FileEntry,
  type FolderNode,
  filesBelow,
  foldersBelow,
  newFolder,
  pathIn,
  pathOfFolder,
} from './folderTree.js';
import { PastContents } from './pastContents.js';
import type { SavedTable } from './savedTable.js';
import type { Stamp } from './stamp.js';

/** How many files have each content now. */
export class CurrentHashes {
  readonly #counts = new Map<string, number>();

  /** Whether a file has this content. */
  has(hash: string): boolean {
    return this.#counts.has(hash);
  }

  /** Counts the change of one file; returns the content that no file has any more. */
  replace(before: FileState | undefined, after: FileState | undefined): string | undefined {
    if (after?.kind === 'file') this.#counts.set(after.hash, (this.#counts.get(after.hash) ?? 0) + 1);
    if (before?.kind !== 'file') return undefined;
    const left = (this.#counts.get(before.hash) ?? 0) - 1;
    if (left > 0) this.#counts.set(before.hash, left);
    else this.#counts.delete(before.hash);
    return left > 0 ? undefined : before.hash;
  }
}

/**
 * What is known of all files, in memory, and which part of it is not saved yet. What a look reported is saved when the caller asks
 * for the next look: until then, it may not have taken the result, and the next process has to report it again.
 */
export class ScanTable {
  root: FolderNode = newFolder('', undefined);
  files = 0;
  past = new PastContents();
  /** When the last look began whose result is saved; undefined before the first. */
  lookedAt: number | undefined;
  readonly current: CurrentHashes;
  readonly #onReleased: (hash: string) => void;
  readonly #reported = { files: new Set<string>(), folders: new Set<string>() };
  readonly #toSave = { files: new Set<string>(), folders: new Set<string>() };
  #isReporting = false;
  /** Identifies the deny list that has been applied. */
  #denied = '';
  /** Something was reported that the first table has to wait for. */
  #hasReport = false;
  #isWritten = false;

  /** @param onReleased learns of each content that no file has any more */
  constructor(current: CurrentHashes, onReleased: (hash: string) => void) {
    this.current = current;
    this.#onReleased = onReleased;
  }

  /** Takes the table of an earlier process. */
  load(saved: SavedTable): boolean {
    const loaded = saved.load();
    if (loaded === undefined) return false;
    this.root = loaded.root;
    this.files = loaded.files;
    this.lookedAt = loaded.lookedAt;
    this.past = loaded.past;
    this.#denied = loaded.denied;
    this.#isWritten = true;
    for (const { state } of filesBelow(this.root)) this.current.replace(undefined, state);
    return true;
  }

  /** Notes which deny list has been applied. Returns whether it was another one before. */
  setDenied(denied: string): boolean {
    if (this.#denied === denied) return false;
    this.#denied = denied;
    this.#isWritten = false;
    return true;
  }

  /** Adds a file that was not known. */
  addFile(folder: FolderNode, name: string, stamp: Stamp, state: FileState, seenIn: number): FileEntry {
    const entry: FileEntry = {
      ...{ name, folder, stamp, state, seenIn },
      ...{ isYoung: false, told: undefined, checkedAt: 0 },
    };
    folder.files.set(name, entry);
    this.files += 1;
    this.#replace(undefined, state);
    this.markFile(entry);
    return entry;
  }

  /** Sets what was found of a file. */
  setState(entry: FileEntry, stamp: Stamp, state: FileState, isYoung: boolean): void {
    const before = entry.state;
    const isKnown = before.kind === 'file' && !(state.kind === 'file' && state.hash === before.hash);
    if (isKnown) this.past.add(pathIn(entry.folder, entry.name), before.hash);
    entry.state = state;
    entry.stamp = stamp;
    entry.isYoung = isYoung;
    this.#replace(before, state);
    this.markFile(entry);
  }

  /** Forgets a file. */
  removeFile(entry: FileEntry): void {
    if (entry.folder.files.get(entry.name) !== entry) return;
    const { state } = entry;
    if (state.kind === 'file') this.past.add(pathIn(entry.folder, entry.name), state.hash);
    entry.folder.files.delete(entry.name);
    this.files -= 1;
    this.#replace(state, undefined);
    this.markFile(entry);
  }

  /** Forgets a folder and all in it; returns the files. */
  removeFolder(folder: FolderNode): readonly FileEntry[] {
    const files = [...filesBelow(folder)];
    for (const entry of files) this.removeFile(entry);
    for (const each of foldersBelow(folder)) this.markFolder(each);
    folder.above?.folders.delete(folder.name);
    return files;
  }

  /** Whether an entry is still that of its path. */
  isThere(entry: FileEntry): boolean {
    return entry.folder.files.get(entry.name) === entry;
  }

  /** Notes that a file has to be saved. */
  markFile({ folder, name }: FileEntry): void {
    if (this.#isListing()) this.#mark('files', pathIn(folder, name));
  }

  /** Notes that a folder has to be saved. */
  markFolder(folder: FolderNode): void {
    if (this.#isListing()) this.#mark('folders', pathOfFolder(folder));
  }

  /** What changes from now on is part of a look. */
  beginReport(): void {
    this.#isReporting = true;
  }

  /** The look is over. If it reported nothing, there is nothing to take. */
  endReport(hasChanges: boolean): void {
    this.#isReporting = false;
    if (!hasChanges) this.acknowledge(this.lookedAt);
  }

  /** The caller has taken what was reported until now. */
  acknowledge(lookedAt: number | undefined): void {
    this.lookedAt = lookedAt;
    this.#hasReport = false;
    for (const kind of ['files', 'folders'] as const) {
      for (const path of this.#reported[kind]) this.#toSave[kind].add(path);
      this.#reported[kind].clear();
    }
  }

  /**
   * Saves what may be saved.
   *
   * @param mayWriteAll whether there is time to write the whole table, if that is necessary
   * @throws if it cannot be written; it is saved with the next call then
   */
  save(saved: SavedTable, mayWriteAll: boolean): void {
    const { lookedAt } = this;
    if (lookedAt === undefined) return;
    const { files, folders } = this.#reported;
    const hasAll = !this.#hasReport && files.size === 0 && folders.size === 0;
    if (mayWriteAll && hasAll && (!this.#isWritten || saved.isWasteful(this.files))) {
      this.#isWritten = false;
      saved.write(this.root, this.past, lookedAt, this.#denied);
      this.#isWritten = true;
    } else if (this.#isWritten) {
      // If it fails, the whole table is written again.
      this.#isWritten = false;
      saved.add(this.root, { ...this.#toSave, past: this.past }, lookedAt);
      this.#isWritten = true;
    } else return;
    this.#toSave.files.clear();
    this.#toSave.folders.clear();
  }

  /** Whether single files are saved: the first time, the whole table is. */
  #isListing(): boolean {
    if (!this.#isWritten && this.#isReporting) this.#hasReport = true;
    return this.#isWritten;
  }

  #mark(kind: 'files' | 'folders', path: string): void {
    if (this.#isReporting) this.#reported[kind].add(path);
    else if (!this.#reported[kind].has(path)) this.#toSave[kind].add(path);
  }

  #replace(before: FileState | undefined, after: FileState | undefined): void {
    const released = this.current.replace(before, after);
    if (released !== undefined) this.#onReleased(released);
  }
}
