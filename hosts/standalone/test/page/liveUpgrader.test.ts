import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '@tandem/core';
import { liveProtocol, liveTokenPrefix } from '@tandem/page/wire';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createLiveUpgrader } from '../../src/page/liveUpgrader.js';

test('closes the connection, logs the error and retries if the WebSocket server cannot be loaded', async () => {
  const problems: string[] = [];
  let begun = 0;
  const upgrade = createLiveUpgrader({
    holdsToken: (token) => token === 'secret',
    accept: async (socket) => socket.close(1000),
    logger: {
      ...silentLogger,
      error: (message, fields) => void problems.push(`${message}: ${fields?.error}`),
    },
    createServer: async () => {
      begun += 1;
      if (begun === 1) throw new Error('no more files can be opened');
      return new WebSocketServer({ noServer: true, handleProtocols: () => liveProtocol });
    },
  });
  const server = createServer().on('upgrade', upgrade).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connect = (): WebSocket =>
    new WebSocket(`ws://127.0.0.1:${port}/live`, [liveProtocol, `${liveTokenPrefix}secret`], {
      origin: `http://127.0.0.1:${port}`,
    });

  const [refused] = await once(connect(), 'error');
  expect(refused).toMatchObject({ code: 'ECONNRESET' });
  expect(problems).toEqual(['a page could not be connected: no more files can be opened']);

  const [code] = await once(connect(), 'close');
  expect([code, begun, problems.length]).toEqual([1000, 2, 1]);
});
