import { createHmac, randomBytes } from 'node:crypto';
import { AnswerError, type HttpAnswer, HttpConnection, type HttpRequest } from './httpConnection.js';

/** Where a companion answers hooks. */
export interface HookTarget {
  readonly port: number;
  readonly token: string;
  /** Whether the companion proves that it is the one. Those of earlier versions do not. */
  readonly proves?: boolean;
}

/** The path of the calls. */
export const hookPath = '/hook';

/** The header with which the program on a port is asked for a proof. */
export const nonceHeader = 'tandem-nonce';

/** By what a companion proves that it knows the token. Names the port, so that another program cannot ask it in its own place. */
export function hookProof({ port, token }: HookTarget, nonce: string): string {
  return createHmac('sha256', token).update(`tandem hook ${port} ${nonce}`).digest('base64url');
}

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
/**
 * How long the program on a port may take for its proof, in milliseconds. A companion gives it at once. Another program, or a companion
 * that was stopped, may accept the connection and never answer.
 */
export const proofLimitMs = 3_000;
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

/** Another program may have the port of a companion that has ended: it receives neither the token nor the call. */
async function send(target: HookTarget, body: Buffer, signal?: AbortSignal): Promise<unknown> {
  const connection = new HttpConnection(target.port, signal);
  try {
    if (target.proves) await requireProof(target, connection);
    const headers = { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' };
    const { status, text } = await exchange(connection, { method: 'POST', path: hookPath, headers, body });
    switch (status) {
      case 200:
        return JSON.parse(text);
      // It has restarted with another token, or it ends.
      case 401:
      case 503:
        throw new UnreachableError(false);
      case 413:
        throw new Error('It is too large.');
      default:
        throw new Error(`The companion answered ${status}.`);
    }
  } finally {
    connection.close();
  }
}

/** What is sent over the connection then reaches the companion alone. */
async function requireProof(target: HookTarget, connection: HttpConnection): Promise<void> {
  const limit = setTimeout(() => connection.close(), proofLimitMs);
  const nonce = randomBytes(16).toString('hex');
  const asking = exchange(connection, { method: 'GET', path: hookPath, headers: { [nonceHeader]: nonce } });
  const { status, text } = await asking
    .catch((error: unknown) => {
      throw new UnreachableError(false, error);
    })
    .finally(() => clearTimeout(limit));
  if (status !== 200 || text !== hookProof(target, nonce)) throw new UnreachableError(false);
}

async function exchange(connection: HttpConnection, request: HttpRequest): Promise<HttpAnswer> {
  let isSent = false;
  try {
    return await connection.ask(request, () => {
      isSent = true;
    });
  } catch (cause) {
    if (cause instanceof AnswerError) throw cause;
    throw new UnreachableError(isSent, cause);
  }
}
