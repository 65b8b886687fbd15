import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A server's sockets, of which only so many are open at one time. */
export interface ConnectionLimit {
  /** Who is behind this socket has shown a token: it makes room for nobody. */
  vouchFor(socket: object): void;
}

const fullAnswer =
  'HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-type: text/plain\r\n\r\n' +
  'Too many connections are open. Close some, and try again.\n';

/**
 * Bounds how many sockets of a server are open. Beyond that the one goes which is open the longest without having
 * shown a token, so that another user of this machine who opens many and says nothing keeps no agent out. Only where
 * every one has shown a token is the new one refused. Either is told why. Call it before the server listens.
 */
export function limitConnections(server: Server, limit: number): ConnectionLimit {
  const strangers = new Set<Socket>();
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open += 1;
    strangers.add(socket);
    socket.once('close', () => {
      open -= 1;
      strangers.delete(socket);
    });
    if (open <= limit) return;
    // The new one itself is the last of them, and so the one to go where all others have shown a token.
    const [oldest] = strangers;
    if (oldest !== undefined) turnAway(oldest, () => strangers.delete(oldest));
  });
  return {
    vouchFor: (socket) => {
      // A socket of a server is one, whatever the type of what carries it.
      strangers.delete(socket as Socket);
    },
  };
}

function turnAway(socket: Socket, leave: () => void): void {
  leave();
  // In the middle of an answer another one would only be noise.
  if (socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  socket.on('error', () => socket.destroy());
  socket.end(fullAnswer, () => socket.destroy());
}
