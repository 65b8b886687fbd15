import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ClaudeClient } from '../../../packages/agents/test/support/claudeClient.js';
import { CodexClient } from '../../../packages/agents/test/support/codexClient.js';
import { CompanionClient, geminiManner } from '../../../packages/agents/test/support/companionClient.js';
import { expectNoGrowth, Fuzzing, measureUse, mutated } from '../../../packages/mcp/test/support/fuzzing.js';
import { anyCharacter } from '../../../test/anyCharacter.js';
import { exhaustive } from '../../../test/exhaustive.js';
import { PageFixture } from './support/pageFixture.js';

/** Raw bytes for every listener of a companion: of the agents, of the command, of the page. */
const fuzzing = new Fuzzing();
let fixture: PageFixture;
let targets: readonly Target[];

interface Target {
  /** The port, or the socket. */
  readonly to: number | string;
  /** The hosts that it accepts. */
  readonly hosts: readonly [string, ...string[]];
  /** The scheme before the token. */
  readonly scheme: string;
  readonly token: string;
  readonly lines: readonly string[];
}

beforeAll(async () => {
  fixture = await PageFixture.start((it) => void it.write('a.txt', 'one\n'));
  const gemini = connectionOf('gemini');
  const copilot = connectionOf('copilot');
  const folder = join(homedir(), '.local/state/tandem/companions');
  const [registration = ''] = readdirSync(folder);
  const control = JSON.parse(readFileSync(join(folder, registration), 'utf8'));
  targets = [
    {
      ...onPort(fixture.companion.port),
      token: gemini.token,
      lines: [
        'POST /mcp',
        'GET /mcp',
        'DELETE /mcp',
        'GET /identity',
        'GET /',
        'OPTIONS /mcp',
        'CONNECT x:1',
      ],
    },
    {
      to: copilot.url,
      hosts: ['localhost'],
      scheme: 'Nonce',
      token: copilot.token,
      lines: ['POST /mcp', 'GET /mcp', 'DELETE /mcp', 'GET /identity', 'GET /', 'CONNECT x:1'],
    },
    {
      ...onPort(control.port),
      token: control.token,
      lines: ['POST /control/status', 'GET /control/events', 'GET /identity', 'POST /control/trace'],
    },
    {
      ...onPort(fixture.server.port),
      token: fixture.key,
      lines: ['POST /api/ping', 'POST /api/nothing'],
    },
  ];
});
afterAll(() => fixture.dispose());

function onPort(port: number): Pick<Target, 'to' | 'hosts' | 'scheme'> {
  return { to: port, hosts: [`127.0.0.1:${port}`, `localhost:${port}`], scheme: 'Bearer' };
}

/** Codex CLI has no token. */
function connectionOf(agent: string): { readonly url: string; readonly token: string } {
  const found = fixture.companion.agents.connections().find(({ id }) => id === agent);
  if (found === undefined) throw new Error(`The companion does not serve ${agent}.`);
  return { url: found.url, token: found.token ?? '' };
}

/** Sends the bytes to a port or a socket, and returns everything received until the other side closes. */
async function exchange(to: number | string, pieces: readonly Buffer[]): Promise<string> {
  const socket = connect(
    typeof to === 'string' ? { path: to } : { port: to, host: '127.0.0.1', noDelay: true },
  );
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve));
  socket.end();
  // An authorized stream stays open until the client disconnects.
  const leaving = setTimeout(() => socket.destroy(), 400);
  await closed;
  clearTimeout(leaving);
  return received;
}

const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
    .map(([, status]) => Number(status))
    .filter((status) => status !== 100);

interface Head {
  readonly line: string;
  readonly host: string;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  readonly more: readonly string[];
  readonly body: string;
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
});

/** Request heads with at least one error: in the token, the Host or the Origin. */
function wrongHeads({ hosts, scheme, token, lines }: Target): fc.Arbitrary<readonly Head[]> {
  const [ours] = hosts;
  const right = `${scheme} ${token}`;
  const common = {
    line: fc.oneof(fc.constantFrom(...lines), mutated(fc.constantFrom(...lines), 1)),
    more: fc.array(
      fc.constantFrom(
        'Connection: keep-alive',
        'Connection: upgrade\r\nUpgrade: h2c',
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        'Expect: 100-continue',
        'Transfer-Encoding: chunked',
        'Content-Length: 0',
        'Content-Length: 99999999999999',
        'Content-Length: -1',
        'X-Forwarded-Host: 127.0.0.1',
        'Mcp-Session-Id: x',
        `X: ${'y'.repeat(20_000)}`,
        ' folded: header',
      ),
      { maxLength: 2 },
    ),
    body: fc.constantFrom('', initialize, '{}', '0\r\n\r\n', '\0\0'),
  };
  const wrongToken = fc.record({
    ...common,
    host: fc.constantFrom(...hosts),
    origin: fc.constant(undefined),
    authorization: fc.oneof(
      fc.constantFrom(undefined, scheme, `${scheme} `, 'Basic Og==', token),
      fc.integer({ min: 0, max: token.length - 1 }).map((cut) => `${scheme} ${token.slice(0, cut)}`),
      fc.integer({ min: 0, max: token.length - 1 }).map((at) => {
        const other = token[at] === 'A' ? 'B' : 'A';
        return `${scheme} ${token.slice(0, at)}${other}${token.slice(at + 1)}`;
      }),
    ),
  });
  const wrongHost = fc.record({
    ...common,
    host: fc.constantFrom(
      'evil.example',
      ours.replace(/^[^:]+/, 'evil.example'),
      `${ours}.evil.example`,
      '',
      `x@${ours}`,
      '0',
    ),
    origin: fc.constant(undefined),
    authorization: fc.constant(right),
  });
  const wrongOrigin = fc.record({
    ...common,
    host: fc.constant(ours),
    origin: fc.constantFrom(
      'null',
      'http://evil.example',
      'https://127.0.0.1',
      `http://${ours}.evil.example`,
    ),
    authorization: fc.constant(right),
  });
  return fc.array(fc.oneof(wrongToken, wrongHost, wrongOrigin), { minLength: 1, maxLength: 6 });
}

