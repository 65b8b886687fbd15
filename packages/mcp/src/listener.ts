import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createCloser } from './closer.js';
import { limitConnections } from './connectionLimit.js';
import type { EndpointContext } from './endpointContext.js';
import { HttpEndpoint, type ResumedSession } from './httpEndpoint.js';
import { answerIdentity, processStartedAt } from './identity.js';
import { lazily } from './lazily.js';
import {
  type Counts,
  defaultCounts,
  defaultSizes,
  defaultTiming,
  type Sizes,
  type Timing,
} from './limits.js';
import { describeError, silentLogger, type TransportLogger } from './logger.js';
import type { McpEndpoint } from './mcpEndpoint.js';
import type { Recorder } from './recording/recorder.js';
import { type Refusal, refuse, refuseUpgrade } from './refusal.js';
import { findForeignOrigin, pathOf } from './requestGate.js';
import { rpcCode } from './rpcError.js';
import { spareSocketsThatSpoke } from './sparedSockets.js';
import { bearerToken, findTokenHolder } from './token.js';
import type { Upgrader } from './upgrade.js';
import { WebSocketEndpoint, type WebSocketMcpEndpoint } from './webSocketEndpoint.js';

export interface ListenerOptions {
  /** 0, the default, lets the system choose. Another one is for a companion that restarts. */
  readonly port?: number;
  /**
   * What comes before this has resolved waits for it: clients of a companion that restarts are back before its
   * endpoints are, and would take a refusal for the end.
   */
  readonly ready?: Promise<unknown>;
  readonly recorder?: Recorder;
  readonly logger?: TransportLogger;
  readonly timing?: Partial<Timing>;
  readonly sizes?: Partial<Sizes>;
  readonly counts?: Partial<Counts>;
  /** What `/identity` answers besides `pid` and `startedAt`. */
  readonly identity?: Readonly<Record<string, unknown>>;
}

/** One HTTP listener on 127.0.0.1 for every agent. Whoever created it closes it. */
export interface LoopbackListener {
  readonly port: number;
  /** Loads what the first client needs, so that it is served at once. Never rejects. */
  warmUp(): Promise<void>;
  /** Serves an agent over Streamable HTTP on `/mcp`. Disposing ends its sessions. Throws when the token is taken. */
  addHttpEndpoint(endpoint: McpEndpoint): AddedHttpEndpoint;
  /** Serves an agent over WebSocket on `/` and `/mcp`. Disposing ends its sessions. Throws when the token is taken. */
  addWebSocketEndpoint(endpoint: WebSocketMcpEndpoint): { dispose(): void };
  /**
   * Ends every session and stops to listen: streams end in order, so that clients may reconnect to a successor
   * on this port, WebSockets close with 1001. What is not closed within the close limit is destroyed. Idempotent.
   */
  close(): Promise<void>;
}

/** An agent that is served over HTTP. */
export interface AddedHttpEndpoint {
  /** Ends its sessions. */
  dispose(): void;
  /**
   * Takes over sessions of a companion that ended in order, and that listened on this port: their clients go on with the
   * session id that they have. Each is introduced by `onSession`, and is over when its client does not come back.
   */
  resume(sessions: readonly ResumedSession[]): Promise<void>;
}

/** The listener could not be opened. `code` tells whether another port would help. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code: 'port-taken' | 'failed';

  constructor(code: ListenError['code'], message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Opens the listener. @throws ListenError */
