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

/** Hears of a name in a folder that was touched; `null` where the system does not say which. */
type FolderListener = (name: string | null) => void;

interface WatchedFolder {
  readonly watcher: FSWatcher;
  readonly listeners: Set<FolderListener>;
}

/**
 * Tells when files may have changed. Each is watched by way of its folder, and all files of a folder share one
 * watcher: so a file is seen when it is written, replaced by a rename, deleted and made again, as git does. The folders
 * above it are watched as far as they lie in the workspace: moving one of them moves the file. (chokidar 5 hears no more
 * of a file that was deleted and made again when it watches more than one.)
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

  /** Calls `onTouched` whenever something may have happened to the file, which need not exist. */
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
        // After a folder came or went, those who listen again need a watcher of what is there now.
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

  /** The watchers of a folder that was moved, and of those in it, stay with what was moved. */
  #forgetBelow(moved: Path): void {
    for (const folder of this.#folders.keys()) if (isWithin(moved, folder)) this.#folders.delete(folder);
  }

  #close(folder: Path, watched: WatchedFolder): void {
    watched.watcher.close();
    if (this.#folders.get(folder) === watched) this.#folders.delete(folder);
  }

  /** Files are read again when they are looked at and saved, so that nothing is lost without the watcher. */
  #fail(folder: Path, error: unknown): void {
    this.#logger.warn('a folder cannot be watched: changes in it are seen late', {
      folder,
      error: describeError(error),
    });
  }
}

/** Whether the folder itself may have come or gone. Linux then names it as if it lay in itself. */
function concernsFolder(folder: Path, name: string | null): boolean {
  return name === null || name === basename(folder);
}

/**
 * The folders in which is seen what happens to a file: the nearest one above it that exists, and those above that up to
 * the root in which the file lies; each with the name in it that leads to the file.
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
