import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Emitter } from '@tandem/core';
import { RpcError } from '@tandem/rpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { endsWithin } from '../../../test/machineTime.js';
import { ControlClient } from '../src/control/controlClient.js';
import type { ControlHandlers } from '../src/control/controlContract.js';
import { ControlServer } from '../src/control/controlServer.js';

const token = 'the-control-token';
let logged: string[];
let emitter: Emitter<string>;
let server: ControlServer;
let handlers: {
  -readonly [M in keyof ControlHandlers]?: (params: Parameters<ControlHandlers[M]>[0]) => unknown;
};
const sockets: Socket[] = [];

beforeEach(async () => {
  logged = [];
  emitter = new Emitter<string>(() => {});
  handlers = { status: () => ({ fine: true }) };
  const log = (message: string, fields?: unknown): void =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  server = await ControlServer.start({
    token,
    // A handler that the test does not provide must not be called.
    handlers: async () =>
      new Proxy({}, { get: (_, name) => handlers[name as keyof ControlHandlers] }) as ControlHandlers,
    streams: {
      events: (write) => emitter.event(write),
      trace: (write) => {
        write('"before"');
        return emitter.event(write);
      },
    },
    logger: { debug: log, info: log, warn: log, error: log },
  });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

interface Answer {
  readonly status: number;
  readonly body: {
    readonly result?: unknown;
    readonly error?: { readonly code: string; readonly message: string };
  };
}

/** A request with any Host header, which `fetch` does not allow. */
async function ask(
  method: string,
  path: string,
  options: { readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<Answer> {
  const asking = request({
    host: '127.0.0.1',
    port: server.port,
    method,
    path,
    agent: false,
    headers: { authorization: `Bearer ${token}`, ...options.headers },
  });
  asking.end(options.body);
  const [response] = await once(asking, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, body: JSON.parse(text) };
}

/** A raw connection that has sent a request and does not read yet. */
async function open(head: string): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  sockets.push(socket);
  // The end may reset a connection whose request was not read.
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write(`${head}\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  return socket;
}

const fire = (...lines: string[]): void => {
  for (const line of lines) emitter.fire(line);
};
const untilFollowers = (count: number) => expect.poll(() => server.followers).toBe(count);

describe('a request to the control interface', () => {
  test('is answered with the result of the method', async () => {
    expect(await ask('POST', '/control/status', { body: '{}' })).toEqual({
      status: 200,
      body: { result: { fine: true } },
    });
  });

  for (const [what, authorization] of [
    ['no token', undefined],
    ['a wrong token', 'Bearer wrong'],
    ['a token that begins right', `Bearer ${token}x`],
    ['a malformed header', token],
    ['an empty token', 'Bearer '],
  ] as const) {
    test(`with ${what} is refused on every path`, async () => {
      for (const [method, path] of [
        ['POST', '/control/status'],
        ['GET', '/control/events'],
        ['GET', '/control/trace'],
        ['GET', '/identity'],
        ['DELETE', '/anything'],
      ] as const) {
        const asking = request({
          host: '127.0.0.1',
          port: server.port,
          method,
          path,
          agent: false,
          headers: authorization === undefined ? {} : { authorization },
        });
        asking.end();
        const [response] = await once(asking, 'response');
        expect(response.statusCode).toBe(401);
        response.resume();
      }
      expect(server.followers).toBe(0);
    });
  }

  test('for a WebSocket is refused too', async () => {
    const asking = request({
      host: '127.0.0.1',
      port: server.port,
      path: '/control/events',
      agent: false,
      headers: { connection: 'upgrade', upgrade: 'websocket' },
    });
    asking.end();
    const [response] = await once(asking, 'response');
    expect(response.statusCode).toBe(401);
    response.resume();
  });

  test('is refused before the token check if it comes from a web page or has a foreign host name', async () => {
    const refused: Record<string, string>[] = [
      { origin: 'http://localhost' },
      { origin: 'null' },
      { host: 'evil.example' },
      { host: `evil.example:${server.port}` },
      { host: '127.0.0.1:1' },
      { host: '127.0.0.1', authorization: 'Bearer wrong' },
    ];
    for (const headers of refused) {
      expect((await ask('POST', '/control/status', { headers, body: '{}' })).status).toBe(403);
    }
    for (const host of ['localhost', '127.0.0.1']) {
      const headers = { host: `${host}:${server.port}` };
      expect((await ask('POST', '/control/status', { headers, body: '{}' })).status).toBe(200);
    }
  });

  test('is refused with a reason if its method or path is unknown', async () => {
    for (const [method, path] of [
      ['POST', '/control/nothing'],
      ['POST', '/control/events'],
      ['POST', '/control/constructor'],
      ['GET', '/control/status'],
      ['PUT', '/control/status'],
      ['GET', '/'],
    ] as const) {
      const { status, body } = await ask(method, path, method === 'GET' ? {} : { body: '{}' });
      expect([status, body.error?.code]).toEqual([404, 'unknown-method']);
    }
  });

  test('is refused with the names of its bad parameters', async () => {
    handlers['review.hunk'] = () => 'never';
    for (const [params, where] of [
      [{}, 'id'],
      [{ id: '1', hunk: -1, isKept: true }, 'hunk'],
      [{ id: '1', hunk: 1.5, isKept: true }, 'hunk'],
      [{ id: '1', hunk: 1, isKept: 'yes' }, 'isKept'],
      [[], 'the parameters'],
      [null, 'the parameters'],
    ] as const) {
      const { status, body } = await ask('POST', '/control/review.hunk', { body: JSON.stringify(params) });
      expect(status).toBe(400);
      expect(body.error?.code).toBe('bad-params');
      expect(body.error?.message).toContain(`review.hunk: ${where}: `);
    }
    expect((await ask('POST', '/control/status', { body: '{' })).status).toBe(400);
    expect((await ask('POST', '/control/status', { body: '' })).status).toBe(400);
  });

  test("is answered with the code and message of the handler's refusal", async () => {
    const expected = { 'not-found': 404, 'already-decided': 409, refused: 422 } as const;
    for (const [code, status] of Object.entries(expected)) {
      handlers.status = () => {
        throw new RpcError(code as keyof typeof expected, `because of ${code}`);
      };
      expect(await ask('POST', '/control/status', { body: '{}' })).toEqual({
        status,
        body: { error: { code, message: `because of ${code}` } },
      });
    }
    expect(logged).toEqual([]);
  });

  test('reveals an internal error only in the log', async () => {
    handlers.status = async () => {
      throw new Error('the inside');
    };
    const { status, body } = await ask('POST', '/control/status', { body: '{}' });
    expect([status, body.error?.code]).toEqual([500, 'internal']);
    expect(JSON.stringify(body)).not.toContain('inside');
    expect(logged.join()).toContain('the inside');
    expect(logged.join()).not.toContain(token);
  });

  test('is refused before its body is sent if it announces a huge one', async () => {
    const socket = await open(`POST /control/status HTTP/1.1\r\nContent-Length: ${200 * 1024 * 1024}`);
    let text = '';
    socket.setEncoding('utf8');
    for await (const chunk of socket) {
      text += chunk;
      if (text.includes('}}')) break;
    }
    expect(text).toMatch(/^HTTP\/1.1 413 /);
    expect(text).toContain('"code":"bad-params"');
  });

  test('may have 12 MB, as for the review of a large file', async () => {
    const content = 'x'.repeat(12 * 1024 * 1024);
    handlers['review.edit'] = ({ content: got }) => got.length;
    const body = JSON.stringify({ id: '1', content });
    expect((await ask('POST', '/control/review.edit', { body })).body.result).toBe(content.length);
  });
});

describe('a client that follows a stream', () => {
  test('receives all events from the moment the stream opens', async () => {
    const client = new ControlClient({ port: server.port, token });
    const received: string[] = [];
    let enough = (): void => {};
    const receivedAll = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const leave = new AbortController();
    const following = client.followTrace(
      (line) => {
        received.push(line);
        if (received.length === 3) enough();
      },
      { signal: leave.signal, onOpen: () => fire('"ä\\n€"', '"😀"') },
    );
    await receivedAll;
    expect(received).toEqual(['"before"', '"ä\\n€"', '"😀"']);
    leave.abort();
    await following;
    await untilFollowers(0);
  });

  test('is disconnected if it reads nothing, without affecting the others', async () => {
    const client = new ControlClient({ port: server.port, token });
    let isOpen = false;
    void client.followTrace(() => {}, { onOpen: () => (isOpen = true) });
    await expect.poll(() => isOpen).toBe(true);
    await open('GET /control/trace HTTP/1.1');
    await untilFollowers(2);
    const line = JSON.stringify('x'.repeat(1024 * 1024));
    for (let sent = 0; sent < 200 && server.followers > 1; sent++) {
      emitter.fire(line);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(server.followers).toBe(1);
  });

  test('is counted while it follows', async () => {
    const socket = await open('GET /control/events HTTP/1.1');
    await untilFollowers(1);
    socket.destroy();
    await untilFollowers(0);
  });

  test('receives a proper end of the stream when the companion stops', async () => {
    const client = new ControlClient({ port: server.port, token });
    let opened = (): void => {};
    const isOpen = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const following = client.followEvents(() => {}, { onOpen: () => opened() });
    await isOpen;
    const socket = await open('GET /control/events HTTP/1.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.resume();
    const ended = once(socket, 'close');
    await untilFollowers(2);
    await server.close();
    await ended;
    await expect(following).resolves.toBeUndefined();
    // The last chunk of HTTP, which a broken connection does not have.
    expect(text.endsWith('\r\n0\r\n\r\n')).toBe(true);
  });

  test('is refused if its token is wrong', async () => {
    const client = new ControlClient({ port: server.port, token: 'wrong' });
    await expect(client.followEvents(() => {})).rejects.toThrow('401');
    expect(await client.identify(1000)).toBeUndefined();
  });
});

describe('closing', () => {
  test('does not wait for clients that do not read or that keep connections open', async () => {
    await open('GET /control/events HTTP/1.1');
    await open('GET /control/trace HTTP/1.1');
    await open('GET /identity HTTP/1.1');
    await open('POST /control/status HTTP/1.1\r\nContent-Length: 100');
    await untilFollowers(2);
    expect(await endsWithin(1_000, server.close())).toBe(true);
    await expect(new ControlClient({ port: server.port, token }).call('status', {})).rejects.toThrow();
  });
});

describe('followers', () => {
  test('are refused with the reason beyond the limit, while the others continue', async () => {
    const followers = await Promise.all(
      Array.from({ length: 128 }, () => open('GET /control/events HTTP/1.1')),
    );
    await expect.poll(() => server.followers).toBe(128);
    expect(await ask('GET', '/control/events')).toEqual({
      status: 422,
      body: {
        error: {
          code: 'refused',
          message: '128 programs already follow this companion. Stop some of them and try again.',
        },
      },
    });
    expect((await ask('POST', '/control/status', { body: '{}' })).body.result).toEqual({ fine: true });
    followers[0]?.destroy();
    await expect.poll(() => server.followers).toBe(127);
  });
});
