import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  createListener,
  type ListenerOptions,
  type LoopbackListener,
  type WebSocketMcpEndpoint,
} from '../src/index.js';
import { type RawAnswer, requestHead, sendRaw } from './support/rawHttp.js';
import { type RecordingEndpoint, recordingEndpoint } from './support/recordingEndpoint.js';
import { type ConnectOptions, tokenHeader, WebSocketClient } from './support/webSocketClient.js';

const mebibyte = 1024 * 1024;
let listener: LoopbackListener;
let endpoint: RecordingEndpoint & WebSocketMcpEndpoint;
let warnings: { message: string; fields: unknown }[];
afterEach(() => listener.close());

async function start(options: ListenerOptions = {}): Promise<void> {
  warnings = [];
  const ignore = () => {};
  const warn = (message: string, fields?: unknown) => void warnings.push({ message, fields });
  listener = await createListener({
    logger: { debug: ignore, info: ignore, warn, error: ignore },
    ...options,
  });
  endpoint = Object.assign(recordingEndpoint(), { tokenHeader });
  listener.addWebSocketEndpoint(endpoint);
}

async function connect(options: ListenerOptions = {}, client: ConnectOptions = {}): Promise<WebSocketClient> {
  await start(options);
  return WebSocketClient.connect(listener, { token: endpoint.token, ...client });
}

const session = () => {
  const [first] = endpoint.sessions;
  if (first === undefined) throw new Error('There is no session.');
  return first;
};
const reason = async () => {
  await endpoint.signals.until(() => endpoint.ends.length > 0);
  return endpoint.ends.map((end) => end.reason);
};

