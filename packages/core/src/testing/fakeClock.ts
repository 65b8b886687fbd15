import type { Clock } from '../clock.js';
import { type Disposable, toDisposable } from '../disposable.js';

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. Timers run inside `advance`, in the order they are due. */
export class FakeClock implements Clock {
  readonly #timers = new Set<Timer>();
  /** Milliseconds that timers have seen pass. Setting the time of day does not touch it, as on a real machine. */
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

  /** How many timers wait. Zero at the end of a test says that nothing was left running. */
  get waitingTimers(): number {
    return this.#timers.size;
  }

  /** Lets time pass and runs what falls due, also what that sets up within the time. */
  advance(milliseconds: number): void {
    const until = this.#elapsed + milliseconds;
    for (let next = this.#nextDue(until); next !== undefined; next = this.#nextDue(until)) {
      this.#timers.delete(next);
      this.#elapsed = next.dueAt;
      next.callback();
    }
    this.#elapsed = until;
  }

  /** Sets the time of day, forth or back, as a person or a time server does. Timers do not notice. */
  setTimeOfDay(now: number): void {
    this.#startedAt = now - this.#elapsed;
  }

  /** Of two that are due at the same time, the one that was set first. */
  #nextDue(until: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueAt <= until && (next === undefined || timer.dueAt < next.dueAt)) next = timer;
    }
    return next;
  }
}
