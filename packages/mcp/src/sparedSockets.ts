import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { awakeTimeout } from './awakeTimeout.js';

/** Time in which a connection is read that was found idle too long, in milliseconds. */
const lastLookMs = 1_000;

/**
 * Node closes a connection that was idle for `keepAliveTimeout` by a timer, which is due after a pause of this process
 * before the request is read that came meanwhile, and then fails it. So an idle connection is looked at once more.
 */
export function spareSocketsThatSpoke(server: Server): void {
  server.on('timeout', (socket: Socket) => {
    const { bytesRead } = socket;
    awakeTimeout(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    }, lastLookMs);
  });
}
