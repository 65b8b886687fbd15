/** A wait is measured in so many parts: as much of it as one part at most is waited for twice after a pause. */
const parts = 4;
/** Between these, in milliseconds, lies what a part may be late without telling of a pause: as much as it lasts itself. */
const [leastLateMs, mostLateMs] = [100, 500];

/**
 * Runs `callback` once, after so much time in which this process ran. For every limit by which a peer is judged: while
 * the machine slept or the process was stopped, as by Ctrl+Z, nobody read what the peer sent. After such a pause all
 * timers are due at once, before the sockets are read; this one then waits on, and so they are read first. Does not keep
 * the process alive. Disposing it takes it back.
 */
export function awakeTimeout(callback: () => void, delayMs: number): { dispose(): void } {
  const partMs = delayMs / parts;
  const tolerated = Math.min(Math.max(partMs, leastLateMs), mostLateMs);
  let left = parts;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const since = performance.now();
    timer = setTimeout(() => {
      const isLate = performance.now() - since > partMs + tolerated;
      if (!isLate) left -= 1;
      if (left > 0) wait();
      else callback();
    }, partMs);
    timer.unref();
  };
  wait();
  return { dispose: () => clearTimeout(timer) };
}

/** Aborts after so much time in which this process ran. Whoever creates it disposes it once there is an answer. */
export function awakeLimit(delayMs: number): { readonly signal: AbortSignal; dispose(): void } {
  const limit = new AbortController();
  const timer = awakeTimeout(() => limit.abort(), delayMs);
  return { signal: limit.signal, dispose: () => timer.dispose() };
}
