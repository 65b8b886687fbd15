import { type Clock, DisposableStore, type Event } from '@tandem/core';

/** Whether an event of this kind fires within so many milliseconds. It may fire before the promise is awaited. */
export function happensInTime<T>(
  clock: Clock,
  limitMs: number,
  event: Event<T>,
  isMeant: (fired: T) => boolean,
): Promise<boolean> {
  return new Promise((resolve) => {
    const waiting = new DisposableStore();
    const end = (hasHappened: boolean): void => {
      waiting.dispose();
      resolve(hasHappened);
    };
    waiting.add(clock.setTimeout(() => end(false), limitMs));
    waiting.add(event((fired) => void (isMeant(fired) && end(true))));
  });
}
