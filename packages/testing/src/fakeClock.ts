import { type Clock, type Disposable, toDisposable } from '@tandem/core';

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. Timers run inside `advance`, in the order they are due. */
export class FakeClock implements Clock {
  readonly #timers = new Set<Timer>();
  /** Milliseconds that have passed for timers. Setting the time of day does not change it, as on a real machine. */
  #elapsed = 0;
  #startedAt: number;

  /** @param now Unix time in milliseconds at which the clock starts. */
  constructor(now: number = Date.UTC(2026, 0, 1)) {
    this.#startedAt = now;
  }

  now(): number {
    return this.#startedAt + this.#elapsed;
  }

  setTimeout(callback: () => void, delayMs: number): Disposable {
    const timer: Timer = { dueAt: this.#elapsed + Math.max(0, delayMs), callback };
    this.#timers.add(timer);
    return toDisposable(() => this.#timers.delete(timer));
  }

  /** The number of pending timers. Zero at the end of a test means that none was left running. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Advances the time and runs due timers, including those that are set meanwhile. */
  advance(milliseconds: number): void {
    const until = this.#elapsed + milliseconds;
    for (let next = this.#nextDue(until); next !== undefined; next = this.#nextDue(until)) {
      this.#timers.delete(next);
      this.#elapsed = next.dueAt;
      next.callback();
    }
    this.#elapsed = until;
  }

  /** Sets the time of day forward or back, as a user or a time server does. Does not affect timers. */
  setTimeOfDay(now: number): void {
    this.#startedAt = now - this.#elapsed;
  }

  /** The next due timer. Of two that are due at the same time, the one that was set first. */
  #nextDue(until: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueAt <= until && (next === undefined || timer.dueAt < next.dueAt)) next = timer;
    }
    return next;
  }
}
