import { rmdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Duplex } from 'node:stream';
import { describeFailure, errorCode, type Logger, messageOf, silentLogger } from '@tandem/core';
import { type CallEndpoint, ServedCalls } from './callEndpoint.js';
import { claimSocket } from './claimSocket.js';
import { HttpDoor } from './httpDoor.js';
import { HttpEndpoint, type ResumedSession } from './httpEndpoint.js';
import { processStartedAt } from './identity.js';
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
import type { McpEndpoint } from './mcpEndpoint.js';
import type { Recorder } from './recording/recorder.js';
import { findTokenHolder } from './token.js';
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
  /**
   * Serves an agent over Streamable HTTP on `/mcp` of a Unix socket that only this user can open, and nowhere else.
   * Rejects if the socket is not available. Disposing removes it.
   */
  addSocketEndpoint(endpoint: SocketMcpEndpoint): Promise<AddedHttpEndpoint>;
  /** Serves an agent over WebSocket on `/` and `/mcp`. Disposing ends its sessions. Throws if the token is in use. */
  addWebSocketEndpoint(endpoint: WebSocketMcpEndpoint): { dispose(): void };
  /** Serves clients that connect to the WebSocket endpoint of another agent. Disposing ends their sessions. */
  addWebSocketGuest(guest: WebSocketMcpGuest): { dispose(): void };
  /** Serves calls of programs of ours. Disposing disconnects those that wait. Throws if the token is in use. */
  addCallEndpoint(endpoint: CallEndpoint): { dispose(): void };
  /**
   * Ends every session and stops listening. Streams end in order, so that clients can reconnect to a restarted companion;
   * WebSockets close with 1001. Destroys what is still open at the close limit. Idempotent.
   */
  close(): Promise<void>;
}

/** An endpoint at a socket of its own. */
export type SocketMcpEndpoint = McpEndpoint & {
  /** The path of the socket, or the name of a pipe on Windows. */
  readonly socket: string;
  /** The scheme of the `Authorization` header. */
  readonly scheme: string;
};

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
  const calls = new Set<ServedCalls>();
  const guests = new Map<WebSocketMcpGuest, WebSocketSessions>();
  /** How to end each. */
  const sockets = new Map<HttpEndpoint, () => Promise<void>>();
  const context: EndpointContext = {
    timing: { ...defaultTiming, ...options.timing },
    sizes: { ...defaultSizes, ...options.sizes },
    counts: { ...defaultCounts, ...options.counts },
    logger,
    recorder: options.recorder,
    isFull: ({ sessionCount }) => {
      const { sessions, sessionsPerAgent } = context.counts;
      const all = [...http, ...webSocket, ...guests.values(), ...sockets.keys()].reduce(
        (total, each) => total + each.sessionCount,
        0,
      );
      return sessionCount >= sessionsPerAgent || all >= sessions;
    },
  };
  const isReady = (options.ready ?? Promise.resolve()).catch((error: unknown) => {
    logger.error('The preparation of the endpoints failed.', { error: describeFailure(error) });
  });
  const identity = () => ({ pid: process.pid, startedAt: processStartedAt, port, ...options.identity });
  const ready = options.ready && isReady;

  let port = options.port ?? 0;
  const atPort = () => [...http, ...webSocket, ...calls];
  const door = new HttpDoor({
    context,
    scheme: 'Bearer',
    port: () => port,
    endpoints: atPort,
    ready,
    identity,
  });
  const { connections, closing } = door.server;
  port = await door.server.listen(port).catch((error: unknown) => {
    throw toListenError(error, port);
  });
  door.watch();

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
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    // The client may disconnect meanwhile.
    const ignore = (): void => {};
    socket.on('error', ignore);
    try {
      await isReady;
      const { upgrade } = await loadUpgrader();
      if (closing.hasBegun) door.refuseTunnel(request, socket);
      else upgrade(request, socket, head);
    } finally {
      socket.off('error', ignore);
    }
  };
  door.server.onUpgrade((request, socket, head) => {
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    if (!isWebSocket || closing.hasBegun) return door.refuseTunnel(request, socket);
    upgrade(request, socket, head).catch((error: unknown) => {
      logger.error('Serving an upgrade failed.', { error: describeFailure(error) });
      socket.destroy();
    });
  });

  const add = <Endpoint extends HttpEndpoint | WebSocketEndpoint | ServedCalls>(
    to: Set<Endpoint>,
    endpoint: Endpoint,
  ) => {
    if (closing.hasBegun) throw new Error('The listener is closed. Create another one.');
    if (findTokenHolder([...atPort(), ...sockets.keys()], endpoint.token) !== undefined) {
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
    async addSocketEndpoint({ socket, scheme, ...endpoint }) {
      const served = new HttpEndpoint(endpoint, context);
      const only = new Set<HttpEndpoint>();
      const added = add(only, served);
      const at = new HttpDoor({
        context,
        scheme,
        port: () => undefined,
        endpoints: () => only,
        ready,
        identity,
      });
      at.server.onUpgrade((request, stream) => at.refuseTunnel(request, stream));
      const claim = await claimSocket(socket, at.server.http);
      if (claim instanceof Socket) {
        claim.destroy();
        throw new Error(`${socket} is in use by another program.`);
      }
      const end = () =>
        at.server.closing.begin(() => {
          claim.release();
          removeEmptyFolder(dirname(socket));
          added.dispose();
        });
      if (closing.hasBegun) await end();
      at.watch();
      sockets.set(served, end);
      return {
        resume: (sessions) => served.resume(sessions),
        dispose() {
          sockets.delete(served);
          void end();
        },
      };
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
    addCallEndpoint: (endpoint) => add(calls, new ServedCalls(endpoint)),
    async close() {
      // First the sockets: once the port is free, a successor may listen on the same paths.
      const ended = [...sockets.values()].map((end) => end());
      const closed = closing.begin(() => {
        for (const endpoint of [...atPort(), ...guests.values()]) endpoint.dispose();
      });
      await Promise.all([...ended, closed]);
    },
  };
}

function toListenError(error: unknown, port: number): ListenError {
  if (errorCode(error) === 'EADDRINUSE') {
    const message = `Port ${port} on 127.0.0.1 is in use by another program. Choose another port, or 0 for any free one.`;
    return new ListenError('port-taken', message, error);
  }
  const message = `Cannot listen on 127.0.0.1:${port}: ${messageOf(error)}. Choose another port, or 0 for any free one.`;
  return new ListenError('failed', message, error);
}

/** Other companions may have their sockets in the same folder. */
function removeEmptyFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // It is not empty, or there is no folder, as for a pipe.
  }
}
