import { type FSWatcher, watch } from 'node:fs';
import type { Disposable, Path } from '@tandem/core';
import type { ListedEntry } from './workspaceTree.js';

/** So many folders are watched; those that were listed longest ago are let go. */
const maxWatchedFolders = 200;
/** So many milliseconds of changes are looked at together: an installation makes thousands. */
const coalesceMs = 250;

interface WatchedFolder {
  readonly watcher: FSWatcher;
  /** The names that were listed last. */
  names: string;
}

/**
 * Watches the folders that a page has listed, and tells when names came or went in them. One watch for a folder, by
 * Node's own means: chokidar also watches every file of a folder, and stats it first, to tell of what it holds, which is
 * much for a folder of thousands. What the listing leaves out tells nothing.
 */
export class FolderWatch implements Disposable {
  readonly #list: (folder: Path) => Promise<readonly ListedEntry[]>;
  readonly #tell: (folders: readonly Path[]) => void;
  /** The one that was listed last comes last. */
  readonly #watched = new Map<Path, WatchedFolder>();
  /** Where something happened, and whether it is told even if the names are the same. */
  readonly #stirred = new Map<Path, boolean>();
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(of: {
    readonly list: (folder: Path) => Promise<readonly ListedEntry[]>;
    readonly tell: (folders: readonly Path[]) => void;
  }) {
    this.#list = of.list;
    this.#tell = of.tell;
  }

  /** A page was shown these entries of a folder and wants to know when there are others. */
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
    clearTimeout(this.#timer);
    for (const folder of [...this.#watched.keys()]) this.#unwatch(folder);
  }

  /** Undefined where the system has no watch left: the tree is then brought up to date by hand. */
  #watch(folder: Path): FSWatcher | undefined {
    try {
      const watcher = watch(folder, { persistent: false }, (_kind, name) => this.#stir(folder, name));
      // The folder is gone; its own folder tells of it.
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

  #stir(folder: Path, name: string | null): void {
    if (this.#isDisposed) return;
    // Another ignore file makes other listings of everything below it, or other marks in them.
    if (name !== null && /^\..*ignore$/.test(name)) {
      for (const each of this.#watched.keys()) this.#stirred.set(each, true);
    } else if (!this.#stirred.has(folder)) this.#stirred.set(folder, false);
    this.#timer ??= setTimeout(() => void this.#look(), coalesceMs);
  }

  async #look(): Promise<void> {
    const stirred = [...this.#stirred];
    this.#stirred.clear();
    const changed: Path[] = [];
    for (const [folder, isTold] of stirred) {
      // One that cannot be listed any more shows so when the page asks.
      const names = namesOf(await this.#list(folder).catch(() => []));
      const known = this.#watched.get(folder);
      if (this.#isDisposed) return;
      if (known === undefined || (known.names === names && !isTold)) continue;
      known.names = names;
      changed.push(folder);
    }
    this.#timer = undefined;
    if (changed.length > 0) this.#tell(changed);
    if (this.#stirred.size > 0) this.#timer = setTimeout(() => void this.#look(), coalesceMs);
  }
}

function namesOf(entries: readonly ListedEntry[]): string {
  return entries.map(({ name, kind }) => `${kind} ${name}`).join('\0');
}
