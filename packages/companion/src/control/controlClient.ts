import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Path } from '@tandem/core';
import { awakeLimit } from '@tandem/mcp';
import { type Caller, createCaller } from '@tandem/rpc';
import { type StreamedEvent, streamedEvent } from './companionEvent.js';
import { type ControlContract, controlContract } from './controlContract.js';

/** A companion's control interface, from its file in the state folder. */
export interface ControlAddress {
  readonly port: number;
  readonly token: string;
}

export interface FollowOptions {
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** The folder in which this client starts an agent: meanwhile, agents that start there find the companion. */
  readonly folder?: Path;
  /** The companion counts this client from now on, and no event is missed. */
  readonly onOpen?: () => void;
}

/** Limit of one call. The companion answers at once, but a loaded machine is slow. */
const callLimitMs = 30_000;

/** Calls a running companion. Holds no connection, except while it follows a stream. */
export class ControlClient {
  readonly #address: ControlAddress;

  constructor(address: ControlAddress) {
    this.#address = address;
  }

  /** The process id of the companion, or `undefined` if none that knows the token answers. Never rejects. */
  async identify(limitMs: number): Promise<number | undefined> {
    try {
      const answer = await this.#send('GET', '/identity', undefined, limitMs);
      const isIdentity = typeof answer === 'object' && answer !== null && 'pid' in answer;
      return isIdentity && typeof answer.pid === 'number' ? answer.pid : undefined;
    } catch {
      return undefined;
    }
  }

  /** Rejects with `RpcError` when the companion refuses, and with another error when it cannot be reached. */
  readonly call: Caller<ControlContract> = createCaller(controlContract, (method, params) =>
    this.#send('POST', `/control/${method}`, JSON.stringify(params), callLimitMs),
  );

  /**
   * Receives the companion's events until `signal` aborts or the companion stops; then resolves. Meanwhile the companion
   * counts this client as a user. Rejects when it cannot be reached.
   */
  followEvents(onEvent: (event: StreamedEvent) => void, options: FollowOptions = {}): Promise<void> {
    return this.#follow(
      options.folder === undefined
        ? '/control/events'
        : `/control/events?folder=${encodeURIComponent(options.folder)}`,
      (line) => {
        const event = streamedEvent.safeParse(JSON.parse(line));
        if (event.success) onEvent(event.data);
      },
      options,
    );
  }

  /** Receives the recorder's last lines and then each new one, like `followEvents`. */
  followTrace(onLine: (line: string) => void, options: FollowOptions = {}): Promise<void> {
    return this.#follow('/control/trace', onLine, options);
  }

  #follow(path: string, onLine: (line: string) => void, { signal, onOpen }: FollowOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = this.#request('GET', path, {}, signal);
      request.once('response', (response) => {
        if (response.statusCode !== 200) {
          request.destroy();
          reject(new Error(`The companion answered ${path} with HTTP ${response.statusCode}.`));
          return;
        }
        onOpen?.();
        readLines(response, onLine);
        response.once('close', () => resolve());
      });
      request.on('error', (error) => (signal?.aborted ? resolve() : reject(error)));
      request.end();
    });
  }

  #send(method: string, path: string, body: string | undefined, limitMs: number): Promise<unknown> {
    const limit = awakeLimit(limitMs);
    const answer = new Promise<string>((resolve, reject) => {
      const headers: Record<string, string | number> =
        body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const request = this.#request(method, path, headers, limit.signal);
      request.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      });
      request.on('error', reject);
      request.end(body);
    });
    return answer.then((text): unknown => JSON.parse(text)).finally(() => limit.dispose());
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

/** Skips empty lines, which only keep the stream alive, and a last line that is cut off. */
function readLines(response: IncomingMessage, onLine: (line: string) => void): void {
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line);
  });
  // `close` follows.
  response.on('error', () => {});
}
