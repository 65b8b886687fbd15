import type { Disposable } from './disposable.js';

/** Where time comes from. Hosts inject the system's; tests inject one that they move by hand. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /**
   * Runs `callback` once, `delayMs` milliseconds from now, unless disposed before. A long delay counts no time in which
   * the process was stopped or the machine slept: somebody is judged by it.
   */
  setTimeout(callback: () => void, delayMs: number): Disposable;
}
