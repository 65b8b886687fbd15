import { type Clock, systemClock } from './clock.js';
import type { Disposable } from './disposable.js';

/** Calls a function soon after a touch: once for several touches, and never concurrently. */
export class TouchDelay implements Disposable {
  readonly #run: () => Promise<unknown>;
  readonly #quietMs: number;
  readonly #maxShare: number;
  readonly #clock: Clock;
  #timer: Disposable | undefined;
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
  constructor(
    run: () => Promise<unknown>,
    {
      quietMs = 40,
      maxShare = 0.2,
      clock = systemClock,
    }: { readonly quietMs?: number; readonly maxShare?: number; readonly clock?: Clock } = {},
  ) {
    this.#run = run;
    this.#quietMs = quietMs;
    this.#maxShare = maxShare;
    this.#clock = clock;
  }

  touch(): void {
    this.#isTouched = true;
    if (this.#isDisposed || this.#isRunning || this.#timer !== undefined) return;
    const delayMs = Math.max(this.#quietMs, this.#lastCostMs / this.#maxShare);
    this.#timer = this.#clock.setTimeout(() => void this.#go(), delayMs);
  }

  /** Resolves once the function has run for all touches before this call, or never will. */
  settled(): Promise<void> {
    if (this.#isDisposed || (this.#timer === undefined && !this.#isRunning)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
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

// What the runtime offers. Not of the clock: what a run costs does not depend on how a test moves its clock.
declare const performance: { now(): number };
