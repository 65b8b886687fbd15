import { afterEach, describe, expect, test } from 'vitest';
import { createListener, type ListenerOptions, type LoopbackListener } from '../src/index.js';
import { HttpClient, type SseStream } from './support/httpClient.js';
import { openSocket, readAnswer, requestHead } from './support/rawHttp.js';
import { type RecordingEndpoint, recordingEndpoint } from './support/recordingEndpoint.js';

let listener: LoopbackListener;
let endpoint: RecordingEndpoint;
afterEach(() => listener.close());

async function connect(timing: ListenerOptions['timing'] = {}): Promise<HttpClient> {
  listener = await createListener({ timing });
  endpoint = recordingEndpoint();
  listener.addHttpEndpoint(endpoint);
  return new HttpClient(listener, endpoint.token).connect();
}

const session = () => {
  const [first] = endpoint.sessions;
  if (first === undefined) throw new Error('There is no session.');
  return first;
};
const methods = (stream: SseStream) => stream.events.map(({ method }) => method);

describe('a GET stream', () => {
  test('carries a notification sent when it opens', async () => {
    const client = await connect();
    endpoint.onStreamOpen = (opened) => void opened.notify('ide/contextUpdate', { workspaceState: {} });
    const stream = await client.stream();
    await stream.signals.until(() => stream.events.length > 0);
    expect(stream.events).toEqual([
      { jsonrpc: '2.0', method: 'ide/contextUpdate', params: { workspaceState: {} } },
    ]);
  });

  test('is answered at once, even without a message', async () => {
    const stream = await (await connect()).stream();
    expect(stream.status).toBe(200);
    expect(endpoint.streams).toEqual([session().id]);
  });

  test('carries notifications in the order in which they were sent', async () => {
    const stream = await (await connect()).stream();
    for (let n = 0; n < 50; n++) void session().notify(`n${n}`, {});
    await stream.signals.until(() => stream.events.length === 50);
    expect(methods(stream)).toEqual(Array.from({ length: 50 }, (_, n) => `n${n}`));
  });

  test('carries lone surrogates, NUL and U+2028 unchanged', async () => {
    const stream = await (await connect()).stream();
    const content = '\ud800 \0 \u2028 \ufeff 😀\r\n\r';
    void session().notify('ide/diffAccepted', { content });
    await stream.signals.until(() => stream.events.length > 0);
    expect(stream.events[0]?.params).toEqual({ content });
  });

  test('is kept alive by comments', async () => {
    const stream = await (await connect({ keepAliveMs: 10 })).stream();
    await stream.signals.until(() => stream.comments.length >= 2);
    expect(stream.events).toEqual([]);
  });

  test('ends with its connection, and names the delay before the client reopens it', async () => {
    const client = await connect({ reopenMs: 1234 });
    const socket = await openSocket(listener.port);
    const answer = readAnswer(socket);
    socket.write(
      requestHead('GET /mcp HTTP/1.1', { ...client.headers(), host: `127.0.0.1:${listener.port}` }),
    );
    await endpoint.signals.until(() => endpoint.streams.length > 0);
    await session().notify('ping', {});
    await listener.close();
    const { text } = await answer;
    const [head = '', body] = text.split('\r\n\r\n', 2);
    expect(head).toMatch(/^connection: close$/im);
    expect(head).not.toMatch(/transfer-encoding|content-length/i);
    expect(body).toMatch(/^retry: 1234\n\nevent: message\n.*"ping".*\n\n$/s);
  });

  test('does not carry messages of another session', async () => {
    const first = await connect();
    const second = await new HttpClient(listener, endpoint.token).connect();
    const [one, two] = [await first.stream(), await second.stream()];
    await endpoint.sessions[1]?.notify('second', {});
    await endpoint.sessions[0]?.notify('first', {});
    await one.signals.until(() => one.events.length > 0);
    await two.signals.until(() => two.events.length > 0);
    expect([methods(one), methods(two)]).toEqual([['first'], ['second']]);
  });

  test('is refused with 406 if the client does not accept events, and an open one stays', async () => {
    const client = await connect();
    const stream = await client.stream();
    expect((await client.send('GET', { accept: 'application/json' })).status).toBe(406);
    await session().notify('still', {});
    await stream.signals.until(() => stream.events.length > 0);
  });

  test('opens for a client that accepts everything', async () => {
    const client = await connect();
    const answer = await fetch(client.url, { headers: client.headers({ accept: '*/*' }) });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await answer.body?.cancel();
  });

  test('replaces an older stream of its session, which ends in order', async () => {
    const client = await connect({ streamGraceMs: 20 });
    const older = await client.stream();
    const newer = await client.stream();
    expect(newer.status).toBe(200);
    expect(await older.ended).toBe('end');
    await session().notify('to the newer', {});
    await newer.signals.until(() => newer.events.length > 0);
    expect(older.events).toEqual([]);
    expect(endpoint.streams).toHaveLength(2);
    expect(endpoint.ends).toEqual([]);
  });
});

