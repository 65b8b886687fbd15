import { measureMemory } from './measureMemory.js';

/** Processor time of all threads of the process so far, in milliseconds. */
export interface ProcessorUse {
  readonly busyMs: number;
}

/** The most processor time of the process between two turns of a timer, since the question before. */
export interface LongestTask {
  readonly ms: number;
}

/**
 * Answers the questions `memory`, `processor` and `task` of the parent process over the IPC channel. It is also preloaded into
 * the installed command, which itself stays unchanged.
 */
export function answerMeasures(): void {
  let isWatching = false;
  let [longestMs, before] = [0, busyMs()];
  const look = (): void => {
    const now = busyMs();
    [longestMs, before] = [Math.max(longestMs, now - before), now];
  };
  process.on('message', (question) => {
    if (question === 'task') {
      // From the first question on, because it costs processor time itself.
      if (!isWatching) {
        before = busyMs();
        setInterval(look, 1).unref();
      }
      isWatching = true;
      process.send?.({ ms: longestMs } satisfies LongestTask);
      longestMs = 0;
    }
    if (question === 'memory') void measureMemory().then((use) => process.send?.(use));
    if (question === 'processor') {
      process.send?.({ busyMs: busyMs() } satisfies ProcessorUse);
    }
  });
  // Listening for questions does not keep the process alive.
  process.channel?.unref();
}

function busyMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
