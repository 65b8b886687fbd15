import { type Clock, toDisposable } from '@tandem/core';

/** Real time, for what must wait. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return toDisposable(() => clearTimeout(timer));
  },
};
