import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { lazily } from '@tandem/companion/loopback';
import { describeError, type Logger } from '@tandem/core';
import { liveProtocol, liveTokenPrefix } from '@tandem/page/connection';
import { type RpcCode, rpcStatus } from '@tandem/rpc';
import type { WebSocket, WebSocketServer } from 'ws';
import { findForeignPage, noToken } from './pageHttp.js';

/** Pages send their calls by POST; the WebSocket only carries events to them. */
const maxFrameBytes = 1024;

/**
 * Upgrades requests for `/live` to WebSockets, or refuses them. A browser cannot send custom headers with a WebSocket,
 * so the token is sent as a subprotocol.
 */
export function createLiveUpgrader(of: {
  readonly holdsToken: (token: string | undefined) => boolean;
  readonly accept: (socket: WebSocket, request: IncomingMessage) => Promise<void>;
  readonly logger: Logger;
  /** Creates the server that accepts the sockets; for tests. */
  readonly createServer?: () => Promise<WebSocketServer>;
}): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  // Loaded with the first page, so that the start is faster.
  const server = lazily(of.createServer ?? createServer);
  return (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const foreign = findForeignPage(request.headers);
    if (foreign !== undefined) return refuse(socket, 'forbidden', foreign);
    const offered = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
    const token = offered.find((name) => name.startsWith(liveTokenPrefix))?.slice(liveTokenPrefix.length);
    if (!of.holdsToken(token)) return refuse(socket, 'unauthorized', noToken);
    if ((request.url ?? '').split('?', 1)[0] !== '/live') {
      return refuse(socket, 'not-found', 'WebSockets are served at /live only.');
    }
    if (!offered.includes(liveProtocol)) {
      return refuse(socket, 'bad-params', `The WebSocket subprotocol "${liveProtocol}" is required.`);
    }
    server()
      .then((ready) =>
        ready.handleUpgrade(request, socket, head, (opened) => void of.accept(opened, request)),
      )
      .catch((error: unknown) => {
        of.logger.error('a page could not be connected', { error: describeError(error) });
        socket.destroy();
      });
  };
}

async function createServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws');
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: maxFrameBytes,
    handleProtocols: () => liveProtocol,
    // Both ends are on the same machine: compression does not pay off.
    perMessageDeflate: false,
  });
}

function refuse(socket: Duplex, code: RpcCode, message: string): void {
  const status = rpcStatus[code];
  const body = JSON.stringify({ error: { code, message } });
  socket.once('finish', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