export async function createListener(options: ListenerOptions = {}): Promise<LoopbackListener> {
  const logger = options.logger ?? silentLogger;
  const http = new Set<HttpEndpoint>();
  const webSocket = new Set<WebSocketEndpoint>();
  const context: EndpointContext = {
    timing: { ...defaultTiming, ...options.timing },
    sizes: { ...defaultSizes, ...options.sizes },
    counts: { ...defaultCounts, ...options.counts },
    logger,
    recorder: options.recorder,
    countSessions: () => [...http, ...webSocket].reduce((total, { sessionCount }) => total + sessionCount, 0),
  };
  const bounds = { drainMs: context.timing.drainMs, drainBytes: context.sizes.drainBytes };

  // Node would answer a request without a Host header by itself, before the token is looked at.
  const server = createServer({
    requireHostHeader: false,
    keepAliveTimeout: context.timing.idleConnectionMs,
  });
  spareSocketsThatSpoke(server);
  const closing = createCloser(server, context.timing.closeLimitMs);
  const connections = limitConnections(server, context.counts.connections);
  const port = await listen(server, options.port ?? 0);
  server.on('error', (error) => logger.error('The listener failed.', { error: describeError(error) }));

  /** What stands before every path: first where a request comes from, then whose token it has. */
  const admit = (request: IncomingMessage): Admission => {
    if (closing.hasBegun) return { refusal: shuttingDown };
    const foreign = findForeignOrigin(request.headers, port);
    if (foreign !== undefined) return { refusal: { status: 403, code: rpcCode.refused, message: foreign } };
    const presented = bearerToken(request.headers.authorization);
    const endpoint = findTokenHolder([...http, ...webSocket], presented);
    if (endpoint === undefined) return { refusal: unauthorized };
    connections.vouchFor(request.socket);
    return { endpoint };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { endpoint, refusal } = admit(request);
    if (refusal !== undefined) return refuse(request, response, refusal, bounds);
    switch (pathOf(request.url)) {
      case '/mcp':
        if (endpoint instanceof HttpEndpoint) return endpoint.serve(request, response);
        return refuse(request, response, unauthorized, bounds);
      case '/identity':
        if (request.method !== 'GET') return refuse(request, response, onlyGet, bounds);
        answerIdentity(response, {
          pid: process.pid,
          startedAt: processStartedAt,
          port,
          ...options.identity,
        });
        return;
      default:
        return refuse(request, response, notFound, bounds);
    }
  };

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response).catch((error: unknown) => {
      logger.error('Serving a request failed.', { error: describeError(error) });
      refuse(request, response, failed, bounds);
      if (!response.writableEnded) response.end();
    });
  };
  const isReady = (options.ready ?? Promise.resolve()).catch((error: unknown) => {
    logger.error('What the listener waited for failed.', { error: describeError(error) });
  });
  const onEarlyRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (options.ready === undefined) onRequest(request, response);
    else void isReady.then(() => onRequest(request, response));
  };
  server.on('request', onEarlyRequest).on('checkContinue', onEarlyRequest);

  const loadUpgrader = lazily(async (): Promise<Upgrader> => {
    const { createUpgrader } = await import('./upgrade.js');
    return createUpgrader({
      ...context,
      port,
      endpoints: () => webSocket,
      vouchFor: (request) => connections.vouchFor(request.socket),
    });
  });
  const refuseTunnel = (request: IncomingMessage, socket: Duplex): void => {
    socket.on('error', () => socket.destroy());
    refuseUpgrade(socket, admit(request).refusal ?? onlyWebSocket);
  };
  server.on('connect', refuseTunnel);
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    // Until somebody else does: a client that goes away meanwhile is no fault.
    const ignore = (): void => {};
    socket.on('error', ignore);
    try {
      await isReady;
      const { upgrade } = await loadUpgrader();
      if (closing.hasBegun) refuseTunnel(request, socket);
      else upgrade(request, socket, head);
    } finally {
      socket.off('error', ignore);
    }
  };
  server.on('upgrade', (request, socket, head) => {
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    if (!isWebSocket || closing.hasBegun) return refuseTunnel(request, socket);
    upgrade(request, socket, head).catch((error: unknown) => {
      logger.error('Serving an upgrade failed.', { error: describeError(error) });
      socket.destroy();
    });
  });

  const add = <Endpoint extends HttpEndpoint | WebSocketEndpoint>(to: Set<Endpoint>, endpoint: Endpoint) => {
    if (closing.hasBegun) throw new Error('The listener is closed. Create another one.');
    if (findTokenHolder([...http, ...webSocket], endpoint.token) !== undefined) {
      throw new Error('Two endpoints have the same token. Create a token for each.');
    }
    to.add(endpoint);
    return {
      dispose: () => {
        to.delete(endpoint);
        endpoint.dispose();
      },
    };
  };

  return {
    port,
    async warmUp() {
      await loadUpgrader().catch((error: unknown) => {
        logger.error('The MCP layer cannot be loaded.', { error: describeError(error) });
      });
    },
    addHttpEndpoint(endpoint) {
      const served = new HttpEndpoint(endpoint, context);
      return { ...add(http, served), resume: (sessions) => served.resume(sessions) };
    },
    addWebSocketEndpoint: (endpoint) => add(webSocket, new WebSocketEndpoint(endpoint, context)),
    close: () =>
      closing.begin(() => {
        for (const endpoint of [...http, ...webSocket]) endpoint.dispose();
      }),
  };
}

/** Whose request it is, or why it is nobody's. */
type Admission =
  | { readonly endpoint: HttpEndpoint | WebSocketEndpoint; readonly refusal?: undefined }
  | { readonly endpoint?: undefined; readonly refusal: Refusal };

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, port)));
    const onListening = (): void => {
      server.removeAllListeners('error');
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    };
    try {
      server.listen({ port, host: '127.0.0.1' }, onListening);
    } catch (cause) {
      // A number that is no port at all is thrown and not emitted.
      reject(toListenError(cause, port));
    }
  });
}

function toListenError(error: unknown, port: number): ListenError {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    const message = `Port ${port} on 127.0.0.1 is in use by another program. Choose another port, or 0 for any free one.`;
    return new ListenError('port-taken', message, error);
  }
  const message = `Cannot listen on 127.0.0.1:${port}: ${error instanceof Error ? error.message : error}. Choose another port, or 0 for any free one.`;
  return new ListenError('failed', message, error);
}

const unauthorized: Refusal = {
  status: 401,
  code: rpcCode.refused,
  message: 'Unauthorized: send the token of the discovery file as "Authorization: Bearer <token>".',
  headers: { 'www-authenticate': 'Bearer' },
};
const notFound: Refusal = {
  status: 404,
  code: rpcCode.refused,
  message: 'Not found. MCP is served at /mcp.',
};
const onlyGet: Refusal = {
  status: 405,
  code: rpcCode.refused,
  message: 'Method not allowed. Use GET.',
  headers: { allow: 'GET' },
};
const onlyWebSocket: Refusal = {
  status: 400,
  code: rpcCode.refused,
  message: 'Only upgrades to WebSocket are served, and no tunnels.',
};
const shuttingDown: Refusal = {
  status: 503,
  code: rpcCode.refused,
  message: 'The companion is shutting down.',
};
const failed: Refusal = { status: 500, code: rpcCode.internalError, message: 'Internal error' };
