import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Disposable, describeError, type Logger } from '@tandem/core';
import {
  bearerToken,
  type ConnectionLimit,
  findForeignOrigin,
  limitConnections,
  readRequestBody,
  tokensEqual,
} from '@tandem/mcp';
import { ControlError, type ControlFailureCode } from './controlError.js';
import { type ControlMethod, type ControlParams, controlParams } from './controlMethods.js';

/** Answers each method; what it throws that is no `ControlError` is our own fault and told as such. */
export type ControlHandlers = {
  readonly [M in ControlMethod]: (params: ControlParams<M>) => unknown;
};

/** What a client can follow. Each writes lines of JSON until it is disposed, and may begin with what was before. */
export interface ControlStreams {
  readonly events: ControlStream;
  readonly trace: ControlStream;
}
export type ControlStream = (write: (line: string) => void) => Disposable;

export interface ControlServerOptions {
  readonly token: string;
  readonly handlers: ControlHandlers;
  readonly streams: ControlStreams;
  readonly logger: Logger;
}

/** A reader that is this many bytes behind is let go: it holds our memory. */
const maxUnreadBytes = 16 * 1024 * 1024;
/** A proposal that a person edited comes back whole. */
const maxBodyBytes = 128 * 1024 * 1024;
/** An empty line goes to every follower this often, so that one that vanished is noticed. */
const keepAliveMs = 15_000;
/** Commands come and go; what follows a stream stays. */
const maxConnections = 512;
const maxFollowers = 128;
/** How long `close` waits for clients that do not read. */
const closeLimitMs = 200;

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
  readonly #followers = new Set<ServerResponse>();
  readonly #connections: ConnectionLimit;

  private constructor(options: ControlServerOptions) {
    this.#options = options;
    // Node would answer a request without a Host header by itself, in words of its own.
    this.#server = createServer({ requireHostHeader: false });
    this.#connections = limitConnections(this.#server, maxConnections);
    this.#server.on('request', (request, response) => void this.#serve(request, response));
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

  /** How many clients follow a stream: each is somebody who still needs this companion. */
  get followers(): number {
    return this.#followers.size;
  }

  /** Ends the streams and the listener. Does not wait for slow clients. */
  async close(): Promise<void> {
    for (const follower of this.#followers) follower.end();
    await new Promise<void>((resolve) => {
      const limit = setTimeout(() => this.#server.closeAllConnections(), closeLimitMs);
      this.#server.close(() => {
        clearTimeout(limit);
        resolve();
      });
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
      this.#connections.vouchFor(request.socket);
      await this.#answer(request, response);
    } catch (error) {
      if (error instanceof ControlError) {
        return fail(response, statusOf[error.code], error.code, error.message);
      }
      this.#options.logger.error('a control call failed', { error: describeError(error) });
      fail(response, 500, 'internal', 'The companion failed. Its log says more.');
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    if (method === 'GET' && url === '/identity') return send(response, 200, { pid: process.pid });
    const [, name] = /^\/control\/([a-z.]+)$/.exec(url) ?? [];
    if (method === 'GET' && (name === 'events' || name === 'trace')) {
      return this.#follow(this.#options.streams[name], response);
    }
    if (method !== 'POST' || name === undefined || !isControlMethod(name)) {
      throw new ControlError('unknown-method', `This companion does not know ${method} ${url}.`);
    }
    const body = await readRequestBody(request, response, maxBodyBytes);
    if (body.kind === 'gone') return;
    if (body.kind === 'refused') {
      return fail(response, body.refusal.status, 'bad-params', body.refusal.message);
    }
    send(response, 200, { result: (await this.#call(name, body.value)) ?? null });
  }

  async #call<M extends ControlMethod>(method: M, value: unknown): Promise<unknown> {
    const parsed = controlParams[method].safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const where = issue?.path.join('.') || 'the parameters';
      throw new ControlError('bad-params', `${method}: ${where}: ${issue?.message ?? 'not valid'}`);
    }
    // The schema that parsed is the one that belongs to this method.
    return this.#options.handlers[method](parsed.data as ControlParams<M>);
  }

  /** Writes a stream's lines until the client goes away. */
  #follow(stream: ControlStream, response: ServerResponse): void {
    if (this.#followers.size >= maxFollowers) {
      throw new ControlError(
        'refused',
        `${maxFollowers} programs already follow this companion. Stop some of them and try again.`,
      );
    }
    // Its connection ends with it, so that closing need not wait for one that might be used again.
    response.writeHead(200, {
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-store',
      connection: 'close',
    });
    this.#followers.add(response);
    const write = (line: string): void => {
      response.write(`${line}\n`);
      if (response.writableLength > maxUnreadBytes) response.destroy();
    };
    write('');
    const subscription = stream(write);
    const keepAlive = setInterval(() => write(''), keepAliveMs);
    response.once('close', () => {
      clearInterval(keepAlive);
      subscription.dispose();
      this.#followers.delete(response);
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
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
