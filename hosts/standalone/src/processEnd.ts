import { constants } from 'node:os';
import type { Companion } from '@tandem/companion';
import { isDiskFree } from '@tandem/companion/files';
import { awakeTimeout, type Disposable, describeError } from '@tandem/core';
import { exitCode } from './exitCode.js';
import { printError } from './output.js';

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How long an end in order may take after a signal, in milliseconds. What the user typed is in the journal long before. */
const endLimitMs = 10_000;

/**
 * Calls `end` with the exit code on each signal that asks this process to end. The process ends in any case if something
 * keeps it from ending in order. Disposing stops listening.
 */
export function onEndingSignal(end: (code: number) => void): Disposable {
  let limit: Disposable | undefined;
  const listener = (signal: NodeJS.Signals): void => {
    const code = codeOfSignal(signal);
    limit ??= awakeTimeout(() => {
      printError(`tandem: it could not end in order within ${endLimitMs / 1000} s, and ends now`);
      void endDespiteDisk().finally(() => process.exit(code));
    }, endLimitMs);
    end(code);
  };
  for (const signal of endingSignals) process.on(signal, listener);
  return {
    dispose: () => {
      limit?.dispose();
      for (const signal of endingSignals) process.off(signal, listener);
    },
  };
}

/** The exit code of a process that a signal ended, as shells report it. */
export function codeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** How long a running read may take, in milliseconds. */
const waitMs = 500;

/**
 * Ends this process even if a disk does not answer: Node waits for its threads, also in `process.exit`, and only a signal
 * ends a thread that is blocked in a read.
 */
export async function endDespiteDisk(): Promise<void> {
  if (!(await isDiskFree(waitMs))) process.kill(process.pid, 'SIGKILL');
}

/** Removes the discovery files at any end of the process. */
export function releaseAtAnyEnd(companion: Companion): { dispose(): void } {
  const release = (): void => companion.releaseSync();
  const fail = (error: unknown): void => {
    release();
    printError(`tandem: ${describeError(error)}`);
    if (process.env.TANDEM_DEBUG !== undefined && error instanceof Error) printError(error.stack ?? '');
    process.exit(exitCode.failed);
  };
  process.on('exit', release).on('uncaughtException', fail);
  return { dispose: () => void process.off('exit', release).off('uncaughtException', fail) };
}
