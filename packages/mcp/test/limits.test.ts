import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Counts, createListener, defineTool, type LoopbackListener, type Sizes } from '../src/index.js';
import { HttpClient } from './support/httpClient.js';
import { openSocket, readAnswer, requestHead, sendRaw } from './support/rawHttp.js';
import { recordingEndpoint } from './support/recordingEndpoint.js';
import { tokenHeader, WebSocketClient } from './support/webSocketClient.js';

let listener: LoopbackListener | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listener?.close();
});

async function serve(counts: Partial<Counts>, sizes: Partial<Sizes> = {}) {
  const overHttp = recordingEndpoint();
  const other = recordingEndpoint();
  const overWebSocket = { ...recordingEndpoint(), tokenHeader };
  const made = await createListener({ counts, sizes, timing: { closeLimitMs: 50 } });
  listener = made;
  made.addHttpEndpoint(overHttp);
  made.addHttpEndpoint(other);
  made.addWebSocketEndpoint(overWebSocket);
  const open = async (): Promise<Socket> => {
    const socket = await openSocket(made.port);
    socket.on('error', () => {});
    sockets.push(socket);
    return socket;
  };
  return { listener: made, overHttp, other, overWebSocket, open };
}

describe('connections', () => {
  test('beyond the limit, one without a token is closed with a reason', async () => {
    const { listener, overHttp, open } = await serve({ connections: 3 });
    const silent = await open();
    const answer = readAnswer(silent);
    // Each on its own connection, kept open by a pending answer.
    const held = await new HttpClient(listener, overHttp.token).connect();
    const stream = await held.stream();
    await open();
    await open();
    const { status, text } = await answer;
    expect(status).toBe(503);
    expect(text).toContain('Too many connections are open. Close some, and try again.');
    expect(stream.events).toEqual([]);
    stream.abort();
  });

  test('without a token, however many, keep no agent out and end no connected one', async () => {
    const { listener, overHttp, open } = await serve({ connections: 20 });
    const client = await new HttpClient(listener, overHttp.token).connect();
    const stream = await client.stream();
    const closed: Promise<unknown>[] = [];
    for (let opened = 0; opened < 60; opened += 1) {
      const socket = await open();
      closed.push(once(socket.resume(), 'close'));
    }
    await Promise.all(closed.slice(0, 40));
    expect((await client.call('echo', { text: 'here' })).status).toBe(200);
    await new HttpClient(listener, overHttp.token).connect();
    await overHttp.sessions[0]?.notify('test/news', {});
    await stream.signals.until(() => stream.events.length > 0);
    stream.abort();
  });

  test('beyond the limit, if all have presented a token, the new one is refused', async () => {
    const { listener, overHttp } = await serve({ connections: 2 });
    const client = await new HttpClient(listener, overHttp.token).connect();
    const streams = [await client.stream()];
    const second = await new HttpClient(listener, overHttp.token).connect().catch((error: unknown) => error);
    // The remaining connection also carries a stream.
    if (second instanceof HttpClient) streams.push(await second.stream());
    const refused = await sendRaw(listener.port, '');
    expect(refused.status).toBe(503);
    for (const stream of streams) stream.abort();
  });
});

describe('sessions', () => {
  test('of one agent beyond the limit are refused with 503, and leave other agents alone', async () => {
    const { listener, overHttp, other } = await serve({ sessionsPerAgent: 2 });
    const clients = [new HttpClient(listener, overHttp.token), new HttpClient(listener, overHttp.token)];
    const streams = [];
    for (const client of clients) {
      await client.connect();
      streams.push(await client.stream());
    }
    const refused = await new HttpClient(listener, overHttp.token).initialize();
    expect(refused.status).toBe(503);
    expect(refused.message.error).toEqual({
      code: -32000,
      message: 'Too many agents are connected to this companion. Close some of them, then connect again.',
    });
    expect(overHttp.sessions).toHaveLength(2);
    expect((await new HttpClient(listener, other.token).initialize()).status).toBe(200);
    // A new one is accepted as soon as one has ended.
    await clients[0]?.send('DELETE');
    expect((await new HttpClient(listener, overHttp.token).initialize()).status).toBe(200);
    for (const stream of streams) stream.abort();
  });

  test('that have no connected client make room for a new one', async () => {
    const { listener, overHttp } = await serve({ sessionsPerAgent: 3 });
    const connected = await new HttpClient(listener, overHttp.token).connect();
    const stream = await connected.stream();
    for (let begun = 0; begun < 20; begun += 1) {
      expect((await new HttpClient(listener, overHttp.token).initialize()).status).toBe(200);
    }
    expect(overHttp.sessions.length - overHttp.ends.length).toBe(3);
    expect(overHttp.ends.map(({ id }) => id)).not.toContain(connected.sessionId);
    stream.abort();
  });

  test('that begin at the same time are counted', async () => {
    const { listener, overHttp, overWebSocket } = await serve({ sessionsPerAgent: 5, sessions: 8 });
    const clients = Array.from({ length: 12 }, () => new HttpClient(listener, overHttp.token));
    const answers = await Promise.all(clients.map((client) => client.initialize()));
    const begun = overHttp.sessions.length - overHttp.ends.length;
    expect(begun).toBeLessThanOrEqual(5);
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
    const opening = Array.from({ length: 12 }, () =>
      WebSocketClient.open(listener, { token: overWebSocket.token }),
    );
    const opened = await Promise.all(opening);
    const refused = await Promise.all(opened.slice(8 - begun).map(({ closed }) => closed));
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set([1013]));
    expect(refused[0]?.reason).toContain('Too many agents are connected');
    for (const { socket } of opened) socket.terminate();
  });
});

