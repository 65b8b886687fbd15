import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callCompanion, hookProof, nonceHeader, proofLimitMs } from '../src/hooks/program/callCompanion.js';
import { useQuickTime } from './support/quickTime.js';
import { SilentProgram } from './support/silentProgram.js';

let server: Server;
let answer: (response: ServerResponse, calls: number) => void;
let calls: number;
let target: { port: number; token: string };

beforeEach(async () => {
  calls = 0;
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      calls += 1;
      answer(response, calls);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target = { port: (server.address() as AddressInfo).port, token: 'a-token' };
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const limits = { startLimitMs: 0, restartLimitMs: 100, retryMs: 1 };
const end = (response: ServerResponse): void => void response.destroy();

describe('a call of a companion', () => {
  it('is sent again after the companion has ended it', async () => {
    answer = (response, count) => (count === 1 ? end(response) : response.end('{"output":{}}'));
    expect(await callCompanion(target, {}, limits)).toEqual({ output: {} });
    expect(calls).toBe(2);
  });

  it('ends if every call is ended at once, as by another program on the port', async () => {
    answer = end;
    await expect(callCompanion(target, {}, limits)).rejects.toThrow('The companion does not answer.');
    expect(calls).toBeGreaterThan(1);
  });

  it.each([401, 503])('is not sent again after %i, unless a companion may start', async (status) => {
    answer = (response, count) => {
      response.statusCode = count < 3 ? status : 200;
      response.end('{}');
    };
    await expect(callCompanion(target, {}, limits)).rejects.toThrow('The companion does not answer.');
    expect(calls).toBe(1);
    expect(await callCompanion(target, {}, { ...limits, startLimitMs: 60_000 })).toEqual({});
    expect(calls).toBe(3);
  });

  it.each([
    [500, 'The companion answered 500.'],
    [413, 'It is too large.'],
  ])('fails with %i', async (status, message) => {
    answer = (response) => void response.writeHead(status).end('{}');
    await expect(callCompanion(target, {}, { ...limits, startLimitMs: 60_000 })).rejects.toThrow(message);
    expect(calls).toBe(1);
  });

  it('ends with its signal, without another attempt', async () => {
    const agent = new AbortController();
    answer = () => agent.abort();
    await expect(callCompanion(target, {}, { ...limits, signal: agent.signal })).rejects.toThrow();
    expect(calls).toBe(1);
  });
});

describe('a companion that proves that it is the one', () => {
  const call = { input: 'a secret' };
  /** What the program on the port has received: the tokens, and the texts of calls. */
  let received: unknown[];
  /** What it answers when it is asked for a proof. */
  let prove: (nonce: string) => string;
  let impostor: Server;
  let proving: typeof target & { readonly proves: true };

  beforeEach(async () => {
    received = [];
    impostor = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { [nonceHeader]: nonce, authorization } = request.headers;
        if (nonce !== undefined) return void response.end(prove(String(nonce)));
        received.push(authorization, JSON.parse(Buffer.concat(chunks).toString()));
        response.end('{"output":{}}');
      });
    });
    await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve));
    proving = { port: (impostor.address() as AddressInfo).port, token: 'a-token', proves: true };
  });
  afterEach(() => {
    impostor.closeAllConnections();
    impostor.close();
  });

  it('receives the call', async () => {
    prove = (nonce) => hookProof(proving, nonce);
    expect(await callCompanion(proving, call, limits)).toEqual({ output: {} });
    expect(received).toEqual(['Bearer a-token', call]);
  });

  it.each<[string, (nonce: string) => string]>([
    ['repeats what it received', (nonce) => nonce],
    ['has another token', (nonce) => hookProof({ ...proving, token: 'another' }, nonce)],
    ['asks a companion on another port', (nonce) => hookProof({ ...proving, port: 1 }, nonce)],
    ['answers anything', () => '{"output":{"deny":"no"}}'],
  ])('is missing if the program on its port %s, which receives nothing', async (_what, answers) => {
    prove = answers;
    await expect(callCompanion(proving, call, limits)).rejects.toThrow('The companion does not answer.');
    expect(received).toEqual([]);
  });

  it('is missing if the program on its port accepts and never answers, which receives nothing but the question', async () => {
    const silent = await SilentProgram.ofTest();
    useQuickTime();
    const asking = callCompanion({ ...proving, port: silent.port }, call, limits);
    await expect(asking).rejects.toThrow('The companion does not answer.');
    expect(silent.received).toMatch(/^GET \/hook HTTP\/1\.1\r\n/);
    expect(silent.received).not.toMatch(/a-token|a secret/);
    expect(silent.connections).toBe(1);
  });

  it('may take longer for its answer than for its proof', async () => {
    prove = (nonce) => hookProof(proving, nonce);
    impostor.removeAllListeners('request');
    impostor.on('request', (request, response) => {
      const nonce = request.headers[nonceHeader];
      if (nonce !== undefined) response.end(prove(String(nonce)));
      else setTimeout(() => response.end('{"output":{}}'), 2 * proofLimitMs);
    });
    useQuickTime();
    expect(await callCompanion(proving, call, limits)).toEqual({ output: {} });
  });

  it('is asked over the connection on which it proved that, or not at all', async () => {
    prove = (nonce) => {
      // The next request would open another connection.
      setImmediate(() => impostor.closeIdleConnections());
      return hookProof(proving, nonce);
    };
    impostor.keepAliveTimeout = 1;
    impostor.on('request', (_request, response) => response.setHeader('connection', 'close'));
    await expect(callCompanion(proving, call, limits)).rejects.toThrow('The companion does not answer.');
    expect(received).toEqual([]);
  });
});
