/** Lets a test wait for a condition instead of a time. */
export interface Signals {
  /** Evaluates the pending checks again, after something may have changed. */
  changed(): void;
  /** Resolves when `check` is true. The limit is the test's timeout. */
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
