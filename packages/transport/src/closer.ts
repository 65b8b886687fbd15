import type { Server } from 'node:http';
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

/** Watches a server's sockets from before it listens. */
export function createCloser(server: Server, limitMs: number): Closer {
  const sockets = new Set<Socket>();
  let closed: Promise<void> | undefined;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // A stream that ended leaves a connection that could be used again. `server.close()` has looked for such
  // ones before the stream ended.
  server.on('request', (_request, response) => {
    response.once('close', () => {
      if (closed !== undefined) setImmediate(() => server.closeIdleConnections());
    });
  });
  return {
    get hasBegun() {
      return closed !== undefined;
    },
    begin(endStreams) {
      closed ??= new Promise((resolve) => {
        const limit = setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, limitMs);
        server.close(() => {
          clearTimeout(limit);
          resolve();
        });
        endStreams();
      });
      return closed;
    },
  };
}
