import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describeError, type Path } from '@tandem/core';
import { DenyList } from '@tandem/core/ignoring';
import { type FileState, isSameState, type SeenChange } from '../fileState.js';
import type { BlobStore } from '../store/blobStore.js';
import { type FileEntry, filesBelow, pathIn } from './folderTree.js';
import { IgnoreRules } from './ignoreRules.js';
import { hiddenState, notYet, type ReadRules, readState, unread } from './readState.js';
import type { SavedTable } from './savedTable.js';
import type { ScanTable } from './scanTable.js';
import { changeTime, isSameStamp, stampText } from './stamp.js';
import { type Candidate, Walker, type WalkOptions } from './walker.js';

/** What a scan may take. */
export interface ScanLimits {
  readonly maxFiles: number;
  /** Larger files are not read. */
  readonly maxFileBytes: number;
  /** A walk that takes longer is the last one. */
  readonly maxWalkMs: number;
  /** For how long a look reads what changed. The rest is read afterwards. */
  readonly maxReadMs: number;
}

/** The usual limits. */
export const defaultScanLimits: ScanLimits = {
  maxFiles: 100_000,
  maxFileBytes: 4 * 1024 * 1024,
  maxWalkMs: 5_000,
  maxReadMs: 2_000,
};

/** What a scanner is made of. */
export interface ScannerOptions {
  /** A real path. */
  readonly root: Path;
  /** The paths below which a deny list is anchored, such as the folder as the user named it. */
  readonly denyFolders: readonly Path[];
  readonly denyList: readonly string[];
  readonly limits: ScanLimits;
  readonly table: ScanTable;
  /** The real path of the store's folder, which does not count. */
  readonly storeFolder: Path;
  /** Hashes what is hidden. */
  readonly key: Buffer;
  /** Undefined if nothing can be stored. */
  readonly store: BlobStore | undefined;
  /** Undefined if nothing can be saved. */
  readonly saved: SavedTable | undefined;
  /** Why only paths in hints are checked, in words. */
  readonly whyNamed: string | undefined;
}

/** The result of a look, with paths below the root. */
export interface ScannedLook {
  readonly changes: readonly SeenChange[];
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isComplete: boolean;
}

/** More than agents name; the oldest are no longer checked. */
const maxNamed = 10_000;
/** How often the table is saved while contents are read. */
const saveEveryMs = 2_000;
const hourMs = 60 * 60 * 1000;

/** Finds what changed in one folder. It blocks its thread, so it runs in a worker. */
export class Scanner {
  readonly #options: ScannerOptions;
  readonly #table: ScanTable;
  readonly #rules: IgnoreRules;
  readonly #named = new Map<string, number>();
  #denied: DenyList;
  #whyNamed: string | undefined;
  /** Not read yet, the most recently changed last. */
  #queue: FileEntry[] = [];
  /** To be read as well, in any order. */
  #added: FileEntry[] = [];
  #walks = 0;
  #lastLookAt: number | undefined;
  #lastWholeAt: number | undefined;
  #oddNames = 0;
  #savedAt = 0;
  /** Something may be saved since the last look. It is saved after the answer. */
  #isUnsaved = false;
  #expiredAt = 0;
  #saveProblem: string | undefined;
  /** The store removes older contents for what changed, but not for what is read for the first time. */
  #isChange = false;

