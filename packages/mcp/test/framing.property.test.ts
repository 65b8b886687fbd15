import { once } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createListener, type LoopbackListener, type WebSocketMcpEndpoint } from '../src/index.js';
import { HttpClient } from './support/httpClient.js';
import { openSocket, readAnswer, requestHead } from './support/rawHttp.js';
import { type RecordingEndpoint, recordingEndpoint } from './support/recordingEndpoint.js';
import { tokenHeader, WebSocketClient } from './support/webSocketClient.js';

/** For any bytes: no answer is a 5xx, nothing crashes, and the next client is served normally. */
let listener: LoopbackListener;
let overHttp: RecordingEndpoint;
let overWebSocket: RecordingEndpoint & WebSocketMcpEndpoint;
let steady: HttpClient;
let logged: string[];

beforeAll(async () => {
  logged = [];
  const ignore = () => {};
  const error = (message: string, fields?: unknown) =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  listener = await createListener({
    logger: { debug: ignore, info: ignore, warn: ignore, error },
    timing: { drainMs: 200, closeLimitMs: 50 },
  });
  overHttp = recordingEndpoint();
  overWebSocket = Object.assign(recordingEndpoint(), { tokenHeader });
  listener.addHttpEndpoint(overHttp);
  listener.addWebSocketEndpoint(overWebSocket);
  steady = await new HttpClient(listener, overHttp.token).connect();
});
afterAll(async () => {
  await listener.close();
  expect(logged).toEqual([]);
});

const runs = { numRuns: 60 };

/** JSON that is nearly a message, which gets further than random bytes do. */
const nearlyMessage = fc.record(
  {
    jsonrpc: fc.constantFrom<unknown>('2.0', '1.0', 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.double(), fc.object()),
    method: fc.oneof(
      fc.constantFrom(
        'initialize',
        'ping',
        'tools/list',
        'tools/call',
        'notifications/cancelled',
        'notifications/progress',
      ),
      fc.string(),
    ),
    params: fc.oneof(
      fc.jsonValue(),
      fc.record({ name: fc.constantFrom('echo', 'big'), arguments: fc.jsonValue(), _meta: fc.jsonValue() }),
    ),
    result: fc.jsonValue(),
    error: fc.jsonValue(),
    __proto__: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

const anyBody = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.json().map((text) => new TextEncoder().encode(text)),
  nearlyMessage.map((value) => new TextEncoder().encode(JSON.stringify(value))),
  fc.array(nearlyMessage, { maxLength: 3 }).map((value) => new TextEncoder().encode(JSON.stringify(value))),
);

test('any HTTP body is answered, and never with 500', async () => {
  await fc.assert(
    fc.asyncProperty(anyBody, fc.boolean(), async (body, hasSession) => {
      const client = hasSession ? steady : new HttpClient(listener, overHttp.token);
      const answer = await client.post(body);
      expect(answer.status).toBeLessThan(500);
      for (const message of answer.messages) expect(message.error?.code).not.toBe(-32603);
    }),
    runs,
  );
  expect((await steady.call('echo', { text: 'still here' })).status).toBe(200);
}, 30_000);

test('a message split anywhere arrives whole', async () => {
  const text = 'é😀\u2028 text \ud800';
  const body = Buffer.from(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text } },
    }),
  );
  const request = Buffer.concat([
    Buffer.from(
      requestHead('POST /mcp HTTP/1.1', {
        ...steady.headers(),
        host: `127.0.0.1:${listener.port}`,
        'content-length': String(body.length),
      }),
    ),
    body,
  ]);
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: request.length - 1 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(cuts, async (at) => {
      const socket = await openSocket(listener.port);
      socket.setNoDelay(true);
      const answering = readAnswer(socket);
      const ends = [...at.sort((a, b) => a - b), request.length];
      let from = 0;
      for (const end of ends) {
        await new Promise((resolve) => socket.write(request.subarray(from, end), resolve));
        from = end;
      }
      const { status, text: raw } = await answering;
      expect(status).toBe(200);
      const event = Buffer.from(raw, 'latin1').toString().split('data: ')[1]?.split('\n')[0] ?? '';
      expect(JSON.parse(event).result.content[0].text).toBe(text);
    }),
    runs,
  );
}, 30_000);

test('any bytes on a connection leave the listener working', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      const socket = await openSocket(listener.port);
      socket.on('error', () => {}).resume();
      socket.end(bytes);
      await once(socket, 'close');
    }),
    runs,
  );
  expect((await steady.call('echo', { text: 'still here' })).status).toBe(200);
}, 30_000);

test('a connection survives any text frame', async () => {
  const client = await WebSocketClient.connect(listener, { token: overWebSocket.token });
  const anyText = fc.oneof(
    fc.string(),
    fc.json(),
    nearlyMessage.map((value) => JSON.stringify(value)),
    fc.array(nearlyMessage, { maxLength: 3 }).map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(anyText, async (frame) => {
      client.send(frame);
      expect(client.socket.readyState).toBe(client.socket.OPEN);
    }),
    { numRuns: 300 },
  );
  client.send({ jsonrpc: '2.0', id: 'the end', method: 'ping' });
  expect((await client.next(({ id }) => id === 'the end')).result).toEqual({});
  for (const message of client.received) expect(message.error?.code).not.toBe(-32603);
}, 30_000);

test('bytes after the handshake, whole frames or partial ones, end at most that connection', async () => {
  const bystander = await WebSocketClient.connect(listener, { token: overWebSocket.token });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 4 }),
      async (pieces) => {
        const client = await WebSocketClient.open(listener, { token: overWebSocket.token });
        const raw = Reflect.get(client.socket, '_socket');
        for (const piece of pieces) raw.write(piece);
        raw.end();
        await client.closed;
      },
    ),
    runs,
  );
  expect((await bystander.call('echo', { text: 'still here' })).result).toBeDefined();
}, 30_000);

test('a message in any fragments arrives whole', async () => {
  const client = await WebSocketClient.connect(listener, { token: overWebSocket.token });
  const text = 'é😀\u2028 text';
  let id = 1000;
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: 80 }), { maxLength: 5 }), async (at) => {
      const mine = ++id;
      const call = {
        jsonrpc: '2.0',
        id: mine,
        method: 'tools/call',
        params: { name: 'echo', arguments: { text } },
      };
      const bytes = Buffer.from(JSON.stringify(call));
      const ends = [...at.sort((a, b) => a - b), bytes.length];
      let from = 0;
      for (const end of ends) {
        client.socket.send(bytes.subarray(from, end), { binary: false, fin: end === bytes.length });
        from = end;
      }
      const answer = await client.next((message) => message.id === mine);
      expect(answer.result?.content).toEqual([{ type: 'text', text }]);
    }),
    runs,
  );
}, 30_000);
