import { measureMemory } from './measureMemory.js';

/** Processor time of the process so far, in milliseconds, all threads together. */
export interface ProcessorUse {
  readonly busyMs: number;
}

/**
 * Answers the questions `memory` and `processor` that the parent process asks over the IPC channel. Also preloaded into
 * the installed command, which then runs as it is.
 */
export function answerMeasures(): void {
  process.on('message', (question) => {
    if (question === 'memory') void measureMemory().then((use) => process.send?.(use));
    if (question === 'processor') {
      const { user, system } = process.cpuUsage();
      process.send?.({ busyMs: (user + system) / 1000 } satisfies ProcessorUse);
    }
  });
  // The questions alone keep no process alive.
  process.channel?.unref();
}
