import { type Disposable, toDisposable } from './disposable.js';

/** Subscribes a listener; disposing what it returns unsubscribes. */
export type Event<T> = (listener: (event: T) => void) => Disposable;

/**
 * The sending side of an `Event`. Listeners run in order of subscription. When one throws, the others still run; the
 * error goes to `onListenerError`, which the owner connects to its log.
 *
 * All listeners receive all events in the same order: an event that a listener fires is queued until all listeners have
 * received the current one.
 */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<{ readonly receive: (event: T) => void }>();
  readonly #onListenerError: (error: unknown) => void;
  readonly #queue: T[] = [];
  #isFiring = false;
  #isDisposed = false;

  constructor(onListenerError: (error: unknown) => void) {
    this.#onListenerError = onListenerError;
  }

  readonly event: Event<T> = (listener) => {
    if (this.#isDisposed) return toDisposable(() => {});
    const entry = { receive: listener };
    this.#listeners.add(entry);
    return toDisposable(() => this.#listeners.delete(entry));
  };

  fire(event: T): void {
    if (this.#isDisposed) return;
    this.#queue.push(event);
    if (this.#isFiring) return;
    this.#isFiring = true;
    try {
      // Includes events that are queued meanwhile.
      for (const next of this.#queue) this.#deliver(next);
    } finally {
      this.#queue.length = 0;
      this.#isFiring = false;
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#listeners.clear();
    this.#queue.length = 0;
  }

  #deliver(event: T): void {
    for (const entry of [...this.#listeners]) {
      if (!this.#listeners.has(entry)) continue;
      try {
        entry.receive(event);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }
}
