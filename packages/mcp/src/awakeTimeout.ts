/** A wait consists of this many parts; after a pause, at most one part is repeated. */
const parts = 4;
/** Bounds, in milliseconds, of the delay that does not count as a pause; between them it is the duration of a part. */
const [leastLateMs, mostLateMs] = [100, 500];

/**
 * Calls `callback` once this process has run for `delayMs`. For time limits on a peer: while the machine sleeps or the
 * process is stopped (Ctrl+Z), messages of the peer are not read. After a pause all timers are due before sockets are read;
 * this one then waits longer, so that sockets are read first. Does not keep the process alive. Disposing cancels it.
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

/** A signal that aborts once this process has run for `delayMs`. The caller disposes it after the answer. */
export function awakeLimit(delayMs: number): { readonly signal: AbortSignal; dispose(): void } {
  const limit = new AbortController();
  const timer = awakeTimeout(() => limit.abort(), delayMs);
  return { signal: limit.signal, dispose: () => timer.dispose() };
}