describe('the handshake', () => {
  const upgrade = (headers: Record<string, string | undefined>, path = '/'): Promise<RawAnswer> => {
    const all: Record<string, string | undefined> = {
      host: `127.0.0.1:${listener.port}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': 'mcp',
      [tokenHeader]: endpoint.token,
      ...headers,
    };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return sendRaw(listener.port, requestHead(`GET ${path} HTTP/1.1`, Object.fromEntries(given)));
  };

  test.each(['/', '/mcp', '/mcp?x=1'])('is completed on %s, with the subprotocol echoed', async (path) => {
    await start();
    const client = await WebSocketClient.open(listener, { token: endpoint.token, path });
    expect(client.socket.protocol).toBe('mcp');
  });

  test('picks mcp out of several subprotocols', async () => {
    await start();
    const client = await WebSocketClient.open(listener, {
      token: endpoint.token,
      protocols: ['other', 'mcp'],
    });
    expect(client.socket.protocol).toBe('mcp');
  });

  test.each([['no'], ['another']])(
    'with %s subprotocol is answered with 400 and the reason',
    async (which) => {
      await start();
      const answer = await upgrade({ 'sec-websocket-protocol': which === 'no' ? undefined : 'chat, mcp2' });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('Sec-WebSocket-Protocol: mcp');
    },
  );

  test.each([
    ['a foreign Host', { host: 'evil.example' }],
    ['an Origin', { origin: 'http://127.0.0.1' }],
    ['no Host', { host: undefined }],
  ])('with %s is answered with 403, also when the token is right', async (_what, headers) => {
    await start();
    expect((await upgrade(headers)).status).toBe(403);
  });

  test.each(['/ws', '/identity', '/mcp/'])('on %s is answered with 404', async (path) => {
    await start();
    expect((await upgrade({}, path)).status).toBe(404);
  });

  test('is refused if it is invalid', async () => {
    await start();
    expect((await upgrade({ 'sec-websocket-key': 'short' })).status).toBe(400);
    expect((await upgrade({ 'sec-websocket-version': '1' })).status).toBe(400);
  });

  test.each([
    ['wrong', 'wrong'],
    ['missing', undefined],
    ['empty', ''],
  ])('with a token that is %s is completed and then closed with 1008', async (_what, token) => {
    await start();
    const client = new WebSocketClient(listener, token === undefined ? {} : { token });
    expect(await client.closed).toEqual({ code: 1008, reason: 'Invalid or missing authentication token' });
    expect(endpoint.sessions).toEqual([]);
  });

  test('ignores messages of a client without a token', async () => {
    await start();
    const client = new WebSocketClient(listener, { token: 'wrong' });
    client.socket.once('open', () => void client.initialize());
    expect((await client.closed).code).toBe(1008);
    expect(client.received).toEqual([]);
    expect(endpoint.sessions).toEqual([]);
  });

  test('declines compression, and large messages arrive', async () => {
    const client = await connect({}, { perMessageDeflate: true });
    expect(client.socket.extensions).toBe('');
    const text = 'é😀'.repeat(100_000);
    expect((await client.call('echo', { text })).result?.content).toEqual([{ type: 'text', text }]);
  });

  test('works without permessage-deflate', async () => {
    const client = await connect({}, { perMessageDeflate: false });
    expect(client.socket.extensions).toBe('');
    expect((await client.call('echo', { text: 'x' })).result).toBeDefined();
  });

  test('identifies the endpoint by its token', async () => {
    await start();
    const other = Object.assign(recordingEndpoint(), { tokenHeader: 'X-Other' });
    listener.addWebSocketEndpoint(other);
    const client = new WebSocketClient(listener, { headers: { 'X-Other': other.token } });
    await new Promise((resolve) => client.socket.once('open', resolve));
    await client.initialize();
    expect([endpoint.sessions.length, other.sessions.length]).toEqual([0, 1]);
  });

  test('is closed without initialize in time', async () => {
    await start({ timing: { handshakeMs: 20 } });
    const client = await WebSocketClient.open(listener, { token: endpoint.token });
    expect((await client.closed).code).toBe(1008);
    expect(endpoint.ends).toEqual([]);
  });
});

describe('a session', () => {
  test.each([
    ['2024-11-05', '2024-11-05'],
    ['2025-03-26', '2025-03-26'],
    ['2025-11-25', '2025-11-25'],
    ['1.0', '2025-11-25'],
  ])('that asks for %s gets %s', async (asked, got) => {
    await start();
    const client = await WebSocketClient.open(listener, { token: endpoint.token });
    const { result } = await client.initialize(asked);
    expect(result).toEqual({
      protocolVersion: got,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'test-server', version: '1.2.3' },
    });
    expect(session()).toMatchObject({
      client: { name: 'raw-ws-client', version: '9.9.9' },
      protocolVersion: got,
    });
  });

  test('may start with the id 0', async () => {
    await start();
    const client = await WebSocketClient.open(listener, { token: endpoint.token });
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    };
    client.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    expect((await client.next(({ id }) => id === 0)).result).toBeDefined();
  });

  test('answers nothing but ping before initialize', async () => {
    await start();
    const client = await WebSocketClient.open(listener, { token: endpoint.token });
    expect((await client.request('tools/list')).error).toEqual({
      code: -32600,
      message: 'Send initialize first.',
    });
    expect((await client.request('server/discover')).error?.code).toBe(-32601);
    expect((await client.request('ping')).result).toEqual({});
    expect((await client.initialize()).result).toBeDefined();
  });

  test('with an invalid initialize is answered with -32602 and may retry', async () => {
    await start();
    const client = await WebSocketClient.open(listener, { token: endpoint.token });
    expect((await client.request('initialize', { protocolVersion: 1 })).error?.code).toBe(-32602);
    expect((await client.initialize()).result).toBeDefined();
  });

  test('receives notifications after notifications/initialized, once', async () => {
    await start();
    endpoint.onStreamOpen = (opened) => void opened.notify('selection_changed', { text: '' });
    const client = await WebSocketClient.open(listener, { token: endpoint.token });
    await client.initialize();
    await session().notify('too early', {});
    client.notify('notifications/initialized');
    client.notify('notifications/initialized');
    await client.request('ping');
    expect(endpoint.streams).toHaveLength(1);
    expect(client.received.filter(({ id }) => id === undefined).map(({ method }) => method)).toEqual([
      'selection_changed',
    ]);
  });

  test('reports to the endpoint that tools/list was answered', async () => {
    const client = await connect();
    await client.request('tools/list');
    await endpoint.signals.until(() => endpoint.answered.includes('tools/list'));
  });

  test('passes on ide_connected', async () => {
    const client = await connect();
    client.notify('ide_connected', { pid: 54321 });
    await endpoint.signals.until(() => endpoint.notifications.length > 0);
    expect(endpoint.notifications).toEqual([{ method: 'ide_connected', params: { pid: 54321 } }]);
  });

  test('aborts a call that the client cancels, and does not answer it', async () => {
    const client = await connect();
    client.send({ jsonrpc: '2.0', id: 50, method: 'tools/call', params: { name: 'block' } });
    await endpoint.signals.until(() => endpoint.blocked.length > 0);
    client.notify('notifications/cancelled', { requestId: 50 });
    await endpoint.signals.until(() => endpoint.aborted.length > 0);
    endpoint.release();
    await client.request('ping');
    expect(client.received.some(({ id }) => id === 50)).toBe(false);
  });

  test.each([
    ['deleted', 'closes with 1000', (client: WebSocketClient) => client.socket.close(1000)],
    ['deleted', 'closes without a code', (client: WebSocketClient) => client.socket.close()],
    ['disconnected', 'is killed', (client: WebSocketClient) => client.socket.terminate()],
    ['disconnected', 'closes with an error code', (client: WebSocketClient) => client.socket.close(4000)],
  ])('ends as %s when the client %s', async (expected, _what, leave) => {
    const client = await connect();
    client.send({ jsonrpc: '2.0', id: 50, method: 'tools/call', params: { name: 'block' } });
    await endpoint.signals.until(() => endpoint.blocked.length > 0);
    leave(client);
    expect(await reason()).toEqual([expected]);
    expect(endpoint.aborted).toHaveLength(1);
  });

  test('ends as closed, with 1000, when we close it', async () => {
    const client = await connect();
    await session().close();
    await session().close();
    expect((await client.closed).code).toBe(1000);
    expect(endpoint.ends).toEqual([{ id: session().id, reason: 'closed' }]);
    await session().notify('late', {});
  });

  test('aborts its calls when we close it, before the client answers the close', async () => {
    const client = await connect();
    client.send({ jsonrpc: '2.0', id: 50, method: 'tools/call', params: { name: 'block' } });
    await endpoint.signals.until(() => endpoint.blocked.length > 0);
    void session().close();
    expect(endpoint.aborted).toEqual([session().id]);
  });

  test('ends with 1001 when the listener closes', async () => {
    const client = await connect();
    await listener.close();
    expect((await client.closed).code).toBe(1001);
    expect(await reason()).toEqual(['closed']);
  });

  test('does not keep the listener from closing when the client ignores the close frame', async () => {
    const client = await connect({ timing: { closeLimitMs: 30 } });
    client.socket.pause();
    await listener.close();
    expect(await reason()).toEqual(['closed']);
  });
});

describe('the heartbeat', () => {
  test('pings repeatedly, and keeps a client that answers', async () => {
    const client = await connect({ timing: { pingIntervalMs: 5, pingTimeoutMs: 2000 } });
    const pings = () => client.received.filter(({ method }) => method === 'ping');
    await client.signals.until(() => pings().length >= 3);
    expect(pings()[0]).toEqual({ jsonrpc: '2.0', id: expect.any(Number), method: 'ping' });
    expect(endpoint.ends).toEqual([]);
  });

  test('disconnects a client that does not answer, as unresponsive', async () => {
    const client = await connect(
      { timing: { pingIntervalMs: 5, pingTimeoutMs: 20 } },
      { pingAnswer: () => undefined },
    );
    expect((await client.closed).code).toBe(1006);
    expect(await reason()).toEqual(['unresponsive']);
  });

  test('does not blame a client for a pause of this process', async () => {
    let hangs = true;
    const pingAnswer = () => {
      // Both ends are in this process: the answer is late because the server could not read it.
      for (const until = performance.now() + 500; hangs && performance.now() < until; );
      hangs = false;
      return { result: {} };
    };
    const client = await connect({ timing: { pingIntervalMs: 5, pingTimeoutMs: 200 } }, { pingAnswer });
    await client.signals.until(() => client.received.filter(({ method }) => method === 'ping').length >= 4);
    expect(hangs).toBe(false);
    expect(endpoint.ends).toEqual([]);
  });

  test('accepts an error as an answer: a client without ping is alive', async () => {
    const pingAnswer = () => ({ error: { code: -32601, message: 'Method not found' } });
    const client = await connect({ timing: { pingIntervalMs: 5, pingTimeoutMs: 2000 } }, { pingAnswer });
    await client.signals.until(() => client.received.filter(({ method }) => method === 'ping').length >= 3);
    expect(endpoint.ends).toEqual([]);
  });
});

describe('incoming frames', () => {
  test.each([
    ['text', 'not json'],
    ['half a message', '{"jsonrpc":"2.0",'],
    ['nothing', ''],
  ])('of %s are answered with -32700 and the connection lives', async (_what, frame) => {
    const client = await connect();
    client.send(frame);
    const answer = await client.next(({ id }) => id === null);
    expect(answer.error?.code).toBe(-32700);
    expect((await client.call('echo', { text: 'on' })).result).toBeDefined();
  });

  test.each([
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', null],
    ['an empty batch', '[]', null],
    ['a number', '5', null],
    ['an object without a method', '{}', null],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', null],
    ['parameters that are a list', '{"jsonrpc":"2.0","id":"a","method":"ping","params":[1]}', 'a'],
  ])('of %s are answered with -32600 and the connection lives', async (_what, frame, id) => {
    const client = await connect();
    client.send(frame);
    const answer = await client.next((message) => message.error !== undefined);
    expect(answer).toMatchObject({ id, error: { code: -32600 } });
    expect((await client.call('echo', { text: 'on' })).result).toBeDefined();
  });

  test.each([
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
    '{"jsonrpc":"2.0","error":5}',
    '{"jsonrpc":"2.0","id":99,"result":{}}',
    '{"jsonrpc":"2.0","id":99,"result":7}',
  ])('that look like an answer are never answered: %s', async (frame) => {
    const client = await connect();
    const before = client.received.length;
    client.send(frame);
    await client.request('ping');
    expect(client.received.length).toBe(before + 1);
  });

  test('that are binary close the connection with 1003 and a reason', async () => {
    const client = await connect();
    client.socket.send(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}'));
    expect(await client.closed).toEqual({ code: 1003, reason: expect.stringContaining('text frames') });
    expect(await reason()).toEqual(['closed']);
  });

  test('that are too large close the connection with 1009', async () => {
    const client = await connect({ sizes: { frameInBytes: 1000 } });
    client.send('x'.repeat(1001));
    expect((await client.closed).code).toBe(1009);
    expect(await reason()).toEqual(['closed']);
  });

  test('that are compressed close the connection with 1002', async () => {
    const client = await connect();
    const raw = Reflect.get(client.socket, '_socket');
    // A masked text frame of one byte whose first reserved bit says that it is compressed.
    raw.write(Buffer.of(0xc1, 0x80 | 1, 1, 2, 3, 4, 0));
    expect((await client.closed).code).toBe(1002);
    expect(await reason()).toEqual(['closed']);
  });

  test('that are not UTF-8 close the connection with 1007', async () => {
    const client = await connect();
    client.socket.send(Buffer.of(0xff, 0xfe), { binary: false });
    expect((await client.closed).code).toBe(1007);
  });

  test('may arrive in fragments', async () => {
    const client = await connect();
    client.socket.send('{"jsonrpc":"2.0","id":70,', { fin: false });
    client.socket.send('"method":"ping"}', { fin: true });
    expect((await client.next(({ id }) => id === 70)).result).toEqual({});
  });

  test('that are incomplete end the session when the connection breaks', async () => {
    const client = await connect({}, { perMessageDeflate: false });
    const half = Reflect.get(client.socket, '_socket');
    // A masked text frame of 100 bytes, of which ten come.
    half.write(Buffer.concat([Buffer.of(0x81, 0x80 | 100, 1, 2, 3, 4), Buffer.alloc(10)]));
    half.end();
    expect(await reason()).toEqual(['disconnected']);
  });

  test('that stay incomplete end the session as unresponsive', async () => {
    const timing = { pingIntervalMs: 5, pingTimeoutMs: 20 };
    const client = await connect({ timing }, { perMessageDeflate: false, pingAnswer: () => undefined });
    Reflect.get(client.socket, '_socket').write(Buffer.of(0x81, 0x80 | 100, 1, 2, 3, 4, 0));
    expect(await reason()).toEqual(['unresponsive']);
  });
});

describe('outgoing frames', () => {
  const sizes = { frameOutBytes: 2000 };

  test('that would be too large become a tool error with both sizes', async () => {
    const client = await connect({ sizes });
    const { result } = await client.call('big', { bytes: 3000 });
    expect(result?.isError).toBe(true);
    expect(result?.content).toEqual([
      {
        type: 'text',
        text: expect.stringMatching(/^The answer has 30\d\d bytes; a message may have at most 2000 bytes/),
      },
    ]);
    expect(warnings[0]?.fields).toEqual({ bytes: expect.any(Number), limit: 2000 });
    expect((await client.call('echo', { text: 'on' })).result?.isError).toBeUndefined();
  });

  test('of 16 MiB and more are not sent by default', async () => {
    const client = await connect();
    const fits = await client.call('big', { bytes: 16 * mebibyte - 200 });
    expect(fits.result?.isError).toBeUndefined();
    const tooBig = await client.call('big', { bytes: 16 * mebibyte });
    expect(tooBig.result?.isError).toBe(true);
    expect(JSON.stringify(tooBig.result)).toContain('16.0 MiB (16777216 bytes)');
  });

  test('that answer another request become a JSON-RPC error', async () => {
    const client = await connect({ sizes: { frameOutBytes: 500 } });
    const { error } = await client.request('tools/list');
    expect(error).toEqual({ code: -32603, message: expect.stringContaining('500 bytes') });
  });

  test('that are too large notifications are dropped, with a warning without content', async () => {
    const client = await connect({ sizes });
    await session().notify('selection_changed', { text: 'SECRET'.repeat(1000) });
    await session().notify('small', {});
    await client.next(({ method }) => method === 'small');
    expect(client.received.some(({ method }) => method === 'selection_changed')).toBe(false);
    expect(warnings[0]?.message).toContain('selection_changed');
    expect(JSON.stringify(warnings)).not.toContain('SECRET');
  });

  test('keep their order, large or small', async () => {
    const client = await connect();
    for (let n = 0; n < 40; n++)
      void session().notify('n', { n, text: 'x'.repeat(n % 3 === 0 ? 500_000 : 10) });
    await client.signals.until(() => client.received.filter(({ method }) => method === 'n').length === 40);
    const order = client.received.filter(({ method }) => method === 'n').map(({ params }) => params?.n);
    expect(order).toEqual(Array.from({ length: 40 }, (_, n) => n));
  });

  test('are pending while a client does not read, until it disconnects', async () => {
    const client = await connect({}, { perMessageDeflate: false });
    client.socket.pause();
    let delivered = 0;
    const sending = Array.from({ length: 10 }, () =>
      session()
        .notify('big', { text: 'x'.repeat(4_000_000) })
        .then(() => delivered++),
    );
    const other = await WebSocketClient.connect(listener, { token: endpoint.token });
    await other.request('ping');
    expect(delivered).toBeLessThan(10);
    client.socket.terminate();
    await Promise.all(sending);
    expect(client.socket.readyState).not.toBe(WebSocket.OPEN);
  });
});
