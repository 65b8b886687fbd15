import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WebSocketServer } from 'ws';
import { answerMeasures } from './answerMeasures.js';

/**
 * The baseline of the WebSocket: it returns every text unchanged; on the path `/written`, after writing it to a file.
 */
export interface WebSocketEchoReady {
  readonly port: number;
}

answerMeasures();
process.once('disconnect', () => process.exit());

const file = join(process.argv[2] ?? '.', 'written');
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: 64 * 1024 * 1024 });
server.on('connection', (socket, { url }) => {
  socket.on('message', async (data) => {
    const text = data.toString();
    if (url === '/written') await writeFile(file, text);
    socket.send(text);
  });
});
server.on('listening', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.send?.({ port } satisfies WebSocketEchoReady);
});
