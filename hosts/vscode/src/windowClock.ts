import { type Clock, toDisposable } from '@tandem/core';

/** The machine's own time. Apart from the companion's, which is not loaded when the window starts. */
export const windowClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return toDisposable(() => clearTimeout(timer));
  },
};
