import { request } from 'node:http';

/** Where a companion answers hooks. */
export interface HookTarget {
  readonly port: number;
  readonly token: string;
}

/** The path of the calls. */
export const hookPath = '/hook';

/** The companion did not answer: it does not run, or it has restarted with another token. */
class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** Whether it had received the call, so that it was ended or killed meanwhile. */
  readonly wasReceived: boolean;

  constructor(wasReceived: boolean, cause?: unknown) {
    super('The companion does not answer.', { cause });
    this.wasReceived = wasReceived;
  }
}

/** The pause before the next attempt, in milliseconds. */
const retryMs = 250;
/** How long a companion that had received a call may take to restart, in milliseconds. */
const defaultRestartLimitMs = 60_000;

/**
 * Sends a call to a companion and resolves to its answer, perhaps hours later. A companion that restarts receives the call
 * again. Rejects if none answers within `startLimitMs`, or does not return. Uses nothing but Node's own modules, because
 * each tool call of an agent starts it.
 */
export async function callCompanion(
  target: HookTarget,
  call: object,
  limits: { readonly startLimitMs: number; readonly restartLimitMs?: number; readonly signal?: AbortSignal },
): Promise<unknown> {
  const { startLimitMs, restartLimitMs = defaultRestartLimitMs, signal } = limits;
  const body = Buffer.from(JSON.stringify(call));
  let giveUpAt = performance.now() + startLimitMs;
  for (;;) {
    try {
      return await send(target, body, signal);
    } catch (error) {
      if (!(error instanceof UnreachableError) || signal?.aborted) throw error;
      if (error.wasReceived) giveUpAt = performance.now() + restartLimitMs;
      if (performance.now() >= giveUpAt) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
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
          return reject(new Error(`The companion answered ${response.statusCode}.`));
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
