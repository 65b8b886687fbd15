import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { askIdentity, createListener, ListenError, type LoopbackListener } from '../src/index.js';
import { HttpClient } from './support/httpClient.js';
import { type RawAnswer, requestHead, sendRaw } from './support/rawHttp.js';
import { recordingEndpoint } from './support/recordingEndpoint.js';
import { tokenHeader } from './support/webSocketClient.js';

const gemini = recordingEndpoint({ name: 'gemini' });
const qwen = recordingEndpoint({ name: 'qwen' });
const claude = { ...recordingEndpoint({ name: 'claude' }), tokenHeader };
let listener: LoopbackListener;

beforeEach(async () => {
  listener = await createListener({ identity: { name: 'tandem' }, timing: { drainMs: 200 } });
  listener.addHttpEndpoint(gemini);
  listener.addHttpEndpoint(qwen);
  listener.addWebSocketEndpoint(claude);
});
afterEach(() => listener.close());

const host = () => `127.0.0.1:${listener.port}`;
const bearer = (token: string) => `Bearer ${token}`;

/** Sends a request with exactly these headers; `fetch` would not let a test set Host or Origin. */
function send(method: string, path: string, headers: Record<string, string>, body = ''): Promise<RawAnswer> {
  const length: Record<string, string> =
    body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return sendRaw(listener.port, requestHead(`${method} ${path} HTTP/1.1`, { ...headers, ...length }), body);
}

const bodyOf = (answer: RawAnswer) => JSON.parse(answer.text.split('\r\n\r\n', 2)[1] ?? '');

describe('the origin of a request', () => {
  test.each(['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]', 'host.docker.internal'])(
    'accepts the host %s with our port',
    async (name) => {
      const answer = await send('GET', '/identity', {
        host: `${name}:${listener.port}`,
        authorization: bearer(gemini.token),
      });
      expect(answer.status).toBe(200);
    },
  );

  test.each([
    ['a foreign name', () => 'evil.example'],
    ['a foreign name with our port', () => `evil.example:${listener.port}`],
    ['our name without a port', () => '127.0.0.1'],
    ['our name with another port', () => `127.0.0.1:${listener.port + 1}`],
    ['a name that begins like ours', () => `127.0.0.1.evil.example:${listener.port}`],
    ['ours with more behind the port', () => `127.0.0.1:${listener.port}.evil.example`],
    ['a name that ends like ours', () => `evil.localhost:${listener.port}`],
    ['nothing', () => ''],
  ])('answers 403 to a Host of %s, also when the token is right', async (_what, name) => {
    const answer = await send('POST', '/mcp', { host: name(), authorization: bearer(gemini.token) }, '{}');
    expect(answer.status).toBe(403);
    expect(bodyOf(answer).error.message).toContain(`host.docker.internal:${listener.port}`);
  });

  test('answers 403 without a Host header', async () => {
    const answer = await send('GET', '/mcp', { authorization: bearer(gemini.token), connection: 'close' });
    expect(answer.status).toBe(403);
  });

  test.each(['http://evil.example', 'http://127.0.0.1', 'null', ''])(
    'answers 403 to the Origin %j',
    async (origin) => {
      const answer = await send(
        'POST',
        '/mcp',
        { host: host(), origin, authorization: bearer(gemini.token) },
        '{}',
      );
      expect(answer.status).toBe(403);
      expect(bodyOf(answer).error.message).toContain('Origin');
    },
  );
});

describe('the token', () => {
  const paths = ['/mcp', '/', '/identity', '/favicon.ico'];
  const methods = ['GET', 'POST', 'DELETE', 'PUT', 'OPTIONS', 'HEAD', 'PATCH'];

  test.each(methods.flatMap((method) => paths.map((path) => [method, path] as const)))(
    'answers 401 to %s %s without one',
    async (method, path) => {
      const answer = await send(method, path, { host: host() });
      expect(answer.status).toBe(401);
      expect(answer.text.toLowerCase()).toContain('www-authenticate: bearer\r\n');
    },
  );

  test.each([
    ['wrong', () => bearer('wrong')],
    ['cut short', () => bearer(gemini.token.slice(0, -1))],
    ['too long', () => bearer(`${gemini.token}x`)],
    ['empty', () => 'Bearer '],
    ['of another scheme', () => `Basic ${gemini.token}`],
    ['without a scheme', () => gemini.token],
    ['followed by something', () => `Bearer ${gemini.token} x`],
    ["the WebSocket endpoint's", () => bearer(claude.token)],
  ])('answers 401 on /mcp to one that is %s', async (_what, authorization) => {
    const answer = await send('POST', '/mcp', { host: host(), authorization: authorization() }, '{}');
    expect(answer.status).toBe(401);
    expect(bodyOf(answer)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } });
  });

  test('is checked before the body: 401 is sent although the body is incomplete', async () => {
    const answer = await sendRaw(
      listener.port,
      requestHead('POST /mcp HTTP/1.1', { host: host(), 'content-length': '1000000' }),
      '{"half":',
    );
    expect(answer.status).toBe(401);
  });

  test('is checked before the body is parsed: malformed JSON gets 401, not 400', async () => {
    const answer = await send('POST', '/mcp', { host: host(), authorization: bearer('wrong') }, 'not json');
    expect(answer.status).toBe(401);
  });

  test.each(['bearer', 'BEARER', 'Bearer'])('is accepted with the scheme written as %s', async (scheme) => {
    const answer = await send('GET', '/identity', {
      host: host(),
      authorization: `${scheme} ${gemini.token}`,
    });
    expect(answer.status).toBe(200);
  });

  test('identifies the agent', async () => {
    await new HttpClient(listener, qwen.token).connect();
    expect(qwen.sessions).toHaveLength(1);
    expect(gemini.sessions).toHaveLength(0);
  });

  test('of one endpoint does not open the session of another', async () => {
    const owner = await new HttpClient(listener, gemini.token).connect();
    const thief = new HttpClient(listener, qwen.token);
    thief.sessionId = owner.sessionId;
    for (const answer of [
      await thief.call('echo', { text: 'x' }),
      await thief.send('GET'),
      await thief.send('DELETE'),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.message.error?.code).toBe(-32001);
    }
    expect((await owner.call('echo', { text: 'x' })).status).toBe(200);
  });

  test('must not be shared by two endpoints', () => {
    expect(() => listener.addHttpEndpoint({ ...qwen })).toThrow('same token');
    expect(() => listener.addWebSocketEndpoint({ ...claude })).toThrow('same token');
  });

  test('is refused after its endpoint was disposed', async () => {
    const extra = recordingEndpoint();
    const registration = listener.addHttpEndpoint(extra);
    const client = await new HttpClient(listener, extra.token).connect();
    registration.dispose();
    registration.dispose();
    expect(extra.ends).toEqual([{ id: client.sessionId, reason: 'closed' }]);
    expect((await client.call('echo', { text: 'x' })).status).toBe(401);
  });
});

