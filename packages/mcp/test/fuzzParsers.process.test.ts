/** @module-tag exhaustive */
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../test/anyCharacter.js';
import { readMarked, withMark } from '../src/discovery/discoveryFile.js';
import {
  bearerToken,
  createToken,
  findForeignOrigin,
  openOwnFolder,
  readDiscoveryFile,
  sweepStale,
} from '../src/index.js';
import { pathOf } from '../src/requestGate.js';
import { findTokenHolder } from '../src/token.js';
import { fitFrame } from '../src/webSocketCarrier.js';
import { readWireMessage } from '../src/wireMessage.js';
import { expectNoGrowth, Fuzzing, measureUse, mutated } from './support/fuzzing.js';

/** Parsers and gates alone, so that a hundred thousand inputs are possible. Sockets are tested in another file. */
const fuzzing = new Fuzzing();
const least = 100_000;

test('100,000 inputs cause no crash, no growth and no wrong acceptance', async () => {
  // After a first run, code is compiled and caches are filled.
  await everything(0.05);
  const before = await measureUse();
  fuzzing.inputs = 0;
  await everything(1);
  expect(fuzzing.inputs).toBeGreaterThanOrEqual(least);
  await expectNoGrowth(before);
}, 120_000);

async function everything(share: number): Promise<void> {
  await gate(Math.ceil(50_000 * share));
  await messages(Math.ceil(30_000 * share));
  await frames(Math.ceil(4_000 * share));
  await marks(Math.ceil(15_000 * share));
  await files(Math.ceil(1_500 * share));
}

const port = 43_210;
const token = createToken(32);
const names = ['127.0.0.1', 'localhost', '[::1]', 'host.docker.internal'];

/** Only the exact token, one of four host names with the exact port, and no Origin are accepted. */
async function gate(runs: number): Promise<void> {
  const host = fc.oneof(
    fc.constantFrom(...names.map((name) => `${name}:${port}`)),
    mutated(fc.constantFrom(...names.map((name) => `${name}:${port}`))),
    fc.string({ unit: anyCharacter, maxLength: 40 }),
    fc.constant(undefined),
  );
  const authorization = fc.oneof(
    fc.constant(`Bearer ${token}`),
    mutated(fc.constant(`Bearer ${token}`)),
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    fc.constant(undefined),
  );
  const origin = fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, mutated(fc.constant('null')));
  const url = mutated(fc.constantFrom('/mcp', '/identity', '/?x=1', 'http://evil.example/mcp'));
  await fuzzing.run(fc.record({ host, authorization, origin, url }), runs, (headers) => {
    const isForeign = findForeignOrigin(headers, port) !== undefined;
    const said = headers.host?.trim().toLowerCase();
    const isOurs = names.some((name) => said === `${name}:${port}`) && headers.origin === undefined;
    expect(isForeign).toBe(!isOurs);
    const presented = bearerToken(headers.authorization);
    const holder = findTokenHolder([{ token: createdOnce }, { token }], presented);
    const words = headers.authorization?.split(/\s+/).filter((word) => word !== '') ?? [];
    const isRight = words.length === 2 && words[0]?.toLowerCase() === 'bearer' && words[1] === token;
    // Some valid white space is not accepted, but everything that is accepted must be right.
    if (holder !== undefined) expect([holder.token, isRight]).toEqual([token, true]);
    else if (headers.authorization === `Bearer ${token}`) throw new Error('The right token was refused.');
    expect(pathOf(headers.url)).not.toContain('?');
  });
}
const createdOnce = createToken(64);

/** JSON that is nearly a message, with members of any type, including deep and duplicate ones. */
async function messages(runs: number): Promise<void> {
  const value = fc.oneof(
    { depthSize: 'small' },
    fc.string({ maxLength: 8 }),
    fc.integer(),
    fc.double(),
    fc.constant(null),
    fc.boolean(),
    fc.array(fc.integer(), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('name', 'arguments', '_meta', '__proto__', 'constructor'), fc.string()),
  );
  const message = fc.record(
    {
      jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant<unknown>('2.0') }, value),
      id: value,
      method: fc.oneof(fc.constantFrom<unknown>('initialize', 'tools/call'), value),
      params: value,
      result: value,
      error: fc.oneof(value, fc.record({ code: value, message: value })),
      ['__proto__']: value,
      more: value,
    },
    { requiredKeys: [] },
  );
  const text = mutated(
    fc.oneof(message, fc.array(message, { maxLength: 2 }), value).map((each) => JSON.stringify(each)),
    1,
  );
  await fuzzing.run(text, runs, (json) => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(json);
    } catch {
      return;
    }
    const read = readWireMessage(parsed);
    if (read.kind === 'invalid') return;
    const { jsonrpc, ...rest } = read.message;
    expect(jsonrpc).toBe('2.0');
    const known = ['id', 'method', 'params', 'result', 'error'];
    expect(Object.keys(rest).filter((key) => !known.includes(key))).toEqual([]);
    const isRequest = 'method' in rest && typeof rest.method === 'string';
    const isAnswer = ('result' in rest && typeof rest.result === 'object') || 'error' in rest;
    expect(isRequest || isAnswer).toBe(true);
    expect(Object.getPrototypeOf({}).arguments).toBeUndefined();
  });
}

