import { type FSWatcher, watch } from 'node:fs';
import { type Disposable, type Path, TouchDelay } from '@tandem/core';
import type { ListedEntry } from './workspaceTree.js';

/** Watched folders at most. Beyond that, the least recently listed ones are no longer watched. */
const maxWatchedFolders = 200;
/** Changes within 250 milliseconds are handled together: an installation makes thousands. */
const pace = { quietMs: 250, maxShare: 1 };

interface WatchedFolder {
  readonly watcher: FSWatcher;
  /** The entries of the last listing. */
  names: string;
}

/**
 * Watches the folders that a page has listed, and reports when entries are added or removed. Uses one watcher of Node
 * per folder: chokidar would also stat and watch every file in it, which is expensive in a folder with thousands of
 * files. Changes of entries that the listing leaves out are not reported.
 */
export class FolderWatch implements Disposable {
  readonly #list: (folder: Path) => Promise<readonly ListedEntry[]>;
  readonly #report: (folders: readonly Path[]) => void;
  /** The most recently listed one is last. */
  readonly #watched = new Map<Path, WatchedFolder>();
  /** Folders with changes, and whether to report each one even if its entries are the same. */
  readonly #touched = new Map<Path, boolean>();
  readonly #delay = new TouchDelay(() => this.#check(), pace);
  #isDisposed = false;

  constructor(of: {
    readonly list: (folder: Path) => Promise<readonly ListedEntry[]>;
    readonly onDidChange: (folders: readonly Path[]) => void;
  }) {
    this.#list = of.list;
    this.#report = of.onDidChange;
  }

  /** Watches a folder of which a page has received these entries. */
  follow(folder: Path, entries: readonly ListedEntry[]): void {
    if (this.#isDisposed) return;
    const known = this.#watched.get(folder);
    if (known !== undefined) {
      known.names = namesOf(entries);
      this.#watched.delete(folder);
      this.#watched.set(folder, known);
      return;
    }
    const watcher = this.#watch(folder);
    if (watcher === undefined) return;
    this.#watched.set(folder, { watcher, names: namesOf(entries) });
    for (const [oldest] of this.#watched) {
      if (this.#watched.size <= maxWatchedFolders) break;
      this.#unwatch(oldest);
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#delay.dispose();
    for (const folder of [...this.#watched.keys()]) this.#unwatch(folder);
  }

  /** `undefined` if the system has no watcher left: the user then refreshes the tree manually. */
  #watch(folder: Path): FSWatcher | undefined {
    try {
      const watcher = watch(folder, { persistent: false }, (_kind, name) => this.#touch(folder, name));
      // The folder was removed; the watcher of its parent folder reports that.
      watcher.on('error', () => this.#unwatch(folder));
      return watcher;
    } catch {
      return undefined;
    }
  }

  #unwatch(folder: Path): void {
    this.#watched.get(folder)?.watcher.close();
    this.#watched.delete(folder);
  }

  #touch(folder: Path, name: string | null): void {
    if (this.#isDisposed) return;
    // A changed ignore file changes the listings of all folders below it, or the marks in them.
    if (name !== null && /^\..*ignore$/.test(name)) {
      for (const each of this.#watched.keys()) this.#touched.set(each, true);
    } else if (!this.#touched.has(folder)) this.#touched.set(folder, false);
    this.#delay.touch();
  }

  async #check(): Promise<void> {
    const touched = [...this.#touched];
    this.#touched.clear();
    const changed: Path[] = [];
    for (const [folder, isForced] of touched) {
      // If a folder can no longer be listed, the page receives the error when it requests the listing.
      const names = namesOf(await this.#list(folder).catch(() => []));
      const known = this.#watched.get(folder);
      if (this.#isDisposed) return;
      if (known === undefined || (known.names === names && !isForced)) continue;
      known.names = names;
      changed.push(folder);
    }
    if (changed.length > 0) this.#report(changed);
  }
}

function namesOf(entries: readonly ListedEntry[]): string {
  return entries.map(({ name, kind }) => `${kind} ${name}`).join('\0');
}
