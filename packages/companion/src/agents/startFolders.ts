import {
  type Disposable,
  Emitter,
  type Event,
  isWithin,
  type Logger,
  logListenerError,
  type Path,
  toDisposable,
} from '@tandem/core';

/** More than a user has terminals. */
const maxFolders = 32;

/**
 * The folders inside the workspace in which agents are started, for as long as they may run. Some CLIs connect by
 * themselves only to a companion that names exactly their folder.
 */
export class StartFolders {
  readonly onDidChange: Event<void>;
  readonly #workspace: () => readonly Path[];
  readonly #didChange: Emitter<void>;
  /** How often each folder is in use. */
  readonly #uses = new Map<Path, number>();

  constructor(workspace: () => readonly Path[], logger: Logger) {
    this.#workspace = workspace;
    this.#didChange = new Emitter<void>(logListenerError(logger, 'the start folders'));
    this.onDidChange = this.#didChange.event;
  }

  /** Those that the workspace contains, and that are not workspace folders themselves. */
  get all(): readonly Path[] {
    const folders = this.#workspace();
    return [...this.#uses.keys()].filter(
      (each) => !folders.includes(each) && folders.some((folder) => isWithin(folder, each)),
    );
  }

  /** Adds a folder until the result is disposed. Beyond the limit, it does nothing. */
  add(folder: Path): Disposable {
    const uses = this.#uses.get(folder) ?? 0;
    if (uses === 0 && this.#uses.size >= maxFolders) return toDisposable(() => {});
    this.#uses.set(folder, uses + 1);
    if (uses === 0) this.#didChange.fire();
    return toDisposable(() => {
      const left = (this.#uses.get(folder) ?? 1) - 1;
      if (left > 0) this.#uses.set(folder, left);
      else if (this.#uses.delete(folder)) this.#didChange.fire();
    });
  }
}