describe('requests', () => {
  for (const way of ['HTTP', 'WebSocket'] as const) {
    test(`of one session over ${way} beyond the limit of unanswered ones are answered with an error`, async () => {
      const { listener, overHttp, overWebSocket } = await serve({ unansweredRequests: 4 });
      const endpoint = way === 'HTTP' ? overHttp : overWebSocket;
      const client =
        way === 'HTTP'
          ? await new HttpClient(listener, overHttp.token).connect()
          : await WebSocketClient.connect(listener, { token: overWebSocket.token });
      const call = async (name: string, args: unknown) => {
        const answer = await client.call(name, args);
        return 'message' in answer ? answer.message : answer;
      };
      const waiting = Array.from({ length: 4 }, () => call('block', {}));
      await endpoint.signals.until(() => endpoint.blocked.length === 4);
      expect((await call('echo', { text: 'x' })).error).toEqual({
        code: -32000,
        message: 'Too many requests at once: 4 are unanswered. Wait for some of the answers.',
      });
      endpoint.release();
      await Promise.race(waiting);
      expect((await call('echo', { text: 'x' })).result).toBeDefined();
      for (let left = 0; left < 3; left += 1) endpoint.release();
      await Promise.all(waiting);
    });
  }

  test('beyond the rate are answered with an error until the next second', async () => {
    const { listener, overWebSocket } = await serve({ requestsPerSecond: 50 });
    const client = await WebSocketClient.connect(listener, { token: overWebSocket.token });
    const answers = await Promise.all(Array.from({ length: 200 }, () => client.request('ping')));
    const refused = answers.filter(({ error }) => error !== undefined);
    expect(refused.length).toBeGreaterThan(50);
    expect(refused[0]?.error).toEqual({
      code: -32000,
      message: 'Too many requests: at most 50 in one second. Send fewer.',
    });
    await expect.poll(async () => (await client.request('ping')).result, { timeout: 5_000 }).toEqual({});
  });

  test('of one client that sends thousands at once are served one per turn', async () => {
    let inThisTurn = 0;
    let most = 0;
    const count = defineTool({
      name: 'count',
      description: 'Counts its calls between two turns of the event loop.',
      input: z.object({}),
      run() {
        inThisTurn += 1;
        most = Math.max(most, inThisTurn);
        setImmediate(() => {
          inThisTurn = 0;
        });
        return { content: [] };
      },
    });
    const endpoint = { ...recordingEndpoint({ tools: [count] }), tokenHeader };
    const made = await createListener();
    listener = made;
    made.addWebSocketEndpoint(endpoint);
    const client = await WebSocketClient.connect(made, { token: endpoint.token });
    const raw: Socket = Reflect.get(client.socket, '_socket');
    raw.cork();
    for (let id = 1000; id < 3000; id += 1) {
      client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'count' } });
    }
    raw.uncork();
    await client.next(({ id }) => id === 2999);
    // Two, if a turn of the counter begins between two turns of the listener.
    expect(most).toBeLessThanOrEqual(2);
  });
});

describe('a client that does not read', () => {
  test('is disconnected over WebSocket when too much is unread', async () => {
    const { listener, overWebSocket } = await serve({}, { unreadBytes: 1024 * 1024 });
    const client = await WebSocketClient.connect(listener, { token: overWebSocket.token });
    client.socket.pause();
    for (let call = 0; call < 20; call += 1) {
      const args = { text: 'x'.repeat(50), times: 20_000 };
      client.send({
        jsonrpc: '2.0',
        id: 100 + call,
        method: 'tools/call',
        params: { name: 'echo', arguments: args },
      });
    }
    await overWebSocket.signals.until(() => overWebSocket.ends.length > 0);
    expect(overWebSocket.ends).toMatchObject([{ reason: 'disconnected' }]);
    client.socket.terminate();
  });

  test('over HTTP is sent no more notifications until it has read, and then the current state', async () => {
    const { listener, overHttp, open } = await serve({ unreadNotifications: 10 });
    const client = await new HttpClient(listener, overHttp.token).connect();
    const socket = await open();
    const headers = { ...client.headers(), accept: 'text/event-stream', host: `127.0.0.1:${listener.port}` };
    socket.pause();
    socket.write(requestHead('GET /mcp HTTP/1.1', headers));
    await overHttp.signals.until(() => overHttp.streams.length === 1);
    const [session] = overHttp.sessions;
    const text = 'x'.repeat(1024 * 1024);
    const sent = Array.from({ length: 30 }, () => session?.notify('test/news', { text }));
    // Notifications beyond the limit are not awaited: they are dropped.
    expect(await session?.notify('test/news', { text })).toBe(false);
    socket.resume();
    await Promise.all(sent);
    await overHttp.signals.until(() => overHttp.streams.length === 2);
    expect(await session?.notify('test/news', {})).toBe(true);
  });
});
