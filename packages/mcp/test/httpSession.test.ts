import { afterEach, describe, expect, test } from 'vitest';
import { createListener, type ListenerOptions, type LoopbackListener } from '../src/index.js';
import { HttpClient, type RpcAnswer } from './support/httpClient.js';
import { type RecordingEndpoint, recordingEndpoint } from './support/recordingEndpoint.js';

let listener: LoopbackListener;
let endpoint: RecordingEndpoint;
afterEach(() => listener.close());

async function start(timing: ListenerOptions['timing'] = {}): Promise<HttpClient> {
  listener = await createListener({ timing });
  endpoint = recordingEndpoint();
  listener.addHttpEndpoint(endpoint);
  return new HttpClient(listener, endpoint.token);
}

const ended = (client: HttpClient) => endpoint.ends.find(({ id }) => id === client.sessionId)?.reason;

describe('initialize', () => {
  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('negotiates %s', async (version) => {
    const client = await start();
    const answer = await client.initialize(version);
    expect(answer.status).toBe(200);
    expect(answer.message.result).toEqual({
      protocolVersion: version,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'test-server', version: '1.2.3' },
    });
    expect(endpoint.sessions[0]).toMatchObject({
      id: client.sessionId,
      client: { name: 'raw-client', version: '9.9.9' },
      protocolVersion: version,
    });
  });

  test.each(['1.0', '2024-10-07', '2026-07-28'])(
    'offers the newest version to a client that asks for %s',
    async (version) => {
      const client = await start();
      const answer = await client.initialize(version);
      expect(answer.message.result?.protocolVersion).toBe('2025-11-25');
      expect(endpoint.sessions[0]?.protocolVersion).toBe('2025-11-25');
    },
  );

  test('introduces the client to the endpoint before it is answered', async () => {
    const client = await start();
    const answering = client.initialize();
    await endpoint.signals.until(() => endpoint.sessions.length > 0);
    expect(endpoint.answered).toEqual([]);
    await answering;
  });

  test('is answered with 202 without a body for notifications/initialized', async () => {
    const client = await start();
    await client.initialize();
    const answer = await client.notify('notifications/initialized');
    expect([answer.status, answer.text]).toEqual([202, '']);
  });

  test.each([
    ['no parameters', undefined],
    ['no client name', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} }],
    [
      'a version that is a number',
      { protocolVersion: 1, capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    ],
  ])('with %s is answered with -32602', async (_what, params) => {
    const client = await start();
    const answer = await client.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect(answer.status).toBe(400);
    expect(answer.message.error?.code).toBe(-32602);
    expect(endpoint.sessions).toEqual([]);
  });

  test.each(['*/*', 'application/*, text/*', 'Application/JSON;q=0.9, */*;q=0.1'])(
    'with the Accept header %s is answered',
    async (accept) => {
      const client = await start();
      const params = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      };
      const answer = await client.post(
        { jsonrpc: '2.0', id: 1, method: 'initialize', params },
        { headers: { accept } },
      );
      expect([answer.status, answer.message.result?.protocolVersion]).toEqual([200, '2025-06-18']);
    },
  );

  test.each([
    'text/plain',
    'application/json',
    'application/json, text/*;q=0',
    'application/jsonp, text/event-stream',
  ])('with the Accept header %s leaves no session behind', async (accept) => {
    const client = await start();
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    };
    const answer = await client.post(
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { headers: { accept } },
    );
    expect(answer.status).toBe(406);
    expect(endpoint.sessions).toEqual([]);
  });

  test('is refused in an existing session', async () => {
    const client = await (await start()).connect();
    const answer = await client.initialize();
    expect(answer.status).toBe(400);
    expect(answer.message.error?.code).toBe(-32600);
    expect(endpoint.sessions).toHaveLength(1);
  });

  test('is answered with -32603 when the endpoint throws, and the session does not exist', async () => {
    const client = await start();
    const broken = recordingEndpoint();
    listener.addHttpEndpoint({
      ...broken,
      onSession: () => {
        throw new Error('secret detail');
      },
    });
    const answer = await new HttpClient(listener, broken.token).initialize();
    expect(answer.message.error).toEqual({ code: -32603, message: 'Internal error' });
    client.sessionId = answer.headers.get('mcp-session-id') ?? 'none';
    expect((await client.call('echo', { text: 'x' })).status).toBe(404);
  });

  test('of the newest SDK falls back to initialize after its probe', async () => {
    const client = await start();
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const answer = await client.post(
      { jsonrpc: '2.0', id: 'server-discover-probe-1', method: 'server/discover', params: { _meta } },
      { headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' } },
    );
    // 401, 403 and 5xx would end the attempt; any other answer means a server of the 2025 era.
    expect(answer.status).toBe(400);
    expect(answer.message.error?.code).toBe(-32000);
  });
});

