import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Disposable, describeError, type Logger, type Path, toDisposable } from '@tandem/core';

/** Hears of a name in a folder that was touched; `null` where the system does not say which. */
type FolderListener = (name: string | null) => void;

interface WatchedFolder {
  readonly watcher: FSWatcher;
  readonly listeners: Set<FolderListener>;
}

/**
 * Tells when files may have changed. Each is watched by way of its folder, and all files of a folder share one
 * watcher: so a file is seen when it is written, replaced by a rename, deleted and made again, as git does. (chokidar
 * 5 hears no more of a file that was deleted and made again when it watches more than one.)
 */
export class FileWatches implements Disposable {
  readonly #logger: Logger;
  readonly #folders = new Map<Path, WatchedFolder>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Calls `onTouched` whenever something may have happened to the file, which need not exist. */
  watch(path: Path, onTouched: () => void): Disposable {
    let attached: Disposable | undefined;
    let isDisposed = false;
    const attach = (): void => {
      attached?.dispose();
      if (isDisposed) return;
      const { folder, below } = nearestFolder(path);
      const isOwn = folder === dirname(path);
      attached = this.#listen(folder, (name) => {
        const isMoved = concernsFolder(folder, name) || (!isOwn && name === below);
        if (isMoved) attach();
        if (isMoved || name === below) onTouched();
      });
    };
    attach();
    return toDisposable(() => {
      isDisposed = true;
      attached?.dispose();
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
      const watcher = watch(folder, { persistent: false }, (_kind, name) => {
        // After the folder itself came or went, whoever listens again needs a watcher of what is there now.
        if (concernsFolder(folder, name)) this.#folders.delete(folder);
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

/** The folder of a file, or the nearest one above it that exists, and what lies in it on the way to the file. */
function nearestFolder(path: Path): { readonly folder: Path; readonly below: string } {
  let below = path;
  let folder = dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) {
    below = folder;
    folder = dirname(folder);
  }
  return { folder, below: basename(below) };
}
