import type { Clock } from '@tandem/core';
import { toDisposable } from '@tandem/core';
import { awakeTimeout } from '@tandem/mcp';

/** Who waits this long, in milliseconds, judges somebody by it; what is shorter only lets changes gather. */
const judgesFromMs = 2_000;

/** The machine's own time. Its timers do not keep the process alive, and the long ones count no pause of it. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs) {
    if (delayMs >= judgesFromMs) return awakeTimeout(callback, delayMs);
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return toDisposable(() => clearTimeout(timer));
  },
};
