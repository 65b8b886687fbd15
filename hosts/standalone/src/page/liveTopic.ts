import { describeError, type Logger } from '@tandem/core';

/** So many milliseconds of changes are told together. */
const coalesceMs = 30;

/**
 * Something that pages are told again, whole, after it changed. It is read once for many changes, and never twice at a
 * time, so that no older state is told after a newer one. Whoever creates it disposes it.
 */
export class LiveTopic {
  readonly #read: () => Promise<string>;
  readonly #tell: (message: string) => void;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isStale = false;
  #isDisposed = false;
  /** Those who wait until everything so far was told. */
  readonly #waiting: (() => void)[] = [];

  constructor(of: {
    /** The event as it stands now, as JSON. */
    readonly read: () => Promise<string>;
    readonly tell: (message: string) => void;
    readonly logger: Logger;
  }) {
    this.#read = of.read;
    this.#tell = of.tell;
    this.#logger = of.logger;
  }

  /** Says that it may have changed. */
  touch(): void {
    if (this.#isDisposed) return;
    if (this.#isReading) this.#isStale = true;
    else this.#timer ??= setTimeout(() => void this.#refresh(), coalesceMs);
  }

  /** Resolves once everything that was touched before this call was told, or will never be. */
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
      if (!this.#isDisposed) this.#tell(message);
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
