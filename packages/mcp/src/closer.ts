import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The end of a server that never waits for its clients longer than a limit. */
export interface Closer {
  readonly hasBegun: boolean;
  /**
   * Stops to listen, lets `endStreams` end what is open in order, and resolves when every socket is gone: by
   * itself, or destroyed when the limit has passed. Idempotent; later callers wait for the same end.
   */
  begin(endStreams: () => void): Promise<void>;
}

/**
 * Watches a server's sockets from before it listens. Node's `closeIdleConnections` is not enough: it overlooks
 * connections that a client opened in advance and has not used yet, as `fetch` does.
 */
export function createCloser(server: Server, limitMs: number): Closer {
  const sockets = new Set<Socket>();
  /** Those with a response that is not over, or with a WebSocket. */
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
      // The response is with the kernel by now, which delivers it before it closes the connection.
      if (closed !== undefined) setImmediate(() => socket.destroy());
    });
  };
  server.on('request', onRequest).on('checkContinue', onRequest);
  server.on('upgrade', ({ socket }) => busy.add(socket));

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
  };
}
