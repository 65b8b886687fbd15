import { request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { createListener, type LoopbackListener, type WebSocketMcpEndpoint } from '../src/index.js';
import { HttpClient } from './support/httpClient.js';
import { openSocket, readAnswer, requestHead } from './support/rawHttp.js';
import { type RecordingEndpoint, recordingEndpoint } from './support/recordingEndpoint.js';
import { tokenHeader, WebSocketClient } from './support/webSocketClient.js';

const megabyte = 1_000_000;
let listener: LoopbackListener;
let overHttp: RecordingEndpoint;
let overWebSocket: RecordingEndpoint & WebSocketMcpEndpoint;

beforeEach(async () => {
  listener = await createListener();
  overHttp = recordingEndpoint();
  overWebSocket = Object.assign(recordingEndpoint(), { tokenHeader });
  listener.addHttpEndpoint(overHttp);
  listener.addWebSocketEndpoint(overWebSocket);
});
afterEach(() => listener.close());

const callWith = (text: string) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text } },
  });

describe('a body of 70 MB', () => {
  test('is answered with 413 to fetch', async () => {
    const client = await new HttpClient(listener, overHttp.token).connect();
    const answer = await client.post(callWith('x'.repeat(70 * megabyte)));
    expect(answer.status).toBe(413);
    expect(answer.message.error?.message).toContain('64.0 MiB');
    expect((await client.call('echo', { text: 'on' })).status).toBe(200);
  });

  test('is answered with 413 to a client that reads only after it has sent everything', async () => {
    const client = await new HttpClient(listener, overHttp.token).connect();
    const body = Buffer.from(callWith('x'.repeat(70 * megabyte)));
    const socket = await openSocket(listener.port);
    const head = requestHead('POST /mcp HTTP/1.1', {
      ...client.headers(),
      host: `127.0.0.1:${listener.port}`,
      'content-length': String(body.length),
    });
    socket.pause();
    socket.write(head);
    await new Promise((resolve) => socket.write(body, resolve));
    expect((await readAnswer(socket)).status).toBe(413);
  });

  test('is answered with 413 without a Content-Length', async () => {
    const client = await new HttpClient(listener, overHttp.token).connect();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sending = request(client.url, { method: 'POST', headers: client.headers() }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sending.once('error', reject);
      for (let sent = 0; sent < 70; sent++) sending.write('x'.repeat(megabyte));
      sending.end();
    });
    expect(status).toBe(413);
  });

  test('is answered with 401 when the token is wrong', async () => {
    const answer = await new HttpClient(listener, 'wrong').post('x'.repeat(70 * megabyte));
    expect(answer.status).toBe(401);
  });

  test('closes a WebSocket with 1009', async () => {
    const client = await WebSocketClient.connect(listener, {
      token: overWebSocket.token,
      perMessageDeflate: false,
    });
    client.send('x'.repeat(70 * megabyte));
    expect((await client.closed).code).toBe(1009);
  });
});

describe('a proposal of 60 MB', () => {
  const text = 'a line of text é\n'.repeat(Math.floor((60 * megabyte) / 18));

  test('is served over HTTP', exhaustive, async () => {
    const client = await new HttpClient(listener, overHttp.token).connect();
    const { message } = await client.post(callWith(text));
    const [block] = (message.result?.content ?? []) as { text: string }[];
    expect(block?.text === text).toBe(true);
  });

  test(
    'is accepted over WebSocket, and an answer too large for a frame becomes an error',
    exhaustive,
    async () => {
      const client = await WebSocketClient.connect(listener, { token: overWebSocket.token });
      client.send(callWith(text));
      const { result } = await client.next(({ id }) => id === 7);
      expect(result?.isError).toBe(true);
      expect(JSON.stringify(result)).toContain('16.0 MiB');
    },
  );
});

describe('500 idle clients', () => {
  const count = 500;

  /** Bytes in use after a collection, those of buffers included. */
  function usedBytes(): number {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }

  test(
    'over HTTP, each with an open stream, cost less than 1 MB each and do not slow others down',
    exhaustive,
    async () => {
      const first = await new HttpClient(listener, overHttp.token).connect();
      const before = usedBytes();
      const clients = await Promise.all(
        Array.from({ length: count }, () => new HttpClient(listener, overHttp.token).connect()),
      );
      const streams = await Promise.all(clients.map((client) => client.stream()));
      // Both ends are in this process: the figure is above what the companion alone needs.
      expect((usedBytes() - before) / count).toBeLessThan(megabyte);
      expect((await first.call('echo', { text: 'on' })).status).toBe(200);
      await Promise.all(overHttp.sessions.map((session) => session.notify('to all', {})));
      await Promise.all(streams.map(({ signals, events }) => signals.until(() => events.length === 1)));
      await listener.close();
      expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(Array(count).fill('end'));
      expect(overHttp.ends).toHaveLength(count + 1);
    },
  );

  test('over WebSocket cost less than 1 MB each and do not slow others down', exhaustive, async () => {
    const first = await WebSocketClient.connect(listener, { token: overWebSocket.token });
    const before = usedBytes();
    const clients = await Promise.all(
      Array.from({ length: count }, () => WebSocketClient.connect(listener, { token: overWebSocket.token })),
    );
    expect((usedBytes() - before) / count).toBeLessThan(megabyte);
    expect((await first.call('echo', { text: 'on' })).result).toBeDefined();
    await listener.close();
    const codes = await Promise.all(clients.map(async ({ closed }) => (await closed).code));
    expect(codes).toEqual(Array(count).fill(1001));
  });

  test(
    'that send nothing keep neither others from connecting nor the listener from closing',
    exhaustive,
    async () => {
      const silent = await Promise.all(Array.from({ length: count }, () => openSocket(listener.port)));
      for (const socket of silent) socket.on('error', () => {}).resume();
      const client = await new HttpClient(listener, overHttp.token).connect();
      expect((await client.call('echo', { text: 'on' })).status).toBe(200);
      const closed = Promise.all(
        silent.map((socket) => new Promise((resolve) => socket.once('close', resolve))),
      );
      await listener.close();
      await closed;
    },
  );
});
