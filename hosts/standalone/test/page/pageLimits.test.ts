import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { liveProtocol, liveTokenPrefix } from '@tandem/page/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { PageFixture } from '../support/pageFixture.js';

let fixture: PageFixture;
beforeEach(async () => {
  fixture = await PageFixture.start();
});
afterEach(() => fixture.dispose());

test('closes one page too many with the reason, and keeps the others open', async () => {
  const url = `ws://127.0.0.1:${fixture.server.port}/live`;
  const openOne = () => new WebSocket(url, [liveProtocol, `${liveTokenPrefix}${fixture.key}`]);
  const pages = Array.from({ length: 64 }, openOne);
  await Promise.all(pages.map((page) => once(page, 'open')));
  const [code, reason] = await once(openOne(), 'close');
  expect([code, String(reason)]).toEqual([
    1013,
    'Too many pages of this companion are open. Close some of them.',
  ]);
  expect(fixture.server.openPages).toBe(64);
  for (const page of pages) page.terminate();
});

test('accepts a page while other programs hold silent connections', async () => {
  const page = await fixture.open();
  const sockets: Socket[] = [];
  const closed: Promise<unknown>[] = [];
  for (let opened = 0; opened < 600; opened += 1) {
    const socket = connect(fixture.server.port, '127.0.0.1');
    sockets.push(socket.on('error', () => {}).resume());
    closed.push(once(socket, 'close'));
    await once(socket, 'connect');
  }
  await Promise.all(closed.slice(0, 80));
  expect((await fixture.get('/')).status).toBe(200);
  await expect(fixture.call('ping', {}, page)).resolves.toBeDefined();
  for (const socket of sockets) socket.destroy();
});
