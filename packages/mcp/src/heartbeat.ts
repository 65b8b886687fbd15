import type { Server } from '@modelcontextprotocol/server';
import { awakeLimit, awakeTimeout } from './awakeTimeout.js';
import type { Timing } from './limits.js';

/** As long as a timer can wait: the limit is ours, and not the SDK's, which knows nothing of pauses. */
const longestMs = 2 ** 31 - 1;

/**
 * Asks regularly whether a client is still there, and says once when it is not (claude-code-ide.md,
 * "Keepalive / Health Check"). The caller stops it; it stops by itself after `onDead`.
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
 * Whether the client answers a ping in time. Any answer counts, an error too: a client without `ping` is alive.
 * So does the end of the connection, which is told by other means.
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
