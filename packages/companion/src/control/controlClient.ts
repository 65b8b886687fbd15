import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { awakeLimit } from '@tandem/mcp';
import { type CompanionEvent, companionEvent } from './companionEvent.js';
import { ControlError, controlFailure } from './controlError.js';
import type { ControlMethod, ControlParams } from './controlMethods.js';

/** Where a companion's control interface is, from its file in the state folder. */
export interface ControlAddress {
  readonly port: number;
  readonly token: string;
}

export interface FollowOptions {
  /** Ends the following. */
  readonly signal?: AbortSignal;
  /** The companion counts us from now on, and nothing that happens is missed. */
  readonly onOpen?: () => void;
}

/** How long a call may take. The companion answers all of them at once, but a loaded machine is slow. */
const callLimitMs = 30_000;

/** Calls a running companion. Holds no connection, except while it follows a stream. */
export class ControlClient {
  readonly #address: ControlAddress;

  constructor(address: ControlAddress) {
    this.#address = address;
  }

  /** The process id of the companion, or `undefined` when nobody answers who knows the token. Never rejects. */
  async identify(limitMs: number): Promise<number | undefined> {
    try {
      const { status, text } = await this.#send('GET', '/identity', undefined, limitMs);
      const answer: unknown = status === 200 ? JSON.parse(text) : undefined;
      const isIdentity = typeof answer === 'object' && answer !== null && 'pid' in answer;
      return isIdentity && typeof answer.pid === 'number' ? answer.pid : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * One call. Rejects with `ControlError` when the companion says no, and with another error when it cannot be
   * reached. The caller knows what the method answers (`controlMethods.ts`).
   */
  async call<M extends ControlMethod>(method: M, params: ControlParams<M>): Promise<unknown> {
    const { status, text } = await this.#send(
      'POST',
      `/control/${method}`,
      JSON.stringify(params),
      callLimitMs,
    );
    const answer: unknown = JSON.parse(text);
    const hasResult = typeof answer === 'object' && answer !== null && 'result' in answer;
    if (status === 200 && hasResult) return answer.result;
    const failure = controlFailure.safeParse(answer);
    if (failure.success) throw new ControlError(failure.data.error.code, failure.data.error.message);
    throw new ControlError('internal', `The companion answered ${method} with HTTP ${status}.`);
  }

  /**
   * Hears the companion's events until `signal` aborts or the companion stops; then resolves. While this runs the
   * companion counts us as somebody who needs it. Rejects when it cannot be reached.
   */
  followEvents(hear: (event: CompanionEvent) => void, options: FollowOptions = {}): Promise<void> {
    return this.#follow(
      '/control/events',
      (line) => {
        const event = companionEvent.safeParse(JSON.parse(line));
        if (event.success) hear(event.data);
      },
      options,
    );
  }

  /** Hears the recorder's last lines and then each new one, like `followEvents`. */
  followTrace(hear: (line: string) => void, options: FollowOptions = {}): Promise<void> {
    return this.#follow('/control/trace', hear, options);
  }

  #follow(path: string, hearLine: (line: string) => void, { signal, onOpen }: FollowOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = this.#request('GET', path, {}, signal);
      request.once('response', (response) => {
        if (response.statusCode !== 200) {
          request.destroy();
          reject(new ControlError('internal', `The companion answered ${path} with ${response.statusCode}.`));
          return;
        }
        onOpen?.();
        readLines(response, hearLine);
        response.once('close', () => resolve());
      });
      request.on('error', (error) => (signal?.aborted ? resolve() : reject(error)));
      request.end();
    });
  }

  #send(
    method: string,
    path: string,
    body: string | undefined,
    limitMs: number,
  ): Promise<{ status: number; text: string }> {
    const limit = awakeLimit(limitMs);
    const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers: Record<string, string | number> =
        body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const request = this.#request(method, path, headers, limit.signal);
      request.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      });
      request.on('error', reject);
      request.end(body);
    });
    return answer.finally(() => limit.dispose());
  }

  #request(
    method: string,
    path: string,
    headers: Readonly<Record<string, string | number>>,
    signal: AbortSignal | undefined,
  ): ClientRequest {
    const { port, token } = this.#address;
    return httpRequest({
      host: '127.0.0.1',
      port,
      path,
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
      agent: false,
      ...(signal && { signal }),
    });
  }
}

/** Empty lines keep the stream alive and say nothing. A line that the end cut off is none. */
function readLines(response: IncomingMessage, hear: (line: string) => void): void {
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') hear(line);
  });
  // The stream's end tells enough.
  response.on('error', () => {});
}
