import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { describeError, type Disposable, type Event, type Logger } from '@tandem/core';
import { bearerToken, findForeignOrigin, readRequestBody, tokensEqual } from '@tandem/transport';
import type { CompanionEvent } from '../companionEvent.js';
import {
  ControlError,
  type ControlFailureCode,
  type ControlMethod,
  type ControlParams,
  controlParams,
} from './controlMethods.js';

/** Answers each method; what it throws that is no `ControlError` is our own fault and told as such. */
export type ControlHandlers = {
  readonly [M in ControlMethod]: (params: ControlParams<M>) => unknown;
};

export interface ControlServerOptions {
  readonly token: string;
  readonly handlers: ControlHandlers;
  readonly onEvent: Event<CompanionEvent>;
  readonly logger: Logger;
}

/** A reader that is this far behind is let go: it holds our memory. Bytes. */
const maxUnreadBytes = 16 * 1024 * 1024;
/** A proposal that a person edited comes back whole. Bytes. */
const maxBodyBytes = 128 * 1024 * 1024;
const keepAliveMs = 15_000;

const statusOf: Record<ControlFailureCode, number> = {
  'unknown-method': 404,
  'bad-params': 400,
  'not-found': 404,
  'already-decided': 409,
  refused: 422,
  internal: 500,
};

/**
 * The interface by which the `tandem` command steers a running companion: HTTP on 127.0.0.1 with a token of its
 * own, which stands in a file that only this user can read.
 */
export class ControlServer {
  readonly #options: ControlServerOptions;
  readonly #server: Server;
  readonly #streams = new Set<ServerResponse>();

  private constructor(options: ControlServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Listens on 127.0.0.1. The caller closes it. */
  static async start(options: ControlServerOptions): Promise<ControlServer> {
    const control = new ControlServer(options);
    await new Promise<void>((resolve, reject) => {
      control.#server.once('error', reject);
      control.#server.listen(0, '127.0.0.1', resolve);
    });
    return control;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** How many clients follow the events: each is somebody who still needs this companion. */
  get followers(): number {
    return this.#streams.size;
  }

  /** Ends the streams and the listener. Does not wait for slow clients. */
  async close(): Promise<void> {
    for (const stream of this.#streams) stream.end();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      const limit = setTimeout(() => this.#server.closeAllConnections(), 200);
      limit.unref();
      this.#server.closeIdleConnections();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const foreign = findForeignOrigin(request.headers, this.port);
      if (foreign !== undefined) return fail(response, 403, 'refused', foreign);
      const presented = bearerToken(request.headers.authorization);
      if (presented === undefined || !tokensEqual(presented, this.#options.token)) {
        return fail(response, 401, 'refused', 'The control token is missing or wrong.');
      }
      if (request.method === 'GET' && request.url === '/identity') return send(response, 200, { pid: process.pid });
      const [, name] = /^\/control\/([a-z.]+)$/.exec(request.url ?? '') ?? [];
      if (request.method === 'GET' && name === 'events') return this.#stream(response);
      if (request.method !== 'POST' || name === undefined || !isControlMethod(name)) {
        return fail(response, 404, 'unknown-method', `This companion has no method ${request.method} ${request.url}.`);
      }
      const body = await readRequestBody(request, response, maxBodyBytes);
      if (body.kind === 'gone') return;
      if (body.kind === 'refused') return fail(response, body.refusal.status, 'bad-params', body.refusal.message);
      send(response, 200, { result: (await this.#call(name, body.value)) ?? null });
    } catch (error) {
      if (error instanceof ControlError) return fail(response, statusOf[error.code], error.code, error.message);
      this.#options.logger.error('a control call failed', { error: describeError(error) });
      fail(response, 500, 'internal', 'The companion failed. Its log says more.');
    }
  }

  async #call<M extends ControlMethod>(method: M, value: unknown): Promise<unknown> {
    const parsed = controlParams[method].safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new ControlError('bad-params', `${method}: ${issue?.path.join('.') || 'the parameters'}: ${issue?.message}`);
    }
    // The schema that parsed is the one that belongs to this method.
    return this.#options.handlers[method](parsed.data as ControlParams<M>);
  }

  /** Streams events as JSON lines until the client goes away. An empty line now and then keeps it alive. */
  #stream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    response.write('\n');
    this.#streams.add(response);
    const write = (line: string): void => {
      response.write(`${line}\n`);
      if (response.writableLength > maxUnreadBytes) response.destroy();
    };
    const subscription: Disposable = this.#options.onEvent((event) => write(JSON.stringify(event)));
    const keepAlive = setInterval(() => write(''), keepAliveMs);
    response.once('close', () => {
      clearInterval(keepAlive);
      subscription.dispose();
      this.#streams.delete(response);
    });
  }
}

function isControlMethod(name: string): name is ControlMethod {
  return Object.hasOwn(controlParams, name);
}

function fail(response: ServerResponse, status: number, code: ControlFailureCode, message: string): void {
  send(response, status, { error: { code, message } });
}

function send(response: ServerResponse, status: number, value: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const body = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
