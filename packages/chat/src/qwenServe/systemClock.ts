import { type Clock, toDisposable } from '@tandem/core';

/** The machine's own time. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return toDisposable(() => clearTimeout(timer));
  },
};
