import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  type Disposable,
  DisposableStore,
  describeError,
  isWithin,
  type Logger,
  type Path,
  toDisposable,
} from '@tandem/core';

/** Receives the name of a changed file in a folder; `null` if the system does not report it. */
type FolderListener = (name: string | null) => void;

interface WatchedFolder {
  readonly watcher: FSWatcher;
  readonly listeners: Set<FolderListener>;
}

/**
 * Reports files that may have changed. Watches their folders, one watcher per folder: so a file can be replaced by a rename, or
 * deleted and created again, as git does. Also watches the folders above, within the workspace, because moving one moves the
 * file. (chokidar 5 loses a file that is deleted and created again if it watches more than one.)
 */
export class FileWatches implements Disposable {
  readonly #logger: Logger;
  readonly #roots: readonly Path[];
  readonly #folders = new Map<Path, WatchedFolder>();

  /** `roots`: the folders of the workspace. */
  constructor(logger: Logger, roots: readonly Path[]) {
    this.#logger = logger;
    this.#roots = roots;
  }

  /** Calls `onTouched` whenever the file, which need not exist, may have changed. */
  watch(path: Path, onTouched: () => void): Disposable {
    let attached = new DisposableStore();
    let isDisposed = false;
    const attach = (): void => {
      attached.dispose();
      if (isDisposed) return;
      attached = new DisposableStore();
      for (const { folder, below } of foldersAbove(path, this.#roots)) {
        const isFile = join(folder, below) === path;
        const onEvent: FolderListener = (name) => {
          const isMoved = concernsFolder(folder, name) || (!isFile && name === below);
          if (isMoved) attach();
          if (isMoved || name === below) onTouched();
        };
        attached.add(this.#listen(folder, onEvent));
      }
    };
    attach();
    return toDisposable(() => {
      isDisposed = true;
      attached.dispose();
    });
  }

  dispose(): void {
    for (const { watcher } of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #listen(folder: Path, listener: FolderListener): Disposable {
    const watched = this.#folders.get(folder) ?? this.#open(folder);
    watched?.listeners.add(listener);
    return toDisposable(() => {
      watched?.listeners.delete(listener);
      if (watched?.listeners.size === 0) this.#close(folder, watched);
    });
  }

  #open(folder: Path): WatchedFolder | undefined {
    const listeners = new Set<FolderListener>();
    try {
      const watcher = watch(folder, { persistent: false }, (kind, name) => {
        // A folder that was created again needs a new watcher.
        if (concernsFolder(folder, name)) this.#folders.delete(folder);
        else if (kind === 'rename' && name !== null) this.#forgetBelow(join(folder, name));
        for (const listener of [...listeners]) listener(name);
      });
      const watched = { watcher, listeners };
      watcher.on('error', (error) => {
        this.#close(folder, watched);
        this.#fail(folder, error);
      });
      this.#folders.set(folder, watched);
      return watched;
    } catch (error) {
      this.#fail(folder, error);
      return undefined;
    }
  }

  /** The watchers of a moved folder, and of folders in it, follow the move. */
  #forgetBelow(moved: Path): void {
    for (const folder of this.#folders.keys()) if (isWithin(moved, folder)) this.#folders.delete(folder);
  }

  #close(folder: Path, watched: WatchedFolder): void {
    watched.watcher.close();
    if (this.#folders.get(folder) === watched) this.#folders.delete(folder);
  }

  /** Nothing is lost without a watcher: files are read again when they are shown and saved. */
  #fail(folder: Path, error: unknown): void {
    this.#logger.warn('a folder cannot be watched, so its changes are detected late', {
      folder,
      error: describeError(error),
    });
  }
}

/** Whether the folder itself may have been created or deleted. Linux then reports its own name. */
function concernsFolder(folder: Path, name: string | null): boolean {
  return name === null || name === basename(folder);
}

/**
 * The folders to watch for a file: the nearest existing one above it, and those above up to its root; each with the name in it
 * that leads to the file.
 */
function foldersAbove(
  path: Path,
  roots: readonly Path[],
): { readonly folder: Path; readonly below: string }[] {
  const root = roots.find((each) => isWithin(each, path));
  const found: { folder: Path; below: string }[] = [];
  for (let below = path; dirname(below) !== below; below = dirname(below)) {
    const folder = dirname(below);
    if (found.length === 0 && !existsSync(folder)) continue;
    if (found.length > 0 && (root === undefined || !isWithin(root, folder))) break;
    found.push({ folder, below: basename(below) });
  }
  return found;
}
