import { type Clock, toDisposable } from '@tandem/core';

/** The time of the machine. The companion has one too, which is not loaded when the window starts. */
export const windowClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return toDisposable(() => clearTimeout(timer));
  },
};