describe('a session', () => {
  test('that does not exist is answered with 404 on every method', async () => {
    const client = await start();
    client.sessionId = 'no-such-session';
    for (const answer of [await client.call('echo'), await client.send('GET'), await client.send('DELETE')]) {
      expect(answer.status).toBe(404);
      expect(answer.message.error).toEqual({ code: -32001, message: expect.stringContaining('initialize') });
    }
  });

  test('must be named in every request but initialize', async () => {
    const client = await start();
    for (const answer of [await client.call('echo'), await client.send('GET'), await client.send('DELETE')]) {
      expect(answer.status).toBe(400);
      expect(answer.message.error?.message).toContain('Mcp-Session-Id');
    }
  });

  test('refuses an unsupported protocol version header', async () => {
    const client = await (await start()).connect();
    const answer = await client.post(
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { headers: { 'mcp-protocol-version': '1999-01-01' } },
    );
    expect(answer.status).toBe(400);
  });

  test('has its own server: a second client does not disturb the first', async () => {
    const first = await (await start()).connect();
    const second = await new HttpClient(listener, endpoint.token).connect();
    expect(first.sessionId).not.toBe(second.sessionId);
    const calls = await Promise.all(
      [first, second, first, second].map((client, n) => client.call('echo', { text: `${n}` })),
    );
    expect(calls.map(({ message }) => message.result?.content)).toEqual(
      ['0', '1', '2', '3'].map((text) => [{ type: 'text', text }]),
    );
    expect(endpoint.ends).toEqual([]);
  });

  test('ends as deleted on DELETE', async () => {
    const client = await (await start()).connect();
    expect((await client.send('DELETE')).status).toBe(200);
    expect(ended(client)).toBe('deleted');
    expect((await client.call('echo', { text: 'x' })).status).toBe(404);
  });

  test('ends as closed, once, when we close it', async () => {
    const client = await (await start()).connect();
    const [session] = endpoint.sessions;
    await Promise.all([session?.close(), session?.close()]);
    expect(endpoint.ends).toEqual([{ id: client.sessionId, reason: 'closed' }]);
  });

  test('ends as idle without a stream and without requests', async () => {
    const client = await (await start({ idleMs: 30 })).connect();
    await endpoint.signals.until(() => endpoint.ends.length > 0);
    expect(ended(client)).toBe('idle');
    expect((await client.call('echo', { text: 'x' })).status).toBe(404);
  });

  test('is not idle while a call is running', async () => {
    const client = await (await start({ idleMs: 20 })).connect();
    const calling = client.call('block');
    await endpoint.signals.until(() => endpoint.blocked.length > 0);
    // Its clock starts later, so when it has run out, that of the first would have, too.
    const other = await new HttpClient(listener, endpoint.token).connect();
    await endpoint.signals.until(() => ended(other) === 'idle');
    expect(ended(client)).toBeUndefined();
    endpoint.release();
    expect((await calling).message.result?.content).toEqual([{ type: 'text', text: 'released' }]);
    await endpoint.signals.until(() => ended(client) === 'idle');
  });

  test('aborts its running calls when it ends', async () => {
    const client = await (await start()).connect();
    const calling = client.call('block').catch(() => 'broken off');
    await endpoint.signals.until(() => endpoint.blocked.length > 0);
    await endpoint.sessions[0]?.close();
    await endpoint.signals.until(() => endpoint.aborted.length > 0);
    await calling;
    expect(endpoint.answered).not.toContain('tools/call');
  });

  test('reports answered requests to the endpoint, in order', async () => {
    const client = await (await start()).connect();
    await client.request('tools/list');
    await client.request('ping');
    await endpoint.signals.until(() => endpoint.answered.length >= 3);
    expect(endpoint.answered).toEqual(['initialize', 'tools/list', 'ping']);
  });

  test('passes on notifications of the client, with any parameters', async () => {
    const client = await (await start()).connect();
    await client.notify('ide_connected', { pid: 7 });
    await client.post({ jsonrpc: '2.0', method: 'other/thing' });
    await endpoint.signals.until(() => endpoint.notifications.length === 2);
    expect(endpoint.notifications).toEqual([
      { method: 'ide_connected', params: { pid: 7 } },
      { method: 'other/thing', params: undefined },
    ]);
  });

  test('ends the response of a cancelled call', async () => {
    const client = await (await start()).connect();
    const calling: Promise<RpcAnswer> = client.post({
      jsonrpc: '2.0',
      id: 77,
      method: 'tools/call',
      params: { name: 'block' },
    });
    await endpoint.signals.until(() => endpoint.blocked.length > 0);
    await client.notify('notifications/cancelled', { requestId: 77, reason: 'enough' });
    expect((await calling).messages).toEqual([]);
    expect(endpoint.aborted).toEqual([client.sessionId]);
  });

  test('survives a client that disconnects during a call', async () => {
    const client = await (await start()).connect();
    const leaving = new AbortController();
    const calling = client.call('block', {}, leaving.signal).catch(() => 'gone');
    await endpoint.signals.until(() => endpoint.blocked.length > 0);
    leaving.abort();
    await calling;
    endpoint.release();
    expect((await client.call('echo', { text: 'still here' })).status).toBe(200);
  });
});
