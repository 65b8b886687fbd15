import type { Companion } from '@tandem/companion';
import { type Disposable, DisposableStore, type Logger, type Path, TouchDelay } from '@tandem/core';
import { FileWatches } from '../editor/fileWatches.js';

/** Reports that the changes of sessions are others: in the history, or in a file that a page lists. The creator disposes it. */
export class ChangeWatch implements Disposable {
  /** Greater after each change. */
  revision = 0;

  readonly #owned = new DisposableStore();
  readonly #watches: FileWatches;
  readonly #watched = new Map<Path, Disposable>();
  readonly #delay: TouchDelay;

  constructor(of: {
    readonly companion: Companion;
    readonly onDidChange: () => void;
    readonly logger: Logger;
  }) {
    const { companion, onDidChange, logger } = of;
    this.#delay = this.#owned.add(
      new TouchDelay(async () => {
        this.revision += 1;
        onDidChange();
      }),
    );
    this.#watches = this.#owned.add(new FileWatches(logger, companion.editor.workspace.folders()));
    this.#owned.add(companion.history.onDidChange(() => this.#delay.touch()));
  }

  /** A page lists these files, instead of those before. Call it before they are read. */
  follow(paths: ReadonlySet<Path>): void {
    for (const [path, watched] of this.#watched) {
      if (paths.has(path)) continue;
      watched.dispose();
      this.#watched.delete(path);
    }
    for (const path of paths) {
      if (this.#watched.has(path)) continue;
      this.#watched.set(
        path,
        this.#watches.watch(path, () => this.#delay.touch()),
      );
    }
  }

  dispose(): void {
    this.follow(new Set());
    this.#owned.dispose();
  }
}
