import { type Disposable, toDisposable } from './disposable.js';

/** Subscribes a listener; disposing what it returns unsubscribes. */
export type Event<T> = (listener: (event: T) => void) => Disposable;

/**
 * The sending side of an `Event`. Listeners run in order of subscription. One that throws does not keep the
 * others from hearing; its error goes to `onListenerError`, which the owner points at its log.
 *
 * All listeners hear all events in the same order: one that is fired by a listener waits until the present one has
 * been heard by everybody.
 */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<{ readonly hear: (event: T) => void }>();
  readonly #onListenerError: (error: unknown) => void;
  readonly #waiting: T[] = [];
  #isFiring = false;
  #isDisposed = false;

  constructor(onListenerError: (error: unknown) => void) {
    this.#onListenerError = onListenerError;
  }

  readonly event: Event<T> = (listener) => {
    if (this.#isDisposed) return toDisposable(() => {});
    const entry = { hear: listener };
    this.#listeners.add(entry);
    return toDisposable(() => this.#listeners.delete(entry));
  };

  fire(event: T): void {
    if (this.#isDisposed) return;
    this.#waiting.push(event);
    if (this.#isFiring) return;
    this.#isFiring = true;
    try {
      // Also those that are added meanwhile.
      for (const next of this.#waiting) this.#tell(next);
    } finally {
      this.#waiting.length = 0;
      this.#isFiring = false;
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#listeners.clear();
    this.#waiting.length = 0;
  }

  #tell(event: T): void {
    for (const entry of [...this.#listeners]) {
      if (!this.#listeners.has(entry)) continue;
      try {
        entry.hear(event);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }
}