describe('a notification', () => {
  test('is dropped at once without a stream', async () => {
    const client = await connect();
    expect(await session().notify('lost', {})).toBe(false);
    const stream = await client.stream();
    expect(await session().notify('ping', {})).toBe(true);
    await stream.signals.until(() => stream.events.length > 0);
    expect(methods(stream)).toEqual(['ping']);
  });

  test('is dropped at once after the session has ended', async () => {
    const client = await connect();
    await client.stream();
    const gone = session();
    await gone.close();
    expect(await gone.notify('late', {})).toBe(false);
  });

  test('is pending while the client does not read, until the stream closes', async () => {
    const client = await connect();
    const socket = await openSocket(listener.port);
    socket.pause();
    socket.write(
      requestHead('GET /mcp HTTP/1.1', { ...client.headers(), host: `127.0.0.1:${listener.port}` }),
    );
    await endpoint.signals.until(() => endpoint.streams.length > 0);
    let delivered = 0;
    // Far more than the buffers of two sockets.
    const sending = Array.from({ length: 20 }, () =>
      session()
        .notify('big', { text: 'x'.repeat(4_000_000) })
        .then(() => delivered++),
    );
    await client.request('ping');
    expect(delivered).toBeLessThan(20);
    socket.destroy();
    await Promise.all(sending);
  });
});

describe('a session whose stream closes', () => {
  test('ends as disconnected after the grace period', async () => {
    const client = await connect({ streamGraceMs: 20 });
    const stream = await client.stream();
    stream.abort();
    await endpoint.signals.until(() => endpoint.ends.length > 0);
    expect(endpoint.ends).toEqual([{ id: client.sessionId, reason: 'disconnected' }]);
  });

  test('continues if the client reopens the stream in time', async () => {
    const client = await connect({ streamGraceMs: 400 });
    const other = await new HttpClient(listener, endpoint.token).connect();
    const [mine, theirs] = [await client.stream(), await other.stream()];
    mine.abort();
    theirs.abort();
    await Promise.all([mine.ended, theirs.ended]);
    // By the time that a third client is connected, the server has noticed both.
    await new HttpClient(listener, endpoint.token).connect();
    await client.stream();
    // The other session, which did not reopen, shows that the time has passed.
    await endpoint.signals.until(() => endpoint.ends.length > 0);
    expect(endpoint.ends.map(({ id }) => id)).toEqual([other.sessionId]);
  });

  test('continues if a request arrives in time', async () => {
    const client = await connect({ streamGraceMs: 400 });
    const other = await new HttpClient(listener, endpoint.token).connect();
    const [mine, theirs] = [await client.stream(), await other.stream()];
    mine.abort();
    theirs.abort();
    await Promise.all([mine.ended, theirs.ended]);
    // By the time that a third client is connected, the server has noticed both.
    await new HttpClient(listener, endpoint.token).connect();
    expect((await client.call('echo', { text: 'here' })).status).toBe(200);
    await endpoint.signals.until(() => endpoint.ends.length > 0);
    expect(endpoint.ends.map(({ id }) => id)).toEqual([other.sessionId]);
  });

  test('ends as disconnected, not as idle, if a call broke off with the stream', async () => {
    const client = await connect({ streamGraceMs: 20 });
    const stream = await client.stream();
    const leaving = new AbortController();
    const calling = client.call('block', {}, leaving.signal).catch(() => 'gone');
    await endpoint.signals.until(() => endpoint.blocked.length > 0);
    stream.abort();
    await stream.ended;
    leaving.abort();
    await calling;
    await endpoint.signals.until(() => endpoint.ends.length > 0);
    expect(endpoint.ends[0]?.reason).toBe('disconnected');
    expect(endpoint.aborted).toEqual([client.sessionId]);
  });

  test('never expires while a stream is open', async () => {
    const client = await connect({ idleMs: 300, streamGraceMs: 20 });
    await client.stream();
    const other = await new HttpClient(listener, endpoint.token).connect();
    await endpoint.signals.until(() => endpoint.ends.length > 0);
    expect(endpoint.ends.map(({ id }) => id)).toEqual([other.sessionId]);
  });

  test('is not disturbed by the same program connecting again', async () => {
    const first = await connect({ streamGraceMs: 20 });
    const stream = await first.stream();
    const second = await new HttpClient(listener, endpoint.token).connect();
    const newer = await second.stream();
    newer.abort();
    await endpoint.signals.until(() => endpoint.ends.length > 0);
    expect(endpoint.ends.map(({ id }) => id)).toEqual([second.sessionId]);
    await endpoint.sessions[0]?.notify('still here', {});
    await stream.signals.until(() => stream.events.length > 0);
  });
});

