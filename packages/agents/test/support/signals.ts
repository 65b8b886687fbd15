/** Lets a test wait for a condition instead of a time. The limit is the test's timeout. */
export interface Signals {
  /** Evaluates the pending checks again, after something may have changed. */
  changed(): void;
  /** Resolves when `check` is true. */
  until(check: () => boolean): Promise<void>;
}

export function createSignals(): Signals {
  const waiting = new Set<{ readonly check: () => boolean; readonly resolve: () => void }>();
  return {
    changed() {
      for (const entry of [...waiting]) {
        if (!entry.check()) continue;
        waiting.delete(entry);
        entry.resolve();
      }
    },
    until: (check) =>
      check() ? Promise.resolve() : new Promise((resolve) => waiting.add({ check, resolve })),
  };
}
