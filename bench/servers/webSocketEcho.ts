import { WebSocketServer } from 'ws';

/** The floor under the WebSocket: every text comes back as it is. */
export interface WebSocketEchoReady {
  readonly port: number;
}

process.once('disconnect', () => process.exit());

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
server.on('connection', (socket) => {
  socket.on('message', (data) => socket.send(data.toString()));
});
server.on('listening', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.send?.({ port } satisfies WebSocketEchoReady);
});
