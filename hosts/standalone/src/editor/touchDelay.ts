import type { Disposable } from '@tandem/core';

/** Writing a file in several steps usually takes less. In milliseconds. */
const quietMs = 40;
/** The largest share of time for reading one file that changes continuously. */
const maxShare = 0.2;

/** Calls a function soon after a touch: once for several touches, and never concurrently. */
export class TouchDelay implements Disposable {
  readonly #run: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isTouched = false;
  #lastCostMs = 0;
  #isDisposed = false;

  /** `run` does not reject. */
  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  touch(): void {
    this.#isTouched = true;
    if (this.#isDisposed || this.#isRunning || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#go(), Math.max(quietMs, this.#lastCostMs / maxShare));
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
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
  }
}
