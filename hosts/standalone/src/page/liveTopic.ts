import { describeError, type Logger } from '@tandem/core';

/** Changes within this many milliseconds are sent together. */
const coalesceMs = 30;

/**
 * A state that is sent to pages as a whole after it changed. Several changes cause one read. Reads are never
 * concurrent, so that an older state is never sent after a newer one. The creator disposes it.
 */
export class LiveTopic {
  readonly #read: () => Promise<string>;
  readonly #send: (message: string) => void;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isStale = false;
  #isDisposed = false;
  /** Resolvers of the promises that `told` returned. */
  readonly #waiting: (() => void)[] = [];

  constructor(of: {
    /** The current event, as JSON. */
    readonly read: () => Promise<string>;
    readonly tell: (message: string) => void;
    readonly logger: Logger;
  }) {
    this.#read = of.read;
    this.#send = of.tell;
    this.#logger = of.logger;
  }

  /** Marks it as possibly changed. */
  touch(): void {
    if (this.#isDisposed) return;
    if (this.#isReading) this.#isStale = true;
    else this.#timer ??= setTimeout(() => void this.#refresh(), coalesceMs);
  }

  /** Resolves once all changes before this call have been sent, or never will be. */
  told(): Promise<void> {
    if (this.#timer === undefined && !this.#isReading) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #refresh(): Promise<void> {
    this.#timer = undefined;
    this.#isReading = true;
    try {
      const message = await this.#read();
      if (!this.#isDisposed) this.#send(message);
    } catch (error) {
      this.#logger.error('the open pages could not be told what changed', { error: describeError(error) });
    } finally {
      this.#isReading = false;
    }
    if (this.#isStale) {
      this.#isStale = false;
      this.touch();
    } else {
      for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }
}
