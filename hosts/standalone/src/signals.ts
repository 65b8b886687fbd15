import { constants } from 'node:os';

/** The signals by which a terminal, a person or a system asks a process to end. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `end` at each such signal with the exit code that belongs to it. Disposing stops listening. */
export function onEndingSignal(end: (code: number) => void): { dispose(): void } {
  const listener = (signal: NodeJS.Signals): void => end(codeOfSignal(signal));
  for (const signal of endingSignals) process.on(signal, listener);
  return {
    dispose: () => {
      for (const signal of endingSignals) process.off(signal, listener);
    },
  };
}

/** The code by which shells tell that a process ended on a signal: 128 and the signal's number. */
export function codeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
