import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createListener, type LoopbackListener } from '../src/index.js';
import { HttpClient } from './support/httpClient.js';
import { openSocket, readAnswer, requestHead, sendRaw } from './support/rawHttp.js';
import { type RecordingEndpoint, recordingEndpoint } from './support/recordingEndpoint.js';

const limit = 10_000;
let listener: LoopbackListener;
let endpoint: RecordingEndpoint;
let client: HttpClient;

beforeEach(async () => {
  listener = await createListener({
    sizes: { bodyBytes: limit, drainBytes: 5_000_000 },
    timing: { drainMs: 300 },
  });
  endpoint = recordingEndpoint();
  listener.addHttpEndpoint(endpoint);
  client = await new HttpClient(listener, endpoint.token).connect();
});
afterEach(() => listener.close());

const head = (headers: Record<string, string>) =>
  requestHead('POST /mcp HTTP/1.1', { ...client.headers(), host: `127.0.0.1:${listener.port}`, ...headers });

describe('a body that is not a message', () => {
  test.each([
    ['text', 'not json'],
    ['half a message', '{"jsonrpc":"2.0",'],
    ['nothing', ''],
    ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0xfe, 0x22)],
  ])('of %s is answered with 400 and -32700', async (_what, body) => {
    const answer = await client.post(body);
    expect(answer.status).toBe(400);
    expect(answer.message).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
    expect(answer.message.error?.message).toContain('Parse error');
  });

  test.each([
    ['null', 'null'],
    ['a number', '5'],
    ['an object without a method', '{}'],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    ['parameters that are a string', '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}'],
  ])('but %s is answered with 400 and -32600', async (_what, body) => {
    const answer = await client.post(body);
    expect(answer.status).toBe(400);
    expect(answer.message.error?.code).toBe(-32600);
  });

  test('does not end the session', async () => {
    await client.post('not json');
    expect((await client.call('echo', { text: 'x' })).status).toBe(200);
  });

  test('may have unknown members and null parameters', async () => {
    const answer = await client.post({ jsonrpc: '2.0', id: 1, method: 'ping', params: null, extra: true });
    expect(answer.message).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  test('must have the content type of JSON', async () => {
    const answer = await client.post('{}', { headers: { 'content-type': 'text/plain' } });
    expect(answer.status).toBe(400);
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await client.post(message, { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
  });
});

describe('a batch', () => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });

  test.each(['2025-06-18', '2025-11-25'])('is refused in a session of %s', async (version) => {
    const modern = await new HttpClient(listener, endpoint.token).connect(version);
    const answer = await modern.post([ping(1), ping(2)]);
    expect(answer.status).toBe(400);
    expect(answer.message.error).toEqual({
      code: -32600,
      message: expect.stringContaining('batching was removed'),
    });
  });

  test.each(['2024-11-05', '2025-03-26'])('is answered in a session of %s', async (version) => {
    const older = await new HttpClient(listener, endpoint.token).connect(version);
    const answer = await older.post([ping(1), { jsonrpc: '2.0', method: 'some/note' }, ping(2)]);
    expect(answer.status).toBe(200);
    expect(answer.messages.map(({ id }) => id)).toEqual([1, 2]);
    expect(endpoint.notifications).toContainEqual({ method: 'some/note', params: undefined });
  });

  test('is refused before initialize', async () => {
    const stranger = new HttpClient(listener, endpoint.token);
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
    const answer = await stranger.post([initialize]);
    expect(answer.status).toBe(400);
    expect(answer.message.error?.code).toBe(-32600);
  });

  test.each([
    ['is empty', []],
    ['holds something that is no message', [{ jsonrpc: '2.0', id: 1, method: 'ping' }, 5]],
  ])('is refused in an older session when it %s', async (_what, batch) => {
    const older = await new HttpClient(listener, endpoint.token).connect('2025-03-26');
    const answer = await older.post(batch);
    expect(answer.status).toBe(400);
    expect(answer.message.error?.code).toBe(-32600);
  });
});

