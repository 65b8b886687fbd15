import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { describeFailure, type Logger, silentLogger } from '@tandem/core';
import { HttpEndpoint, type ResumedSession } from './httpEndpoint.js';
import { answerIdentity, processStartedAt } from './identity.js';
import { lazily } from './lazily.js';
import {
  type Counts,
  defaultCounts,
  defaultSizes,
  defaultTiming,
  type EndpointContext,
  type Sizes,
  type Timing,
} from './limits.js';
import { LoopbackServer } from './loopbackServer.js';
import type { McpEndpoint } from './mcpEndpoint.js';
import type { Recorder } from './recording/recorder.js';
import { type Refusal, refuse, refuseUpgrade, shuttingDown } from './refusal.js';
import { findForeignOrigin, pathOf } from './requestGate.js';
import { rpcCode } from './rpcError.js';
import { keepSocketsWithInput } from './serverSockets.js';
import { bearerToken, findTokenHolder } from './token.js';
import type { Upgrader } from './upgrade.js';
import {
  WebSocketEndpoint,
  type WebSocketMcpEndpoint,
  type WebSocketMcpGuest,
  WebSocketSessions,
} from './webSocketEndpoint.js';

export interface ListenerOptions {
  /** 0, the default: the system chooses. Another port is for a companion that restarts. */
  readonly port?: number;
  /**
   * Requests that arrive earlier wait until this promise resolves: clients of a restarted companion return before its
   * endpoints exist, and would take a refusal for its end.
   */
  readonly ready?: Promise<unknown>;
  readonly recorder?: Recorder;
  readonly logger?: Logger;
  readonly timing?: Partial<Timing>;
  readonly sizes?: Partial<Sizes>;
  readonly counts?: Partial<Counts>;
  /** What `/identity` answers in addition to `pid` and `startedAt`. */
  readonly identity?: Readonly<Record<string, unknown>>;
}

/** One HTTP listener on 127.0.0.1 for all agents. Its creator closes it. */
export interface LoopbackListener {
  readonly port: number;
  /** Loads what the first client needs. Never rejects. */
  warmUp(): Promise<void>;
  /** Serves an agent over Streamable HTTP on `/mcp`. Disposing ends its sessions. Throws if the token is in use. */
  addHttpEndpoint(endpoint: McpEndpoint): AddedHttpEndpoint;
  /** Serves an agent over WebSocket on `/` and `/mcp`. Disposing ends its sessions. Throws if the token is in use. */
  addWebSocketEndpoint(endpoint: WebSocketMcpEndpoint): { dispose(): void };
  /** Serves clients that connect to the WebSocket endpoint of another agent. Disposing ends their sessions. */
  addWebSocketGuest(guest: WebSocketMcpGuest): { dispose(): void };
  /**
   * Ends every session and stops listening. Streams end in order, so that clients can reconnect to a restarted companion;
   * WebSockets close with 1001. Destroys what is still open at the close limit. Idempotent.
   */
  close(): Promise<void>;
}

/** An agent that is served over HTTP. */
export interface AddedHttpEndpoint {
  /** Ends its sessions. */
  dispose(): void;
  /**
   * Resumes sessions of an earlier companion on this port: their clients keep their session ids. Calls `onSession` for each;
   * a session ends if its client does not return.
   */
  resume(sessions: readonly ResumedSession[]): Promise<void>;
}

/** The listener could not be opened. With `port-taken`, another port helps. */
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
  const guests = new Map<WebSocketMcpGuest, WebSocketSessions>();
  const context: EndpointContext = {
    timing: { ...defaultTiming, ...options.timing },
    sizes: { ...defaultSizes, ...options.sizes },
    counts: { ...defaultCounts, ...options.counts },
    logger,
    recorder: options.recorder,
    isFull: ({ sessionCount }) => {
      const { sessions, sessionsPerAgent } = context.counts;
      const all = [...http, ...webSocket, ...guests.values()].reduce(
        (total, each) => total + each.sessionCount,
        0,
      );
      return sessionCount >= sessionsPerAgent || all >= sessions;
    },
  };
  const bounds = { drainMs: context.timing.drainMs, drainBytes: context.sizes.drainBytes };

  const { closeLimitMs, idleConnectionMs } = context.timing;
  const maxConnections = context.counts.connections;
  const loopback = new LoopbackServer({ maxConnections, closeLimitMs, idleConnectionMs });
  const { http: server, connections, closing } = loopback;
  keepSocketsWithInput(server);
  const wanted = options.port ?? 0;
  const port = await loopback.listen(wanted).catch((error: unknown) => {
    throw toListenError(error, wanted);
  });
  server.on('error', (error) => logger.error('The listener failed.', { error: describeFailure(error) }));

  /** For every path: checks the origin of a request, then its token. */
  const admit = (request: IncomingMessage): Admission => {
    if (closing.hasBegun) return { refusal: shuttingDown };
    const foreign = findForeignOrigin(request.headers, port);
    if (foreign !== undefined) return { refusal: { status: 403, message: foreign } };
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
      logger.error('Serving a request failed.', { error: describeFailure(error) });
      refuse(request, response, failed, bounds);
      if (!response.writableEnded) response.end();
    });
  };
  const isReady = (options.ready ?? Promise.resolve()).catch((error: unknown) => {
    logger.error('The preparation of the endpoints failed.', { error: describeFailure(error) });
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
      guests: () => guests,
      vouchFor: (request) => connections.vouchFor(request.socket),
    });
  });
  const refuseTunnel = (request: IncomingMessage, socket: Duplex): void => {
    socket.on('error', () => socket.destroy());
    refuseUpgrade(socket, admit(request).refusal ?? onlyWebSocket);
  };
  server.on('connect', refuseTunnel);
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    // The client may disconnect meanwhile.
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
  loopback.onUpgrade((request, socket, head) => {
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    if (!isWebSocket || closing.hasBegun) return refuseTunnel(request, socket);
    upgrade(request, socket, head).catch((error: unknown) => {
      logger.error('Serving an upgrade failed.', { error: describeFailure(error) });
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
        logger.error('The MCP layer cannot be loaded.', { error: describeFailure(error) });
      });
    },
    addHttpEndpoint(endpoint) {
      const served = new HttpEndpoint(endpoint, context);
      return { ...add(http, served), resume: (sessions) => served.resume(sessions) };
    },
    addWebSocketEndpoint: (endpoint) => add(webSocket, new WebSocketEndpoint(endpoint, context)),
    addWebSocketGuest(guest) {
      const sessions = new WebSocketSessions(guest, context);
      guests.set(guest, sessions);
      return {
        dispose: () => {
          guests.delete(guest);
          sessions.dispose();
        },
      };
    },
    close: () =>
      closing.begin(() => {
        for (const served of [...http, ...webSocket, ...guests.values()]) served.dispose();
      }),
  };
}

type Admission =
  | { readonly endpoint: HttpEndpoint | WebSocketEndpoint; readonly refusal?: undefined }
  | { readonly endpoint?: undefined; readonly refusal: Refusal };

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
  message: 'Unauthorized: send the token of the discovery file as "Authorization: Bearer <token>".',
  headers: { 'www-authenticate': 'Bearer' },
};
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
