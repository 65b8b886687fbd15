import { basename } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  createListener,
  type ListenerOptions,
  type LoopbackListener,
  type WebSocketMcpEndpoint,
  type WebSocketMcpGuest,
} from '../src/index.js';
import { type RecordingEndpoint, recordingEndpoint } from './support/recordingEndpoint.js';
import { type ConnectOptions, tokenHeader, WebSocketClient } from './support/webSocketClient.js';

type Guest = RecordingEndpoint & WebSocketMcpGuest;

let listener: LoopbackListener;
let endpoint: RecordingEndpoint & WebSocketMcpEndpoint;
afterEach(() => listener.close());

async function start(options: ListenerOptions = {}): Promise<void> {
  listener = await createListener(options);
  endpoint = Object.assign(recordingEndpoint({ name: 'host' }), { tokenHeader });
  listener.addWebSocketEndpoint(endpoint);
}

function addGuest(more: Partial<WebSocketMcpGuest> = {}): Guest {
  const guest = Object.assign(recordingEndpoint({ name: 'guest' }), { of: 'host', ...more });
  listener.addWebSocketGuest(guest);
  return guest;
}

const connect = (options: ConnectOptions = {}): Promise<WebSocketClient> =>
  WebSocketClient.connect(listener, { token: endpoint.token, protocols: [], ...options });

describe('a client without a subprotocol', () => {
  test('is served by the guest of the endpoint whose token it presents', async () => {
    await start();
    const guest = addGuest();
    const client = await connect();
    expect(client.socket.protocol).toBe('');
    expect([endpoint.sessions.length, guest.sessions.length]).toEqual([0, 1]);
    await guest.sessions[0]?.notify('hello', {});
    expect((await client.next(({ method }) => method === 'hello')).params).toEqual({});
  });

  test.each([
    ['no', {}],
    ['a wrong', { token: 'wrong' }],
    ["the guest's", { token: 'of the guest' }],
  ])('is refused with %s token', async (_what, { token }: { token?: string }) => {
    await start();
    const guest = addGuest();
    const presented = token === 'of the guest' ? guest.token : token;
    const opening = WebSocketClient.open(listener, {
      protocols: [],
      ...(presented !== undefined && { token: presented }),
    });
    await expect(opening).rejects.toThrow('400');
    expect(guest.sessions).toEqual([]);
  });

  test.each([
    ['an Origin', { origin: 'http://127.0.0.1' }],
    ['a foreign Host', { host: 'evil.example' }],
  ])('is refused with %s, also when the token is right', async (_what, headers) => {
    await start();
    const guest = addGuest();
    await expect(connect({ headers })).rejects.toThrow('403');
    expect(guest.sessions).toEqual([]);
  });

  test('is refused without a guest of that endpoint', async () => {
    await start();
    addGuest({ of: 'another' });
    await expect(connect()).rejects.toThrow('400');
  });

  test('is refused after the guest has ended', async () => {
    await start();
    const guest = recordingEndpoint();
    const added = listener.addWebSocketGuest(Object.assign(guest, { of: 'host' }));
    const client = await connect();
    added.dispose();
    expect((await client.closed).code).toBe(1001);
    expect(guest.ends).toMatchObject([{ reason: 'closed' }]);
    await expect(connect()).rejects.toThrow('400');
  });

  test('is counted with its guest, not with the endpoint', async () => {
    await start({ counts: { sessionsPerAgent: 1 } });
    addGuest();
    await connect();
    const second = await WebSocketClient.open(listener, { token: endpoint.token, protocols: [] });
    expect((await second.closed).code).toBe(1013);
    await WebSocketClient.connect(listener, { token: endpoint.token });
    expect(endpoint.sessions).toHaveLength(1);
  });

  test('stays connected although it answers no JSON-RPC ping', async () => {
    await start({ timing: { pingIntervalMs: 5, pingTimeoutMs: 2000 } });
    const guest = addGuest();
    const client = await connect({ pingAnswer: () => undefined });
    let pings = 0;
    await new Promise<void>((resolve) => client.socket.on('ping', () => ++pings === 3 && resolve()));
    expect(client.received.filter(({ method }) => method === 'ping')).toEqual([]);
    expect(guest.ends).toEqual([]);
  });

  test('is disconnected when it answers no ping frame', async () => {
    await start({ timing: { pingIntervalMs: 5, pingTimeoutMs: 20 } });
    const guest = addGuest();
    const client = await connect({ autoPong: false });
    expect((await client.closed).code).toBe(1006);
    await guest.signals.until(() => guest.ends.length > 0);
    expect(guest.ends).toMatchObject([{ reason: 'unresponsive' }]);
  });
});

describe.runIf(process.platform === 'linux')('a guest with the name of a program', () => {
  const own = new RegExp(`^${basename(process.execPath)}$`);

  test('serves the clients with this program', async () => {
    await start();
    const others = addGuest();
    const guest = addGuest({ program: own });
    await connect();
    expect([others.sessions.length, guest.sessions.length]).toEqual([0, 1]);
  });

  test('leaves all other clients to the guest without one', async () => {
    await start();
    const guest = addGuest({ program: /^no such program$/ });
    await expect(connect()).rejects.toThrow('400');
    const others = addGuest();
    await connect();
    expect([others.sessions.length, guest.sessions.length]).toEqual([1, 0]);
  });
});
