import { connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { findPeerProcess } from '../src/index.js';

const sockets: Socket[] = [];
const server = createServer();
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

describe.runIf(process.platform === 'linux')('the process at the other end of a connection', () => {
  test('is found by its socket, and unknown once the socket is closed', async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
    const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
    const ours = await accepted;
    sockets.push(client, ours);
    const { localPort = 0, remotePort = 0 } = ours;
    // Both ends are in this process.
    expect(await findPeerProcess({ localPort, remotePort })).toBe(process.pid);
    expect(await findPeerProcess({ localPort, remotePort: 1 })).toBe(undefined);
    expect(await findPeerProcess({ remotePort })).toBe(undefined);
    client.destroy();
    await new Promise((resolve) => ours.once('close', resolve).resume());
    expect(await findPeerProcess({ localPort, remotePort })).toBe(undefined);
  });
});