function bytesOf({ line, host, origin, authorization, more, body }: Head): Buffer {
  const headers = [
    `Host: ${host}`,
    ...(origin === undefined ? [] : [`Origin: ${origin}`]),
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    ...more,
    ...(body === '' || more.some((each) => /length|encoding/i.test(each))
      ? []
      : [`Content-Length: ${body.length}`]),
  ];
  return Buffer.from(`${line} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}

test('refuses every head with a wrong token, Host or Origin, alone or after others on its connection', async () => {
  const sessions = fixture.companion.agents.sessions.length;
  let refused = 0;
  for (const target of targets) {
    const check = async (heads: readonly Head[]): Promise<void> => {
      const statuses = statusesIn(await exchange(target.to, heads.map(bytesOf)));
      // The listener of the agents refuses a WebSocket with a close frame, as Claude Code expects.
      const isNo = (status: number): boolean => status >= 400 || (status === 101 && target === targets[0]);
      expect(statuses.filter((status) => !isNo(status))).toEqual([]);
      refused += statuses.filter((status) => status === 401 || status === 403).length;
    };
    const run = (runs: number) => fuzzing.run(wrongHeads(target), runs, check, (heads) => heads.length);
    await run(50);
    const before = await measureUse();
    await run(600);
    await expectNoGrowth(before);
  }
  expect(refused).toBeGreaterThan(1_000);
  expect(fixture.companion.agents.sessions).toHaveLength(sessions);
  expect(fuzzing.inputs).toBeGreaterThan(5_000);
}, 120_000);

test('never sends more answers than it received valid tokens, for any bytes', {
  ...exhaustive,
  timeout: 120_000,
}, async () => {
  let accepted = 0;
  for (const { to, hosts, scheme, token, lines } of targets) {
    const [host] = hosts;
    const right = `Host: ${host}\r\nAuthorization: ${scheme} ${token}\r\nConnection: keep-alive\r\n`;
    const smuggled = `${lines[0]} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\n{}`;
    const whole = fc
      .tuple(
        fc.constantFrom(...lines.filter((line) => !/GET .*(mcp|events)/.test(line))),
        fc.constantFrom(
          '',
          'Transfer-Encoding: chunked\r\n',
          'Content-Length: 4\r\n',
          'Transfer-Encoding: x\r\n',
        ),
        fc.constantFrom('{}', smuggled, `2\r\n{}\r\n0\r\n\r\n${smuggled}`, initialize),
      )
      .map(([line, framing, body]) => {
        return `${line} HTTP/1.1\r\n${right}${framing}Content-Length: ${body.length}\r\n\r\n${body}`;
      });
    const streams = fc.array(fc.oneof(whole, mutated(whole, 4)), { minLength: 1, maxLength: 3 });
    await fuzzing.run(
      streams,
      400,
      async (requests) => {
        const received = await exchange(
          to,
          requests.map((each) => Buffer.from(each, 'latin1')),
        );
        const rights = requests.join('').split(token).length - 1;
        const yes = statusesIn(received).filter((status) => status < 400);
        expect(yes.length).toBeLessThanOrEqual(rights);
        accepted += yes.length;
        expect(statusesIn(received)).not.toContain(500);
      },
      (requests) => requests.length,
    );
  }
  expect(accepted).toBeGreaterThan(20);
  expect(fixture.problems).toEqual([]);
});

test.each([
  ['Claude Code', 'Sec-WebSocket-Protocol: mcp\r\n'],
  ['opencode and Kilo CLI', ''],
])(
  'limits the effect of whole, broken or wrongly masked WebSocket frames of %s to their own connection',
  async (_client, protocol) => {
    const { token, url } = connectionOf('claude');
    const bystander = await ClaudeClient.connect({ url, token });
    const handshake = Buffer.from(
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${fixture.companion.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${protocol}` +
        `X-Claude-Code-Ide-Authorization: ${token}\r\n\r\n`,
    );
    const frame = fc
      .record({
        first: fc.oneof(
          fc.constantFrom(0x81, 0x89, 0x88, 0x80, 0x01, 0x82),
          fc.integer({ min: 0, max: 255 }),
        ),
        isMasked: fc.boolean(),
        claimed: fc.option(fc.integer({ min: 0, max: 127 }), { freq: 4, nil: undefined }),
        text: fc.oneof(
          mutated(fc.constant(initialize)),
          fc.string({ maxLength: 125 }),
          fc.constantFrom(
            '{"jsonrpc":"2.0","id":1,"method":"ping"}',
            '[]',
            '{"jsonrpc":"2.0","id":1,"result":{}}',
          ),
        ),
      })
      .map(({ first, isMasked, claimed, text }) => frameOf(first, isMasked, claimed, Buffer.from(text)));
    const run = (runs: number) =>
      fuzzing.run(
        fc.array(frame, { minLength: 1, maxLength: 12 }),
        runs,
        async (frames) => void (await exchange(fixture.companion.port, [handshake, ...frames])),
        (frames) => frames.length,
      );
    await run(40);
    const before = await measureUse();
    await run(700);
    await expectNoGrowth(before);
    const answer = await bystander.request('ping', {});
    expect(answer.result).toEqual({});
    bystander.socket.terminate();
  },
  120_000,
);

