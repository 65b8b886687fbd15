/** Describes a wait of `Changes.until`, so that a timeout explains itself. */
export interface WaitOptions {
  /** Milliseconds; every wait has a limit. */
  readonly timeout?: number;
  /** Completes "timed out waiting for …". */
  readonly what: string;
  /** Evidence appended to a timeout's message, computed only then. */
  readonly evidence?: () => string;
}

export const DEFAULT_TIMEOUT = 60_000;

interface Waiter {
  readonly examine: () => void;
  readonly fail: (reason: Error) => void;
}

/**
 * Lets tests wait for a state without polling: the owner of the state calls `notify()` after each change, and every
 * pending probe is evaluated again. `fail()` rejects current and future waits, for owners that can end.
 */
export class Changes {
  readonly #waiters = new Set<Waiter>();
  #failure: Error | undefined;

  notify(): void {
    for (const waiter of [...this.#waiters]) waiter.examine();
  }

  fail(reason: Error): void {
    this.#failure ??= reason;
    for (const waiter of [...this.#waiters]) waiter.fail(this.#failure);
  }

  /** Resolves with the probe's first result that is neither `undefined` nor `false`. */
  until<T>(probe: () => T | undefined | false, options: WaitOptions): Promise<T> {
    const limit = options.timeout ?? DEFAULT_TIMEOUT;
    return new Promise<T>((resolve, reject) => {
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        finish();
      };
      const fail = (reason: Error): void => {
        const evidence = options.evidence?.() ?? '';
        settle(() =>
          reject(new Error(`${reason.message} waiting for ${options.what}\n${evidence}`, { cause: reason })),
        );
      };
      const waiter: Waiter = {
        examine: () => {
          try {
            const found = probe();
            if (found !== undefined && found !== false) settle(() => resolve(found));
          } catch (error) {
            settle(() => reject(error));
          }
        },
        fail,
      };
      const timer = setTimeout(() => fail(new Error(`timed out after ${limit} ms`)), limit);
      this.#waiters.add(waiter);
      waiter.examine();
      if (this.#failure !== undefined && this.#waiters.has(waiter)) fail(this.#failure);
    });
  }
}
