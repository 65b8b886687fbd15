import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Disposable, describeError, type Logger, type Path } from '@tandem/core';
import { bearerToken, findForeignOrigin, LoopbackServer, readRequestBody, tokensEqual } from '@tandem/mcp';
import {
  createDispatcher,
  type Dispatcher,
  internalError,
  type RpcAnswer,
  RpcError,
  rpcStatus,
  toFailure,
} from '@tandem/rpc';
import { pausing } from '../files/pausing.js';
import type { ControlHandlers } from './controlContract.js';
import { encodeAnswer } from './encodeAnswer.js';

/**
 * The streams that a client can follow. Each writes lines of JSON until it is disposed, and may start with earlier
 * ones.
 */
export interface ControlStreams {
  readonly events: ControlStream;
  readonly trace: ControlStream;
}
/** `folder`: where the client starts an agent, for as long as it follows the stream. */
export type ControlStream = (write: (line: string) => void, folder?: Path) => Disposable;

export interface ControlServerOptions {
  readonly token: string;
  /** Loads what answers, with the first call. */
  readonly handlers: () => Promise<ControlHandlers>;
  /** Translates an expected error of a handler; `undefined` for a fault. */
  readonly toRpcError?: (error: unknown) => RpcError | undefined;
  readonly streams: ControlStreams;
  readonly logger: Logger;
}

/** Limit of what one slow reader may hold in memory before it is disconnected. */
const maxUnreadBytes = 16 * 1024 * 1024;
/** An edited proposal arrives as a whole. */
const maxBodyBytes = 128 * 1024 * 1024;
/** Interval of empty lines to followers, so that a lost connection is noticed. */
const keepAliveMs = 15_000;
const maxConnections = 512;
const maxFollowers = 128;
/** Limit of `close` for clients that do not read. */
const closeLimitMs = 200;

/** Serves the `tandem` command: HTTP on 127.0.0.1, with a token of its own in a file that only this user can read. */
export class ControlServer {
  readonly #options: ControlServerOptions;
  #dispatch: Dispatcher<void> | undefined;
  readonly #server = new LoopbackServer({ maxConnections, closeLimitMs });
  readonly #followers = new Set<ServerResponse>();
  #port = 0;

  private constructor(options: ControlServerOptions) {
    this.#options = options;
    const { http } = this.#server;
    const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#serve(request, response);
    http.on('request', onRequest).on('checkContinue', onRequest);
    http.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Listens on 127.0.0.1. The caller closes it. */
  static async start(options: ControlServerOptions): Promise<ControlServer> {
    const control = new ControlServer(options);
    control.#port = await control.#server.listen(0);
    return control;
  }

  get port(): number {
    return this.#port;
  }

  /** How many clients follow a stream. */
  get followers(): number {
    return this.#followers.size;
  }

  /** Ends the streams and the listener, without waiting for slow clients. */
  close(): Promise<void> {
    return this.#server.closing.begin(() => {
      for (const follower of this.#followers) follower.end();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const foreign = findForeignOrigin(request.headers, this.port);
      if (foreign !== undefined) throw new RpcError('forbidden', foreign);
      const presented = bearerToken(request.headers.authorization);
      if (presented === undefined || !tokensEqual(presented, this.#options.token)) {
        throw new RpcError('unauthorized', 'The control token is missing or wrong.');
      }
      this.#server.connections.vouchFor(request.socket);
      await this.#answer(request, response);
    } catch (error) {
      if (!(error instanceof RpcError)) this.#logFault(error);
      await sendAnswer(response, toFailure(error instanceof RpcError ? error : internalError()));
    }
  }

  #logFault(error: unknown): void {
    this.#options.logger.error('a control call failed', { error: describeError(error) });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    if (method === 'GET' && url === '/identity') return send(response, 200, { pid: process.pid });
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const [, name] = /^\/control\/([a-zA-Z.]+)$/.exec(pathname) ?? [];
    if (method === 'GET' && (name === 'events' || name === 'trace')) {
      const folder = searchParams.get('folder') ?? undefined;
      return this.#follow((write) => this.#options.streams[name](write, folder), response);
    }
    if (method !== 'POST' || name === undefined) {
      throw new RpcError('unknown-method', `This companion has no method ${method} ${url}.`);
    }
    const body = await readRequestBody(request, response, maxBodyBytes);
    if (body.kind === 'gone') return;
    if (body.kind === 'refused') {
      const { status, message } = body.refusal;
      return send(response, status, toFailure(new RpcError('bad-params', message)));
    }
    this.#dispatch ??= await this.#load();
    await sendAnswer(response, await this.#dispatch(name, body.value));
  }

  /** With the first call, so that the start is faster. */
  async #load(): Promise<Dispatcher<void>> {
    const { toRpcError, handlers } = this.#options;
    const { controlContract } = await import('./controlContract.js');
    return createDispatcher({
      contract: controlContract,
      handlers: await handlers(),
      ...(toRpcError && { toRpcError }),
      onFault: (error) => this.#logFault(error),
    });
  }

  /** Writes a stream's lines until the client disconnects. */
  #follow(stream: ControlStream, response: ServerResponse): void {
    if (this.#followers.size >= maxFollowers) {
      throw new RpcError(
        'refused',
        `${maxFollowers} programs already follow this companion. Stop some of them and try again.`,
      );
    }
    // The connection ends with the stream, so that `close` does not wait for a connection that is kept alive.
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

async function sendAnswer(response: ServerResponse, answer: RpcAnswer): Promise<void> {
  const parts = await encodeAnswer(answer, pausing());
  if (response.headersSent || response.destroyed) return;
  response.writeHead('error' in answer ? rpcStatus[answer.error.code] : 200, {
    'content-type': 'application/json',
    'content-length': parts.reduce((sum, { length }) => sum + length, 0),
  });
  for (const part of parts) response.write(part);
  response.end();
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
