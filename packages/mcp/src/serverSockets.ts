import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { awakeTimeout } from '@tandem/core';

export interface ConnectionLimit {
  /** The client of this socket has presented a token: keep the socket. */
  vouchFor(socket: object): void;
}

const fullAnswer =
  'HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-type: text/plain\r\n\r\n' +
  'Too many connections are open. Close some, and try again.\n';

/**
 * Bounds the number of open sockets. Beyond it, the oldest socket without a token is closed with 503, so that another user
 * of this machine cannot keep agents out; if all have presented a token, the new one is closed. Call it before the server
 * listens.
 */
export function limitConnections(server: Server, limit: number): ConnectionLimit {
  const unknownSockets = new Set<Socket>();
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open += 1;
    unknownSockets.add(socket);
    socket.once('close', () => {
      open -= 1;
      unknownSockets.delete(socket);
    });
    if (open <= limit) return;
    // In insertion order: the new socket is the last.
    const [oldest] = unknownSockets;
    if (oldest !== undefined) refuseConnection(oldest, () => unknownSockets.delete(oldest));
  });
  return {
    vouchFor: (socket) => {
      unknownSockets.delete(socket as Socket);
    },
  };
}

function refuseConnection(socket: Socket, leave: () => void): void {
  leave();
  // It is in the middle of another answer.
  if (socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  socket.on('error', () => socket.destroy());
  socket.end(fullAnswer, () => socket.destroy());
}

/** Stops a server and waits for its clients until a limit. */
export interface Closer {
  readonly hasBegun: boolean;
  /**
   * Stops listening, calls `endStreams`, and resolves when all sockets are closed; after the limit it destroys them.
   * Idempotent: later calls wait for the same end.
   */
  begin(endStreams: () => void): Promise<void>;
  /** Leaves this socket, which has a WebSocket, to `endStreams`. */
  keep(socket: Socket): void;
}

/**
 * Tracks a server's sockets. Call it before the server listens. Node's `closeIdleConnections` misses connections that a
 * client, such as `fetch`, opened in advance and has not used.
 */
export function createCloser(server: Server, limitMs: number): Closer {
  const sockets = new Set<Socket>();
  /** With an unfinished response or a WebSocket. */
  const busy = new Set<Socket>();
  let closed: Promise<void> | undefined;

  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket) && busy.delete(socket));
  });
  const onRequest = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    busy.add(socket);
    response.once('close', () => {
      busy.delete(socket);
      // The kernel has the response, and delivers it before it closes the connection.
      if (closed !== undefined) setImmediate(() => socket.destroy());
    });
  };
  server.on('request', onRequest).on('checkContinue', onRequest);

  const destroyWhere = (isLeft: (socket: Socket) => boolean): void => {
    for (const socket of [...sockets].filter(isLeft)) socket.destroy();
  };

  return {
    get hasBegun() {
      return closed !== undefined;
    },
    begin(endStreams) {
      closed ??= new Promise((resolve) => {
        const limit = setTimeout(() => destroyWhere(() => true), limitMs);
        server.close(() => {
          clearTimeout(limit);
          resolve();
        });
        endStreams();
        destroyWhere((socket) => !busy.has(socket));
      });
      return closed;
    },
    keep(socket) {
      busy.add(socket);
    },
  };
}

/** In milliseconds. */
const lastReadMs = 1_000;

/**
 * Node closes connections that were idle for `keepAliveTimeout`. After a pause of this process, that timer fires before
 * waiting requests are read, and they would fail. So an idle connection gets one more second to be read.
 */
export function keepSocketsWithInput(server: Server): void {
  server.on('timeout', (socket: Socket) => {
    const { bytesRead } = socket;
    awakeTimeout(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    }, lastReadMs);
  });
}
