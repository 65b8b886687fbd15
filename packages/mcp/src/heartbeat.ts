import type { Server } from '@modelcontextprotocol/server';
import { awakeTimeout } from '@tandem/core';
import { awakeLimit } from './awakeLimit.js';
import type { Timing } from './limits.js';

/** The longest possible timer: our own limit applies, which excludes pauses of this process. */
const longestMs = 2 ** 31 - 1;

/**
 * Pings a client regularly, and calls `onDead` once if it does not answer (claude-code-ide.md, "Keepalive / Health
 * Check"). The caller stops it; after `onDead` it has stopped.
 */
export function startHeartbeat(
  answers: (timeoutMs: number) => Promise<boolean>,
  timing: Pick<Timing, 'pingIntervalMs' | 'pingTimeoutMs'>,
  onDead: () => void,
): { stop(): void } {
  let isStopped = false;
  const ask = async (): Promise<void> => {
    const isAlive = await answers(timing.pingTimeoutMs);
    if (isStopped) return;
    if (isAlive) pause = awakeTimeout(() => void ask(), timing.pingIntervalMs);
    else onDead();
  };
  let pause = awakeTimeout(() => void ask(), timing.pingIntervalMs);
  return {
    stop() {
      isStopped = true;
      pause.dispose();
    },
  };
}

/**
 * Whether the client answers a ping in time. An error counts as an answer: a client without `ping` is alive. So does a
 * closed connection, which is reported elsewhere.
 */
export async function answersPing(server: Server, timeoutMs: number): Promise<boolean> {
  const limit = awakeLimit(timeoutMs);
  try {
    await server.request({ method: 'ping' }, { timeout: longestMs, signal: limit.signal });
    return true;
  } catch {
    return !limit.signal.aborted;
  } finally {
    limit.dispose();
  }
}