/** An outgoing message fits, or is replaced by a clear error, or is not sent. */
async function frames(runs: number): Promise<void> {
  const outgoing = fc.record({
    text: fc.string({ unit: anyCharacter, maxLength: 400 }),
    id: fc.oneof(fc.integer(), fc.string({ maxLength: 5 })),
    answers: fc.constantFrom('tools/call', 'tools/list', undefined),
    isNotification: fc.boolean(),
    limit: fc.integer({ min: 300, max: 700 }),
  });
  await fuzzing.run(outgoing, runs, ({ text, id, answers, isNotification, limit }) => {
    const message = isNotification
      ? { jsonrpc: '2.0' as const, method: 'x', params: { text } }
      : { jsonrpc: '2.0' as const, id, result: { text } };
    const fitted = fitFrame(message, answers, limit);
    if (fitted.text === undefined) return expect(isNotification).toBe(true);
    expect(Buffer.byteLength(fitted.text)).toBeLessThanOrEqual(limit);
    expect(JSON.parse(fitted.text)).toMatchObject(isNotification ? { method: 'x' } : { id });
  });
}

const mark = { pid: 2 ** 30, startedAt: 1, port: 1 };
const discoveryText = fc.oneof(
  mutated(fc.constant(withMark({ port: 1, authToken: 'x'.repeat(43), workspacePath: '/w' }, mark)), 2),
  fc
    .record({
      pid: fc.oneof(fc.integer(), fc.double(), fc.string(), fc.constant(2 ** 31), fc.constant(2 ** 53)),
      startedAt: fc.oneof(fc.double(), fc.string()),
      port: fc.oneof(fc.integer(), fc.double()),
    })
    .map((tandem) => JSON.stringify({ tandem, authToken: 1 })),
  fc.constantFrom('', '[]', 'null', '{', '{"tandem":null}', '{"__proto__":{"tandem":{}}}', '"tandem"'),
  fc.json({ maxDepth: 3 }),
);

/** Any file is read as ours only if it has our mark. */
async function marks(runs: number): Promise<void> {
  await fuzzing.run(discoveryText, runs, (text) => {
    const read = readMarked(text);
    if (read === undefined) return;
    expect(Number.isInteger(read.mark.pid) && read.mark.pid > 0).toBe(true);
    expect(read.mark.port >= 0 && read.mark.port <= 65_535).toBe(true);
    expect(JSON.parse(text).tandem).toMatchObject(read.mark);
  });
}

/** On disk: broken files and files of others are ignored and left alone. */
async function files(runs: number): Promise<void> {
  const folder = openOwnFolder(join(mkdtempSync(join(tmpdir(), 'fuzz-')), 'own'));
  const bytes = fc.oneof(
    discoveryText.map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 60 }).map((some) => Buffer.from(some)),
    fc.integer({ min: 65_000, max: 66_000 }).map((size) => Buffer.alloc(size, '{')),
  );
  let written = 0;
  await fuzzing.run(bytes, runs, async (content) => {
    const path = join(folder.path, `${written % 20}.json`);
    written += 1;
    writeFileSync(path, content);
    const isOurs = content.length <= 64 * 1024 && readMarked(content.toString('utf8')) !== undefined;
    expect(readDiscoveryFile(path) !== undefined).toBe(isOurs);
    if (written % 20 !== 0) return;
    const present = readdirSync(folder.path).map((name) => join(folder.path, name));
    const ours = present.filter((each) => readDiscoveryFile(each) !== undefined);
    const removed = await sweepStale(folder, /\.json$/, { timeoutMs: 50 });
    expect(removed.filter((each) => !ours.includes(each))).toEqual([]);
    const left = readdirSync(folder.path).map((name) => join(folder.path, name));
    expect(left.sort()).toEqual(present.filter((each) => !removed.includes(each)).sort());
  });
}
