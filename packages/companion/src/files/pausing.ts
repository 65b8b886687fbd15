import type { Pause } from '@tandem/reviews';

/** For long work in short steps: how long it may take before other work has its turn. */
const shareMs = 10;

/** The pauses of one task: other work has its turn whenever the task has taken 10 ms. */
export function pausing(): Pause {
  let startedAt = performance.now();
  return () => {
    if (performance.now() - startedAt < shareMs) return undefined;
    return nextTurn().then(() => {
      startedAt = performance.now();
    });
  };
}

/** Does something to each item, one after the other. Other work has its turn between two items, and in their own pauses. */
export async function forEachWithPauses<T>(
  items: Iterable<T>,
  run: (item: T, pause: Pause) => Promise<void> | undefined,
): Promise<void> {
  const pause = pausing();
  for (const item of items) {
    await run(item, pause);
    await pause();
  }
}

let last: Promise<void> = Promise.resolve();

/**
 * Resolves after other work that is due has had its turn. Of many callers, one continues in each turn of the event
 * loop, so that together they take no more of it than one.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return last;
}
