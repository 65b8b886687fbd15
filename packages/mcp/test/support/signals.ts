/** Lets a test wait for a fact instead of for a time. */
export interface Signals {
  /** Something may have changed: the waiting checks are looked at again. */
  changed(): void;
  /** Resolves when `check` holds. The test's own timeout is the limit. */
  until(check: () => boolean): Promise<void>;
}

export function createSignals(): Signals {
  let waiting: { check: () => boolean; resolve: () => void }[] = [];
  return {
    changed() {
      const held = waiting.filter(({ check }) => check());
      waiting = waiting.filter((entry) => !held.includes(entry));
      for (const { resolve } of held) resolve();
    },
    until: (check) =>
      check() ? Promise.resolve() : new Promise((resolve) => waiting.push({ check, resolve })),
  };
}
