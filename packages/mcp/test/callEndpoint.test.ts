import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CallEndpoint, createListener, type LoopbackListener } from '../src/index.js';
import { recordingEndpoint } from './support/recordingEndpoint.js';

const token = 'a-token-of-hooks';
const gemini = recordingEndpoint({ name: 'gemini' });
let listener: LoopbackListener;
let answer: CallEndpoint['answer'];

beforeEach(async () => {
  answer = async (request) => ({ got: request });
  listener = await createListener({ timing: { drainMs: 200 } });
  listener.addHttpEndpoint(gemini);
  listener.addCallEndpoint({
    path: '/hook',
    token,
    answer: (request, call) => answer(request, call),
    prove: (nonce) => `proof of ${nonce}`,
  });
});
afterEach(() => listener.close());

function call(path: string, bearer = token, init: RequestInit = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${listener.port}${path}`, {
    method: 'POST',
    body: '{"a":1}',
    headers: { authorization: `Bearer ${bearer}` },
    ...init,
  });
}

test('answers a call with JSON, and reports when it was sent', async () => {
  let whenSent = (): void => {};
  const sent = new Promise<void>((resolve) => {
    whenSent = resolve;
  });
  answer = async (request, { whenSent: listen }) => {
    listen(whenSent);
    return { got: request };
  };
  const response = await call('/hook');
  expect([response.status, await response.json()]).toEqual([200, { got: { a: 1 } }]);
  await sent;
});

test.each([
  ['/mcp', token, 404],
  ['/identity', token, 404],
  ['/hook', 'another', 401],
  ['/hook', gemini.token, 404],
])('a call of %s with the token "%s" gets %i [HOK-8]', async (path, bearer, status) => {
  expect((await call(path, bearer)).status).toBe(status);
});

test('proves without a token that it knows it, and answers nothing else without it', async () => {
  const url = `http://127.0.0.1:${listener.port}`;
  const headers = { 'tandem-nonce': 'n1' };
  expect(await (await fetch(`${url}/hook`, { headers })).text()).toBe('proof of n1');
  for (const [path, init] of [
    ['/hook', {}],
    ['/hook', { headers: { 'tandem-nonce': 'n'.repeat(65) } }],
    ['/hook', { headers, method: 'POST', body: '{}' }],
    ['/mcp', { headers }],
  ] as const) {
    expect((await fetch(url + path, init)).status).toBe(401);
  }
  expect((await fetch(`${url}/hook`, { headers: { ...headers, origin: 'http://a.example' } })).status).toBe(
    403,
  );
});

test('refuses other methods, and a body that is not JSON', async () => {
  const headers = { authorization: `Bearer ${token}` };
  const got = await fetch(`http://127.0.0.1:${listener.port}/hook`, { headers });
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await call('/hook', token, { body: '{' })).status).toBe(400);
});

test('a failure is answered with 500, without its reason', async () => {
  answer = async () => {
    throw new Error('a secret');
  };
  const response = await call('/hook');
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('secret');
});

test('a caller that disconnects aborts its call', async () => {
  const caller = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    answer = (_request, { signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => resolve());
        caller.abort();
      });
  });
  await expect(call('/hook', token, { signal: caller.signal })).rejects.toThrow(/abort/i);
  await aborted;
});

test('the end of the listener disconnects a call that waits', async () => {
  answer = () =>
    new Promise(() => {
      void listener.close();
    });
  await expect(call('/hook')).rejects.toThrow('fetch failed');
});
