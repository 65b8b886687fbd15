import { monitorEventLoopDelay } from 'node:perf_hooks';
import { measureMemory } from './measureMemory.js';

/** Processor time of all threads of the process so far, in milliseconds. */
export interface ProcessorUse {
  readonly busyMs: number;
}

/** The longest delay of the event loop since the question before. */
export interface LongestTask {
  readonly ms: number;
}

/**
 * Answers the questions `memory`, `processor` and `task` of the parent process over the IPC channel. It is also preloaded into
 * the installed command, which itself stays unchanged.
 */
export function answerMeasures(): void {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  process.on('message', (question) => {
    if (question === 'task') {
      // Started by the first question: it costs processor time.
      delay.enable();
      process.send?.({ ms: delay.max / 1e6 } satisfies LongestTask);
      delay.reset();
    }
    if (question === 'memory') void measureMemory().then((use) => process.send?.(use));
    if (question === 'processor') {
      const { user, system } = process.cpuUsage();
      process.send?.({ busyMs: (user + system) / 1000 } satisfies ProcessorUse);
    }
  });
  // Listening for questions does not keep the process alive.
  process.channel?.unref();
}
