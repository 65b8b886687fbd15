import type { Disposable } from '@tandem/core';

/** Calls a function soon after a touch: once for several touches, and never concurrently. */
export class TouchDelay implements Disposable {
  readonly #run: () => Promise<void>;
  readonly #quietMs: number;
  readonly #maxShare: number;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isTouched = false;
  #lastCostMs = 0;
  #isDisposed = false;
  /** Resolvers of the promises that `settled` returned. */
  readonly #waiting: (() => void)[] = [];

  /**
   * `run` does not reject. `quietMs`: by default, writing a file in several steps usually takes less. `maxShare`: the largest
   * share of time for a function that is touched continuously.
   */
  constructor(run: () => Promise<void>, { quietMs = 40, maxShare = 0.2 } = {}) {
    this.#run = run;
    this.#quietMs = quietMs;
    this.#maxShare = maxShare;
  }

  touch(): void {
    this.#isTouched = true;
    if (this.#isDisposed || this.#isRunning || this.#timer !== undefined) return;
    const delayMs = Math.max(this.#quietMs, this.#lastCostMs / this.#maxShare);
    this.#timer = setTimeout(() => void this.#go(), delayMs);
  }

  /** Resolves once the function has run for all touches before this call, or never will. */
  settled(): Promise<void> {
    if (this.#isDisposed || (this.#timer === undefined && !this.#isRunning)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    this.#release();
  }

  async #go(): Promise<void> {
    this.#timer = undefined;
    this.#isRunning = true;
    this.#isTouched = false;
    const startedAt = performance.now();
    await this.#run();
    this.#lastCostMs = performance.now() - startedAt;
    this.#isRunning = false;
    if (this.#isTouched) this.touch();
    else this.#release();
  }

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
