import { SdkError, SdkErrorCode, type Server } from '@modelcontextprotocol/server';
import type { Timing } from './limits.js';

/**
 * Asks regularly whether a client is still there, and says once when it is not (claude-code-ide.md,
 * "Keepalive / Health Check"). The caller stops it; it stops by itself after `onDead`.
 */
export function startHeartbeat(
  answers: (timeoutMs: number) => Promise<boolean>,
  timing: Pick<Timing, 'pingIntervalMs' | 'pingTimeoutMs'>,
  onDead: () => void,
): { stop(): void } {
  let isAsking = false;
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    clearInterval(timer);
  };
  const ask = async (): Promise<void> => {
    // A limit longer than the interval, as tests may set, must not let questions pile up.
    if (isAsking) return;
    isAsking = true;
    const isAlive = await answers(timing.pingTimeoutMs);
    isAsking = false;
    if (isAlive || isStopped) return;
    stop();
    onDead();
  };
  const timer = setInterval(() => void ask(), timing.pingIntervalMs);
  timer.unref();
  return { stop };
}

/**
 * Whether the client answers a ping in time. Any answer counts, an error too: a client without `ping` is alive.
 * So does the end of the connection, which is told by other means.
 */
export async function answersPing(server: Server, timeoutMs: number): Promise<boolean> {
  const sentAt = performance.now();
  try {
    await server.request({ method: 'ping' }, { timeout: timeoutMs });
    return true;
  } catch (error) {
    const isTimeout = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
    if (!isTimeout) return true;
    // A timer that fires much too late tells that this machine slept or this process hung, not that the
    // client did: its answer may be waiting in the socket. It gets one fair chance.
    const wasDelayed = performance.now() - sentAt > 2 * timeoutMs;
    return wasDelayed && answersPing(server, timeoutMs);
  }
}
