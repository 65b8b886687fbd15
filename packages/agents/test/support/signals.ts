/** Lets a test wait for a fact instead of for a time. The test's own timeout is the limit. */
export interface Signals {
  /** Something may have changed: the waiting checks are looked at again. */
  changed(): void;
  /** Resolves when `check` holds. */
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
