import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { describeFailure } from '@tandem/core';
import { ServedCalls } from './callEndpoint.js';
import { HttpEndpoint } from './httpEndpoint.js';
import { answerIdentity } from './identity.js';
import type { EndpointContext } from './limits.js';
import { LoopbackServer } from './loopbackServer.js';
import { type Refusal, refuse, refuseUpgrade, shuttingDown } from './refusal.js';
import { findForeignOrigin, pathOf } from './requestGate.js';
import { rpcCode } from './rpcError.js';
import { keepSocketsWithInput } from './serverSockets.js';
import { findTokenHolder, presentedToken } from './token.js';
import type { WebSocketEndpoint } from './webSocketEndpoint.js';

export interface HttpDoorOptions {
  readonly context: EndpointContext;
  /** The scheme of the `Authorization` header. */
  readonly scheme: string;
  /** The port of the server, or undefined for a socket. */
  readonly port: () => number | undefined;
  readonly endpoints: () => Iterable<HttpEndpoint | WebSocketEndpoint | ServedCalls>;
  /** Requests that arrive earlier wait until this promise resolves. */
  readonly ready?: Promise<unknown> | undefined;
  /** What `/identity` answers. */
  readonly identity: () => Readonly<Record<string, unknown>>;
}

/** An HTTP server at one address of this machine: checks each request before an endpoint serves it. */
export class HttpDoor {
  readonly server: LoopbackServer;
  readonly #options: HttpDoorOptions;
  readonly #unauthorized: Refusal;

  constructor(options: HttpDoorOptions) {
    this.#options = options;
    this.#unauthorized = unauthorized(options.scheme);
    const { timing, counts } = options.context;
    const { closeLimitMs, idleConnectionMs } = timing;
    this.server = new LoopbackServer({ maxConnections: counts.connections, closeLimitMs, idleConnectionMs });
    const { http } = this.server;
    keepSocketsWithInput(http);
    const onEarlyRequest = (request: IncomingMessage, response: ServerResponse): void => {
      if (options.ready === undefined) this.#onRequest(request, response);
      else void options.ready.then(() => this.#onRequest(request, response));
    };
    http.on('request', onEarlyRequest).on('checkContinue', onEarlyRequest);
    http.on('connect', (request, socket) => this.refuseTunnel(request, socket));
  }

  /** Reports errors of the server after it listens. */
  watch(): void {
    const { logger } = this.#options.context;
    this.server.http.on('error', (error) =>
      logger.error('The listener failed.', { error: describeFailure(error) }),
    );
  }

  refuseTunnel(request: IncomingMessage, socket: Duplex): void {
    socket.on('error', () => socket.destroy());
    refuseUpgrade(socket, this.#admit(request).refusal ?? onlyWebSocket);
  }

  /** For every path: checks the origin of a request, then its token. */
  #admit(request: IncomingMessage): Admission {
    const { port, endpoints, scheme } = this.#options;
    if (this.server.closing.hasBegun) return { refusal: shuttingDown };
    const foreign = findForeignOrigin(request.headers, port());
    if (foreign !== undefined) return { refusal: { status: 403, message: foreign } };
    const presented = presentedToken(request.headers.authorization, scheme);
    const endpoint = findTokenHolder(endpoints(), presented);
    if (endpoint === undefined) return { refusal: this.#unauthorized };
    this.server.connections.vouchFor(request.socket);
    return { endpoint };
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { logger } = this.#options.context;
    this.#serve(request, response).catch((error: unknown) => {
      logger.error('Serving a request failed.', { error: describeFailure(error) });
      this.#refuse(request, response, failed);
      if (!response.writableEnded) response.end();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { endpoint, refusal } = this.#admit(request);
    if (refusal === this.#unauthorized && this.#proves(request, response)) return;
    if (refusal !== undefined) return this.#refuse(request, response, refusal);
    if (endpoint instanceof ServedCalls) {
      const { timing, sizes } = this.#options.context;
      if (pathOf(request.url) === endpoint.path)
        return endpoint.serve(request, response, { ...timing, ...sizes });
      return this.#refuse(request, response, notFound);
    }
    switch (pathOf(request.url)) {
      case '/mcp':
        if (endpoint instanceof HttpEndpoint) return endpoint.serve(request, response);
        return this.#refuse(request, response, this.#unauthorized);
      case '/identity':
        if (request.method !== 'GET') return this.#refuse(request, response, onlyGet);
        return answerIdentity(response, this.#options.identity());
      default:
        return this.#refuse(request, response, notFound);
    }
  }

  #proves(request: IncomingMessage, response: ServerResponse): boolean {
    return [...this.#options.endpoints()].some(
      (endpoint) => endpoint instanceof ServedCalls && endpoint.proves(request, response),
    );
  }

  #refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    const { timing, sizes } = this.#options.context;
    refuse(request, response, refusal, { drainMs: timing.drainMs, drainBytes: sizes.drainBytes });
  }
}

type Admission =
  | { readonly endpoint: HttpEndpoint | WebSocketEndpoint | ServedCalls; readonly refusal?: undefined }
  | { readonly endpoint?: undefined; readonly refusal: Refusal };

function unauthorized(scheme: string): Refusal {
  return {
    status: 401,
    message: `Unauthorized: send the token of the discovery file as "Authorization: ${scheme} <token>".`,
    headers: { 'www-authenticate': scheme },
  };
}
const notFound: Refusal = { status: 404, message: 'Not found. MCP is served at /mcp.' };
const onlyGet: Refusal = {
  status: 405,
  message: 'Method not allowed. Use GET.',
  headers: { allow: 'GET' },
};
const onlyWebSocket: Refusal = {
  status: 400,
  message: 'Only upgrades to WebSocket are served, and no tunnels.',
};
const failed: Refusal = { status: 500, code: rpcCode.internalError, message: 'Internal error' };
