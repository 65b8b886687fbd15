import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callCompanion } from '../src/hooks/program/callCompanion.js';

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
    answer = (response, count) => void response.writeHead(count < 3 ? status : 200).end('{}');
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