describe('a body that is too large', () => {
  test('is answered with 413 and the limit', async () => {
    const answer = await client.post('x'.repeat(limit + 1));
    expect(answer.status).toBe(413);
    expect(answer.message.error?.message).toContain(`${limit} bytes`);
  });

  test('is answered before it is sent', async () => {
    const answer = await sendRaw(listener.port, head({ 'content-length': String(limit + 1) }));
    expect(answer.status).toBe(413);
  });

  test('is answered without a Content-Length', async () => {
    const socket = await openSocket(listener.port);
    const answering = readAnswer(socket);
    socket.write(head({ 'transfer-encoding': 'chunked' }));
    for (let sent = 0; sent <= limit; sent += 1000) socket.write(`3e8\r\n${'x'.repeat(1000)}\r\n`);
    expect((await answering).status).toBe(413);
  });

  test('is answered to a client that reads only after it has sent everything', async () => {
    const socket = await openSocket(listener.port);
    socket.pause();
    await new Promise((resolve) =>
      socket.write(head({ 'content-length': '4000000' }) + 'x'.repeat(4_000_000), resolve),
    );
    const answer = await readAnswer(socket);
    expect(answer.status).toBe(413);
    expect(answer.text.toLowerCase()).toContain('connection: close');
  });

  test('is read up to a bound only', async () => {
    const socket = await openSocket(listener.port);
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    socket.write(head({ 'content-length': '1000000000' }));
    const flood = setInterval(() => socket.write(Buffer.alloc(500_000)), 1);
    await closed;
    clearInterval(flood);
    expect(socket.bytesWritten).toBeLessThan(100_000_000);
  });

  test('whose rest never arrives does not keep the connection open', async () => {
    const socket = await openSocket(listener.port);
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    socket.write(head({ 'content-length': String(limit + 1) }));
    await closed;
  });

  test('is not sent by a client that expects 100-continue', async () => {
    const answer = await sendRaw(
      listener.port,
      head({ 'content-length': String(limit + 1), expect: '100-continue' }),
    );
    expect(answer.status).toBe(413);
  });
});

describe('a body', () => {
  test('of exactly the limit is accepted', async () => {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: '' } },
    };
    message.params.arguments.text = 'x'.repeat(limit - JSON.stringify(message).length);
    expect((await client.post(message)).status).toBe(200);
  });

  test('is requested when the client expects 100-continue', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const socket = await openSocket(listener.port);
    const asked = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write(
      head({ 'content-length': String(body.length), expect: '100-continue', connection: 'close' }),
    );
    expect(await asked).toContain('100 Continue');
    const answering = readAnswer(socket);
    socket.write(body);
    expect((await answering).status).toBe(200);
  });

  test('is answered with a closing connection on request', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const socket = await openSocket(listener.port);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    socket.write(head({ 'content-length': String(body.length), connection: 'close' }) + body);
    await closed;
  });

  test('may arrive in pieces that split characters', async () => {
    const text = 'é😀\u2028';
    const body = Buffer.from(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'echo', arguments: { text } },
      }),
    );
    const socket = await openSocket(listener.port);
    socket.setNoDelay(true);
    const answering = readAnswer(socket);
    socket.write(head({ 'content-length': String(body.length), connection: 'close' }));
    for (const byte of body) await new Promise((resolve) => socket.write(Uint8Array.of(byte), resolve));
    const answer = await answering;
    expect(Buffer.from(answer.text, 'latin1').toString()).toContain(text);
  });

  test('that breaks off leaves the session working', async () => {
    const socket = await openSocket(listener.port);
    await new Promise((resolve) => socket.write(`${head({ 'content-length': '500' })}{"half":`, resolve));
    socket.destroy();
    expect((await client.call('echo', { text: 'x' })).status).toBe(200);
    expect(endpoint.ends).toEqual([]);
  });
});