describe('closing the listener', () => {
  test('ends streams in order and every session as closed', async () => {
    const client = await connect();
    const stream = await client.stream();
    await listener.close();
    expect(await stream.ended).toBe('end');
    expect(endpoint.ends).toEqual([{ id: client.sessionId, reason: 'closed' }]);
  });

  test('aborts running calls', async () => {
    const client = await connect();
    const calling = client.call('block').catch(() => 'broken off');
    await endpoint.signals.until(() => endpoint.blocked.length > 0);
    await listener.close();
    await calling;
    expect(endpoint.aborted).toEqual([client.sessionId]);
  });

  test('is idempotent, and every caller waits for the same end', async () => {
    const client = await connect();
    await client.stream();
    await Promise.all([listener.close(), listener.close()]);
    await listener.close();
    expect(endpoint.ends).toHaveLength(1);
  });

  test('does not wait for a client that reads nothing and keeps its side open', async () => {
    const client = await connect({ closeLimitMs: 30 });
    const socket = await openSocket(listener.port);
    socket.pause();
    socket.write(
      requestHead('GET /mcp HTTP/1.1', { ...client.headers(), host: `127.0.0.1:${listener.port}` }),
    );
    await endpoint.signals.until(() => endpoint.streams.length > 0);
    void session().notify('big', { text: 'x'.repeat(20_000_000) });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    await listener.close();
    socket.resume();
    await closed;
  });

  test('does not wait for an unused connection', async () => {
    await connect({ closeLimitMs: 600_000 });
    const socket = await openSocket(listener.port);
    socket.on('error', () => {}).resume();
    await listener.close();
  });

  test('accepts no more endpoints afterwards', async () => {
    await connect();
    await listener.close();
    expect(() => listener.addHttpEndpoint(recordingEndpoint())).toThrow('closed');
  });
});

test('the response of a long call is kept alive by comments', async () => {
  const client = await connect({ keepAliveMs: 10 });
  const calling = client.call('block');
  await endpoint.signals.until(() => endpoint.blocked.length > 0);
  const stream = await client.stream();
  await stream.signals.until(() => stream.comments.length >= 2);
  endpoint.release();
  expect((await calling).text).toMatch(/^: keepalive\n\n/);
});

describe('a response that has ended', () => {
  test('behind an unfinished one gets no comment', async () => {
    const client = await connect({ keepAliveMs: 10 });
    const uncaught: unknown[] = [];
    const note = (error: unknown): void => void uncaught.push(error);
    process.on('uncaughtException', note);
    const socket = await openSocket(listener.port);
    try {
      let text = '';
      const received = new Promise<void>((resolve) => {
        socket.setEncoding('latin1').on('data', (chunk: string) => {
          text += chunk;
          // Each comes after a wait in which the other response could have had one, too.
          if (text.split(': keepalive').length > 5) resolve();
        });
      });
      const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' });
      const headers = { host: `127.0.0.1:${listener.port}`, ...client.headers() };
      socket.write(requestHead('GET /mcp HTTP/1.1', headers));
      const length = { 'content-length': String(body.length) };
      socket.write(requestHead('POST /mcp HTTP/1.1', { ...headers, ...length }) + body);
      await received;
      expect((await client.request('ping')).status).toBe(200);
      expect(uncaught).toEqual([]);
    } finally {
      process.off('uncaughtException', note);
      socket.destroy();
    }
  });

  test('uses one listener on the socket for any number of messages', async () => {
    const client = await connect();
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    try {
      const stream = await client.stream();
      for (let n = 0; n < 40; n++) void session().notify(`n${n}`, {});
      await stream.signals.until(() => stream.events.length === 40);
      expect(warnings.map(({ name }) => name)).toEqual([]);
    } finally {
      process.off('warning', note);
    }
  });
});