test("limits the effect of any bytes at Codex CLI's socket to their own connection", {
  ...exhaustive,
  timeout: 120_000,
}, async () => {
  const { url } = connectionOf('codex');
  const context = { method: 'ide-context', params: { workspaceRoot: fixture.workspace } };
  const messages = [
    { type: 'request', requestId: '1', ...context },
    { type: 'request', requestId: '1', method: 'initialize', params: {} },
    { type: 'client-discovery-response', requestId: '1', response: { canHandle: true, folderDepth: 99 } },
    { type: 'broadcast', method: 'x', targetClientIds: ['x'] },
  ].map((message) => JSON.stringify(message));
  const frame = fc
    .record({
      text: fc.oneof(fc.constantFrom(...messages), mutated(fc.constantFrom(...messages), 4)),
      claimed: fc.option(fc.nat({ max: 2 ** 32 - 1 }), { freq: 8, nil: undefined }),
    })
    .map(({ text, claimed }) => CodexClient.frame(text, claimed));
  const run = (runs: number) =>
    fuzzing.run(
      fc.array(frame, { minLength: 1, maxLength: 12 }),
      runs,
      async (frames) => void (await exchange(url, frames)),
      (frames) => frames.length,
    );
  const bystander = await CodexClient.connect(url);
  await bystander.initialize();
  await run(40);
  const before = await measureUse();
  await run(700);
  await expectNoGrowth(before);
  bystander.close();
  expect((await CodexClient.ask(url, fixture.workspace)).resultType).toBe('success');
  expect(fixture.problems).toEqual([]);
});

/** A frame by RFC 6455, except for the requested first byte, mask and claimed length. */
function frameOf(first: number, isMasked: boolean, claimed: number | undefined, payload: Buffer): Buffer {
  const short = Math.min(payload.length, 126);
  const head = [first, (isMasked ? 0x80 : 0) | (claimed ?? short)];
  if (claimed === undefined && short === 126) head.push(payload.length >> 8, payload.length & 0xff);
  const mask = [1, 2, 3, 4];
  const body = isMasked ? payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0)) : payload;
  return Buffer.concat([Buffer.from(isMasked ? [...head, ...mask] : head), body]);
}

test('never answers a body with an internal error, over one connection that stays open', {
  ...exhaustive,
  timeout: 120_000,
}, async () => {
  const client = await CompanionClient.connect(connectionOf('gemini'), geminiManner);
  const call = JSON.stringify({
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'openDiff', arguments: { filePath: '/none/a.txt', newContent: 'x' } },
  });
  const body = fc.oneof(
    mutated(fc.constantFrom(call, call.replace('openDiff', 'closeDiff'), initialize)),
    fc.json({ maxDepth: 2 }),
    fc.string({ unit: anyCharacter, maxLength: 80 }),
  );
  const headers = {
    authorization: `Bearer ${connectionOf('gemini').token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-session-id': client.sessionId ?? '',
  };
  const check = async (text: string): Promise<void> => {
    const response = await fetch(client.url, { method: 'POST', headers, body: text });
    expect(await response.text()).not.toContain('-32603');
    expect(response.status).toBeLessThan(500);
  };
  await fuzzing.run(body, 200, check);
  const before = await measureUse();
  await fuzzing.run(body, 2_500, check);
  await expectNoGrowth(before);
  expect((await client.request('ping')).result).toEqual({});
  client.hangUp();
  expect(fixture.problems).toEqual([]);
});
