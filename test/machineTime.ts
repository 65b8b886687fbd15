import { setTimeout } from 'node:timers/promises';

/** Milliseconds of CPU that an action takes: other programs on the machine do not count. */
export function cpuTimeOf(action: () => unknown): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Whether something ends within that many milliseconds, in steps of 20: a process that gets no CPU for a second is late by one
 * step.
 */
export async function endsWithin(milliseconds: number, action: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const late = (async () => {
    for (let left = milliseconds; left > 0; left -= 20)
      await setTimeout(20, undefined, { signal: over.signal });
    return false;
  })();
  late.catch(() => {});
  try {
    return await Promise.race([action.then(() => true), late]);
  } finally {
    over.abort();
  }
}
