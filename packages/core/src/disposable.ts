/** Something that holds a resource. `dispose()` is idempotent and never throws. The creator disposes it. */
export interface Disposable {
  dispose(): void;
}

/** Makes a `Disposable` of a function, which runs at most once. */
export function toDisposable(release: () => void): Disposable {
  let isDisposed = false;
  return {
    dispose() {
      if (isDisposed) return;
      isDisposed = true;
      release();
    },
  };
}

/**
 * Owns several disposables and disposes them in reverse order. Adding to a store that is already disposed
 * disposes at once, so that a resource acquired after an `await` cannot leak. If one violates the contract and
 * throws, the others are still disposed; the first error is thrown after that.
 */
export class DisposableStore implements Disposable {
  readonly #owned = new Set<Disposable>();
  #isDisposed = false;

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** Takes ownership and returns the same object. */
  add<T extends Disposable>(disposable: T): T {
    if (this.#isDisposed) disposable.dispose();
    else this.#owned.add(disposable);
    return disposable;
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    const owned = [...this.#owned].reverse();
    this.#owned.clear();
    const errors: unknown[] = [];
    for (const disposable of owned) {
      try {
        disposable.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
