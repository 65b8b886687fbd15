import { type Disposable, toDisposable } from './disposable.js';

/** The source of time: `systemClock`, or a clock that a test controls. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /**
   * Runs `callback` once, after `delayMs` milliseconds, unless disposed before. A delay of two seconds or more is a time limit
   * for a peer: it counts no time in which the process was stopped or the machine slept.
   */
  setTimeout(callback: () => void, delayMs: number): Disposable;
}

/** A delay of at least this length is a time limit for a peer; a shorter one only debounces. */
const leastLimitMs = 2_000;

/** The time of the machine. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs) {
    if (delayMs >= leastLimitMs) return awakeTimeout(callback, delayMs);
    const timer = unrefTimeout(callback, delayMs);
    return toDisposable(() => clearTimeout(timer));
  },
};

/** A delay consists of this many parts; after a pause, at most one part is repeated. */
const parts = 4;
/** How late, in milliseconds, a part may end before that counts as a pause: by its own duration, within these bounds. */
const [leastLateMs, mostLateMs] = [100, 500];

/**
 * Calls `callback` once this process has run for `delayMs`. For time limits on a peer: while the machine sleeps or the
 * process is stopped (Ctrl+Z), messages of the peer are not read. After a pause all timers are due before sockets are read;
 * this one then waits longer, so that sockets are read first. Does not keep the process alive. Disposing cancels it.
 */
export function awakeTimeout(callback: () => void, delayMs: number): Disposable {
  const partMs = delayMs / parts;
  const tolerated = Math.min(Math.max(partMs, leastLateMs), mostLateMs);
  let left = parts;
  let timer: Timer;
  const startPart = (): void => {
    const since = performance.now();
    timer = unrefTimeout(() => {
      const isLate = performance.now() - since > partMs + tolerated;
      if (!isLate) left -= 1;
      if (left > 0) startPart();
      else callback();
    }, partMs);
  };
  startPart();
  return { dispose: () => clearTimeout(timer) };
}

function unrefTimeout(callback: () => void, delayMs: number): Timer {
  const timer = setTimeout(callback, delayMs);
  timer.unref();
  return timer;
}

// What the runtime offers: this package is compiled without the types of Node.js.
interface Timer {
  unref(): void;
}
declare function setTimeout(callback: () => void, delayMs: number): Timer;
declare function clearTimeout(timer: Timer): void;
declare const performance: { now(): number };
