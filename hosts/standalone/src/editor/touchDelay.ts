import type { Disposable } from '@tandem/core';

/** Whoever writes a file in several steps, emptying it first, is mostly done by then. */
const quietMs = 40;
/** Of all time, this share at most goes into looking at one file that changes without end. */
const maxShare = 0.2;

/** Runs something soon after a touch, once for many touches, and never twice at a time. */
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
