/** Work in short steps: what takes long with large texts yields between them. */
export type Steps<T> = Generator<undefined, T>;

/** Does all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Does the steps, with a pause where `pause` returns one. The time that a step takes depends on the machine, so the caller
 * decides when others have waited long enough.
 */
export async function finishWithPauses<T>(steps: Steps<T>, pause: Pause): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const paused = pause();
    if (paused !== undefined) await paused;
  }
}

/** Called between two steps: a promise if other work is to have its turn. */
export type Pause = () => Promise<void> | undefined;

/** Does one after the other what returns a promise if it takes a pause. Undefined if none did. */
export function inOrder(tasks: readonly (() => Promise<void> | undefined)[]): Promise<void> | undefined {
  for (const [at, task] of tasks.entries()) {
    const paused = task();
    if (paused !== undefined) return paused.then(() => inOrder(tasks.slice(at + 1)));
  }
  return undefined;
}
