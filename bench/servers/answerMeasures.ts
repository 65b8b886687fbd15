import { measureMemory } from './measureMemory.js';

/** Processor time of all threads of the process so far, in milliseconds. */
export interface ProcessorUse {
  readonly busyMs: number;
}

/**
 * Answers the questions `memory` and `processor` of the parent process over the IPC channel. It is also preloaded into
 * the installed command, which itself stays unchanged.
 */
export function answerMeasures(): void {
  process.on('message', (question) => {
    if (question === 'memory') void measureMemory().then((use) => process.send?.(use));
    if (question === 'processor') {
      const { user, system } = process.cpuUsage();
      process.send?.({ busyMs: (user + system) / 1000 } satisfies ProcessorUse);
    }
  });
  // Listening for questions does not keep the process alive.
  process.channel?.unref();
}
