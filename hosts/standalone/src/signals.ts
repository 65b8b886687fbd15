/** The signals by which a terminal, a person or a system asks a process to end. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Numbers by which shells tell a process that ended on a signal: 128 and the signal's own. */
const signalNumbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

/** Calls `end` at the first such signal with the exit code that belongs to it. Disposing stops listening. */
export function onEndingSignal(end: (code: number) => void): { dispose(): void } {
  const listener = (signal: NodeJS.Signals): void => {
    if (isEnding(signal)) end(128 + signalNumbers[signal]);
  };
  for (const signal of endingSignals) process.on(signal, listener);
  return { dispose: () => endingSignals.forEach((signal) => process.off(signal, listener)) };
}

/** A signal for `AbortSignal` takers that fires when the process is asked to end. */
export function abortOnSignals(): { readonly signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const listening = onEndingSignal(() => controller.abort());
  return { signal: controller.signal, dispose: () => listening.dispose() };
}

function isEnding(signal: NodeJS.Signals): signal is (typeof endingSignals)[number] {
  return endingSignals.some((each) => each === signal);
}