  constructor(options: ScannerOptions) {
    this.#options = options;
    this.#table = options.table;
    this.#rules = new IgnoreRules(options.root);
    this.#denied = new DenyList(options.denyList);
    this.#whyNamed = options.whyNamed;
    this.#lastLookAt = this.#table.lookedAt;
    if (this.#table.setDenied(idOf(options.denyList))) this.#hide();
    this.#enqueue(filesBelow(this.#table.root));
  }

  /** Why only paths in hints are checked; undefined if all are. */
  get whyNamed(): string | undefined {
    return this.#whyNamed;
  }

  /** How many names are not UTF-8 and left out. */
  get oddNames(): number {
    return this.#oddNames;
  }

  /** How many files are not read yet, at most. */
  get unread(): number {
    return this.#queue.length + this.#added.length;
  }

  /** Why the table cannot be saved, in words. */
  get problem(): string | undefined {
    return this.#saveProblem;
  }

  /** Finds what changed since the last look: everywhere, or at some paths below the root. */
  look(hints?: readonly string[]): ScannedLook {
    const startedAt = Date.now();
    // Whoever asks again has taken the last result.
    this.#table.acknowledge(this.#lastWholeAt ?? this.#table.lookedAt);
    this.#save(false);
    this.#table.beginReport();
    const walker = new Walker(this.#walkOptions());
    if (hints !== undefined) for (const path of hints) walker.check(path);
    else if (this.#whyNamed === undefined) this.#walkAll(walker);
    else for (const path of [...this.#named.keys()]) walker.check(path);
    for (const path of this.#named.keys()) {
      if (this.#named.size <= maxNamed) break;
      this.#named.delete(path);
    }
    const changes = this.#settle(walker.candidates);
    for (const entry of walker.checked) this.#readNow(entry);
    this.#table.endReport(changes.length > 0);
    this.#enqueue(walker.seenFirst);
    const isComplete = walker.isComplete && walker.stop === undefined && this.#whyNamed === undefined;
    if (hints === undefined || this.#lastWholeAt === undefined) this.#lastWholeAt = startedAt;
    if (changes.length === 0) this.#table.acknowledge(this.#lastWholeAt);
    this.#lastLookAt = startedAt;
    this.#isUnsaved = true;
    return { changes, startedAt, endedAt: Date.now(), isComplete };
  }

  /** Reads contents for some time. Returns whether there is more to read. */
  readSome(forMs: number): boolean {
    if (this.#isUnsaved) this.#save();
    this.#sortQueue();
    const until = performance.now() + forMs;
    const hasRead = this.#queue.length > 0;
    while (this.#queue.length > 0 && performance.now() < until) {
      const entry = this.#queue.pop();
      if (entry !== undefined && this.#table.isThere(entry)) this.#readFirst(entry);
    }
    const isDone = this.#queue.length === 0;
    const now = Date.now();
    if ((isDone && hasRead) || now - this.#savedAt > saveEveryMs) this.#save();
    if (isDone && now - this.#expiredAt > hourMs) {
      this.#expiredAt = now;
      this.#options.store?.expire(now);
    }
    return !isDone;
  }

  /** Replaces the deny list: removes the contents of files that are hidden now, and reads those that no longer are. */
  setDenyList(patterns: readonly string[]): void {
    this.#denied = new DenyList(patterns);
    if (this.#table.setDenied(idOf(patterns))) this.#hide();
    this.#enqueue(filesBelow(this.#table.root));
  }

  /** Saves the table, given that the caller has taken all results. */
  close(): void {
    this.#table.acknowledge(this.#lastWholeAt ?? this.#table.lookedAt);
    this.#save();
    this.#options.saved?.close();
  }

  #walkOptions(): WalkOptions {
    const { root, limits, storeFolder } = this.#options;
    this.#walks += 1;
    return {
      ...{ root, storeFolder, table: this.#table, rules: this.#rules, named: this.#named, id: this.#walks },
      ...{ maxFiles: limits.maxFiles, maxFileBytes: limits.maxFileBytes },
      until: performance.now() + limits.maxWalkMs,
      lastLookAt: this.#lastLookAt,
    };
  }

  #walkAll(walker: Walker): void {
    walker.walk();
    this.#oddNames = walker.oddNames;
    const { maxFiles, maxWalkMs } = this.#options.limits;
    if (walker.stop === 'too-many')
      this.#whyNamed = `it has more than ${maxFiles.toLocaleString('en')} files`;
    else if (walker.stop === 'too-slow')
      this.#whyNamed = `looking at all files takes more than ${maxWalkMs / 1000} seconds`;
    // What is ignored counts once a hint has named it.
    for (const path of [...this.#named.keys()]) if (walker.isUnseen(path)) walker.check(path);
  }

  #settle(candidates: readonly Candidate[]): SeenChange[] {
    const until = performance.now() + this.#options.limits.maxReadMs;
    const changes: SeenChange[] = [];
    const done = new Set<FileEntry>();
    this.#isChange = true;
    for (const candidate of candidates) {
      const { entry, before, notBefore } = candidate;
      if (done.has(entry)) continue;
      done.add(entry);
      const after = this.#stateAfter(candidate, performance.now() < until);
      const isTold = after.kind === 'unread' && after.why === 'not-yet';
      if (this.#table.isThere(entry)) {
        entry.told = isTold ? after : undefined;
        if (isTold) this.#enqueue([entry]);
      }
      if (isSameState(before, after)) continue;
      const path = pathIn(entry.folder, entry.name);
      const changedAt = after.kind === 'missing' ? undefined : changeTime(entry.stamp);
      changes.push({ path, before: this.#shown(before), after: this.#shown(after), notBefore, changedAt });
    }
    this.#isChange = false;
    return changes;
  }

  #stateAfter({ entry, stamp }: Candidate, mayRead: boolean): FileState {
    if (stamp === undefined) return { kind: 'missing' };
    const isSame = isSameStamp(entry.stamp, stamp);
    if (isSame && !isNotYet(entry.state) && !(entry.isYoung && mayRead)) return entry.state;
    if (!mayRead) {
      this.#table.setState(entry, stamp, notYet, false);
      return unread('not-yet', stampText(stamp));
    }
    const read = readState(this.#pathOf(entry), this.#readRules());
    if (read.stamp !== undefined) this.#table.setState(entry, read.stamp, read.state, read.isYoung);
    else if (read.state.kind === 'missing') this.#table.removeFile(entry);
    else this.#table.setState(entry, stamp, read.state, true);
    return read.state;
  }

  /** Reads a file that a hint named and that did not change: the next look can then say what it was. */
  #readNow(entry: FileEntry): void {
    if (!this.#table.isThere(entry)) return;
    this.#isChange = true;
    this.#readFirst(entry);
    this.#isChange = false;
  }

  /** Reads a file for the first time, unless it changed since it was seen: the next look finds that. */
  #readFirst(entry: FileEntry): void {
    const { state, stamp } = entry;
    if (!this.#isToRead(entry)) return;
    const read = readState(this.#pathOf(entry), this.#readRules());
    if (read.stamp === undefined || !isSameStamp(read.stamp, stamp)) return;
    if (state.kind === 'file' && !isSameState(state, read.state)) return;
    this.#table.setState(entry, stamp, read.state, read.isYoung);
  }

  /** What has no content yet, or whose content the store has lost. */
  #isToRead({ state }: FileEntry): boolean {
    return isNotYet(state) || (state.kind === 'file' && this.#options.store?.has(state.hash) === false);
  }

  #enqueue(entries: Iterable<FileEntry>): void {
    for (const entry of entries) if (this.#isToRead(entry)) this.#added.push(entry);
  }

  /** Takes in what was added, after the answer to the look that added it. */
  #sortQueue(): void {
    if (this.#added.length === 0) return;
    this.#queue = [...new Set([...this.#queue, ...this.#added])];
    this.#added = [];
    this.#queue.sort(({ stamp: a }, { stamp: b }) =>
      a.ctimeNs < b.ctimeNs ? -1 : a.ctimeNs > b.ctimeNs ? 1 : 0,
    );
  }

  #readRules(): ReadRules {
    const { key, store, limits } = this.#options;
    return {
      ...{ key, maxBytes: limits.maxFileBytes },
      isHidden: (path) => this.#isHidden(path),
      onHidden: (hash) => {
        // A secret that had a name which does not look like one, until now.
        if (store?.has(hash) && !this.#table.current.has(hash)) store.forget([hash]);
      },
      keep: (hash, bytes) => store?.put(hash, bytes, this.#isChange) ?? false,
    };
  }

  #isHidden(path: Path): boolean {
    try {
      return this.#denied.match(path, this.#options.denyFolders) !== undefined;
    } catch {
      // It cannot be decided.
      return true;
    }
  }

  /** Applies the deny list to what is known. */
  #hide(): void {
    const { key, store } = this.#options;
    const hashes = new Set<string>();
    for (const path of this.#table.past.paths()) {
      if (!this.#isHidden(join(this.#options.root, path))) continue;
      for (const hash of this.#table.past.take(path)) hashes.add(hash);
    }
    for (const entry of filesBelow(this.#table.root)) {
      const { state, stamp } = entry;
      const isHidden = state.kind === 'unread' && state.why === 'hidden';
      if (state.kind !== 'file' && !isHidden) continue;
      if (this.#isHidden(this.#pathOf(entry)) === isHidden) continue;
      if (state.kind === 'file') {
        const bytes = store?.get(state.hash);
        this.#table.setState(entry, stamp, bytes ? hiddenState(key, bytes, state.mode) : notYet, false);
        hashes.add(state.hash);
        this.#table.past.take(pathIn(entry.folder, entry.name));
      } else this.#table.setState(entry, stamp, notYet, false);
      // What was reported of it stays true, although it is shown in another way now.
      entry.told = undefined;
    }
    store?.forget([...hashes].filter((hash) => !this.#table.current.has(hash)));
  }

  #save(mayWriteAll = true): void {
    const { saved } = this.#options;
    if (saved === undefined) return;
    this.#savedAt = Date.now();
    this.#isUnsaved = false;
    try {
      this.#table.save(saved, mayWriteAll);
      this.#saveProblem = undefined;
    } catch (error) {
      this.#saveProblem = `what is known of the files cannot be saved: ${describeError(error)}`;
    }
  }

  /** With what the store has at the moment. */
  #shown(state: FileState): FileState {
    if (state.kind !== 'file') return state;
    return { ...state, isStored: this.#options.store?.has(state.hash) ?? false };
  }

  #pathOf({ folder, name }: FileEntry): Path {
    return join(this.#options.root, pathIn(folder, name));
  }
}

/** Identifies a deny list. */
function idOf(patterns: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(patterns)).digest('hex');
}

function isNotYet(state: FileState): boolean {
  return state.kind === 'unread' && state.why === 'not-yet';
}