describe('paths and methods', () => {
  test.each(['/', '/mcp/', '/mcp2', '/MCP', '/index.html', 'http://evil.example/mcp'])(
    'answers 404 with a reason on %s',
    async (path) => {
      const answer = await send('GET', path, { host: host(), authorization: bearer(gemini.token) });
      expect(answer.status).toBe(404);
      expect(bodyOf(answer).error.message).toContain('/mcp');
    },
  );

  test.each(['PUT', 'PATCH', 'OPTIONS'])('answers 405 to %s on /mcp', async (method) => {
    const answer = await send(method, '/mcp', { host: host(), authorization: bearer(gemini.token) });
    expect(answer.status).toBe(405);
    expect(answer.text.toLowerCase()).toContain('allow: post, get, delete');
  });

  test('a query does not hide the path', async () => {
    const client = new HttpClient(listener, gemini.token);
    const response = await fetch(`${client.url}?x=1`, {
      method: 'POST',
      headers: client.headers(),
      body: '{}',
    });
    expect(response.status).toBe(400);
  });

  test.each([
    ['an upgrade to something else', 'POST /mcp HTTP/1.1', { connection: 'upgrade', upgrade: 'h2c' }],
    ['a tunnel', 'CONNECT example.com:80 HTTP/1.1', {}],
  ])('answers 401 to %s without a token and 400 with one', async (_what, line, headers) => {
    const without = requestHead(line, { host: host(), ...headers });
    expect((await sendRaw(listener.port, without)).status).toBe(401);
    const withToken = requestHead(line, { host: host(), authorization: bearer(gemini.token), ...headers });
    expect((await sendRaw(listener.port, withToken)).status).toBe(400);
  });
});

test('a connection stays open longer than clients keep it, so that the client closes it', async () => {
  const answer = await send('GET', '/identity', { host: host(), authorization: bearer(gemini.token) });
  expect(answer.text).toMatch(/^keep-alive: timeout=600\r$/im);
});

describe('/identity', () => {
  test.each([
    ['an HTTP token', gemini.token],
    ['a WebSocket token', claude.token],
  ])('says who we are to %s', async (_what, token) => {
    expect(await askIdentity({ address: { port: listener.port }, token, timeoutMs: 1000 })).toEqual({
      name: 'tandem',
      pid: process.pid,
      startedAt: expect.any(Number),
      port: listener.port,
    });
  });

  test('refuses a request without the token', async () => {
    expect(
      await askIdentity({ address: { port: listener.port }, token: 'wrong', timeoutMs: 1000 }),
    ).toBeUndefined();
  });

  test('answers GET only', async () => {
    const answer = await send(
      'POST',
      '/identity',
      { host: host(), authorization: bearer(gemini.token) },
      '{}',
    );
    expect(answer.status).toBe(405);
  });
});

describe('the port', () => {
  test('is on 127.0.0.1 only', async () => {
    const response = fetch(`http://[::1]:${listener.port}/identity`);
    await expect(response).rejects.toThrow();
  });

  test('that is in use is reported as such', async () => {
    const error = await createListener({ port: listener.port }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ListenError);
    expect(error).toMatchObject({
      code: 'port-taken',
      message: expect.stringContaining(`Port ${listener.port}`),
    });
  });

  test('that is invalid is reported as such', async () => {
    const error = await createListener({ port: 70_000 }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ListenError);
    expect(error).toMatchObject({ code: 'failed', message: expect.stringContaining('127.0.0.1:70000') });
  });

  test('can be reused right after close', async () => {
    await listener.close();
    const next = await createListener({ port: listener.port });
    expect(next.port).toBe(listener.port);
    await next.close();
  });
});
