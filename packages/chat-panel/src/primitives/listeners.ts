/** Listeners of an event. One that throws does not prevent the others from being called. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();

  /** Returns a function that removes the listener. */
  add(listener: (value: T) => void): () => void {
    // A function of its own, so that one listener added twice is two.
    const own = (value: T): void => listener(value);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  notify(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        reportError(error);
      }
    }
  }
}
