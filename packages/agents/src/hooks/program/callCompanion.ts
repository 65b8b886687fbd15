import { request } from 'node:http';

/** Where a companion answers hooks. */
export interface HookTarget {
  readonly port: number;
  readonly token: string;
}

/** The path of the calls. */
export const hookPath = '/hook';

/** The companion did not answer: it does not run, or it has restarted with another token. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** Whether it had received the call, so that it was ended or killed meanwhile. */
  readonly wasReceived: boolean;

  constructor(wasReceived: boolean, cause?: unknown) {
    super('The companion does not answer.', { cause });
    this.wasReceived = wasReceived;
  }
}

/** How long a companion may take to start, where each edit is reviewed, in milliseconds. */
export const startLimitMs = 20_000;
/** The pause before the next attempt, in milliseconds. */
const defaultRetryMs = 250;
/** How long a companion that had received a call may take to restart, in milliseconds. */
export const hookRestartLimitMs = 60_000;
/** A companion that ends a call earlier than this, in milliseconds, has not restarted since the last one. */
const leastHeldMs = 1_000;

/** How long a call waits, in milliseconds. `signal` ends it. */
interface CallLimits {
  /** For a companion that does not run. */
  readonly startLimitMs: number;
  /** For one that had received the call. */
  readonly restartLimitMs?: number;
  /** Before the next attempt. */
  readonly retryMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Sends a call to a companion and resolves to its answer, perhaps hours later. A companion that restarts receives the call
 * again. Rejects if none answers within `startLimitMs`, or does not return. Uses nothing but Node's own modules, because
 * each tool call of an agent starts it.
 */
export async function callCompanion(target: HookTarget, call: object, limits: CallLimits): Promise<unknown> {
  const { startLimitMs, restartLimitMs = hookRestartLimitMs, retryMs = defaultRetryMs, signal } = limits;
  let body = Buffer.from(JSON.stringify(call));
  let giveUpAt = performance.now() + startLimitMs;
  let wasReceived = false;
  for (;;) {
    const sentAt = performance.now();
    try {
      return await send(target, body, signal);
    } catch (error) {
      if (!(error instanceof UnreachableError) || signal?.aborted) throw error;
      const endedAt = performance.now();
      if (error.wasReceived && !wasReceived)
        body = Buffer.from(JSON.stringify({ ...call, isRepeated: true }));
      if (error.wasReceived && (!wasReceived || endedAt - sentAt >= leastHeldMs)) {
        wasReceived = true;
        giveUpAt = endedAt + restartLimitMs;
      }
      if (endedAt >= giveUpAt) throw error;
    }
    await pause(retryMs);
  }
}

export function pause(milliseconds = defaultRetryMs): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function send({ port, token }: HookTarget, body: Buffer, signal?: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let isSent = false;
    const fail = (cause?: unknown): void => reject(new UnreachableError(isSent, cause));
    const sending = request({
      host: '127.0.0.1',
      port,
      path: hookPath,
      method: 'POST',
      agent: false,
      ...(signal && { signal }),
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    });
    sending.on('finish', () => {
      isSent = true;
    });
    sending.on('error', fail);
    sending.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        // 401: it has restarted with another token. 503: it ends.
        if (response.statusCode === 401 || response.statusCode === 503)
          return reject(new UnreachableError(false));
        if (response.statusCode !== 200)
          return reject(
            new Error(
              response.statusCode === 413
                ? 'It is too large.'
                : `The companion answered ${response.statusCode}.`,
            ),
          );
        try {
          resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
        } catch (error) {
          reject(error);
        }
      });
    });
    sending.end(body);
  });
}
