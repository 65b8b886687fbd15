import type { Logger } from '@tandem/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createListener, defineTool, type LoopbackListener } from '../src/index.js';
import { HttpClient, type RpcMessage } from './support/httpClient.js';
import { recordingEndpoint } from './support/recordingEndpoint.js';
import { tokenHeader, WebSocketClient } from './support/webSocketClient.js';

interface Client {
  request(method: string, params?: unknown): Promise<RpcMessage>;
  call(name: string, args?: unknown): Promise<RpcMessage>;
}

let listener: LoopbackListener;
let logged: { message: string; fields: unknown }[];
beforeEach(() => {
  logged = [];
});
afterEach(() => listener.close());

const log = (message: string, fields?: unknown) => void logged.push({ message, fields });
const logger: Logger = { debug: () => {}, info: log, warn: log, error: log };

/** The same endpoint over either wire: what is tested here must not depend on it. */
const wires: [string, (options?: Parameters<typeof recordingEndpoint>[0]) => Promise<Client>][] = [
  [
    'HTTP',
    async (options) => {
      listener = await createListener({ logger });
      const endpoint = recordingEndpoint(options);
      listener.addHttpEndpoint(endpoint);
      const client = await new HttpClient(listener, endpoint.token).connect();
      return {
        request: async (method, params) => (await client.request(method, params)).message,
        call: async (name, args) => (await client.call(name, args)).message,
      };
    },
  ],
  [
    'WebSocket',
    async (options) => {
      listener = await createListener({ logger });
      const endpoint = { ...recordingEndpoint(options), tokenHeader };
      listener.addWebSocketEndpoint(endpoint);
      return WebSocketClient.connect(listener, { token: endpoint.token });
    },
  ],
];

const textOf = (message: RpcMessage) => {
  const content = message.result?.content as { text: string }[] | undefined;
  return content?.map(({ text }) => text).join('|');
};

describe.each(wires)('over %s', (_wire, connect) => {
  test('tools/list shows name, description and schema, in order', async () => {
    const client = await connect();
    const { result } = await client.request('tools/list');
    const tools = result?.tools as { name: string }[];
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'fail', 'crash', 'big', 'block']);
    expect(tools[0]).toEqual({
      name: 'echo',
      description: 'Answers its text.',
      inputSchema: expect.objectContaining({
        type: 'object',
        properties: { text: { type: 'string' }, times: expect.objectContaining({ type: 'integer' }) },
        required: ['text'],
      }),
    });
  });

  test('a tool call returns the content', async () => {
    const client = await connect();
    expect((await client.call('echo', { text: 'hello', times: 2 })).result).toEqual({
      content: [{ type: 'text', text: 'hellohello' }],
    });
  });

  test('a tool may be called with unknown arguments', async () => {
    const client = await connect();
    expect(textOf(await client.call('echo', { text: 'a', unknown: 1 }))).toBe('a');
  });

  test.each([
    ['left out', undefined],
    ['null', null],
  ])('arguments that are %s are an empty object', async (_what, args) => {
    const client = await connect();
    const message = await client.request('tools/call', { name: 'fail', arguments: args });
    expect(textOf(message)).toBe('The file is gone. Create it first.');
  });

  test('an unknown tool is answered with -32602, its name and the known ones', async () => {
    const client = await connect();
    expect((await client.call('openDif')).error).toEqual({
      code: -32602,
      message: 'Unknown tool: openDif. Known tools: echo, fail, crash, big, block.',
    });
  });

  test.each([
    ['no name', {}],
    ['a name that is a number', { name: 7 }],
    ['arguments that are text', { name: 'echo', arguments: 'x' }],
    ['arguments that are a list', { name: 'echo', arguments: [] }],
  ])('a call with %s is answered with -32602', async (_what, params) => {
    const client = await connect();
    expect((await client.request('tools/call', params)).error).toEqual({
      code: -32602,
      message: 'tools/call needs {name: string, arguments?: object}.',
    });
  });

  test.each([
    [{}, '"text" must be a string, but received nothing.'],
    [{ text: 5 }, '"text" must be a string, but received a number.'],
    [{ text: null }, '"text" must be a string, but received null.'],
    [{ text: ['secret'] }, '"text" must be a string, but received an array.'],
    [{ text: { a: 'secret' } }, '"text" must be a string, but received an object.'],
    [{ text: 'secret', times: -1 }, '"times" must be at least 0 (number), but received a number.'],
    [
      { text: 1, times: 'x' },
      '"text" must be a string, but received a number; "times" must be a number, but received a string.',
    ],
  ])('arguments %j are answered with isError and one line', async (args, problem) => {
    const client = await connect();
    const message = await client.call('echo', args);
    expect(message.result?.isError).toBe(true);
    expect(textOf(message)).toBe(`Invalid arguments for echo: ${problem}`);
  });

  test('errors about arguments contain no value and no line break, for every kind of check', async () => {
    const strict = defineTool({
      name: 'strict',
      description: '',
      input: z.strictObject({
        kind: z.enum(['a', 'b']),
        list: z.array(z.object({ path: z.string().startsWith('/') })).max(1),
        either: z.union([z.string(), z.number()]),
        url: z.url(),
        checked: z.string().refine(() => false, 'a path\nof this workspace'),
      }),
      run: () => ({ content: [] }),
    });
    const client = await connect({ tools: [strict] });
    const secret = 'SECRET';
    const bad = [
      { kind: secret, list: [], either: 1, url: 'http://x', checked: '' },
      {
        kind: 'a',
        list: [{ path: secret }],
        either: [secret],
        url: secret,
        checked: secret,
      },
      { kind: 'a', list: [], either: 1, url: 'http://x', checked: secret },
      { kind: 'a', list: [], either: 1, url: 'http://x', checked: '', SECRET: secret },
    ];
    for (const args of bad) {
      const text = textOf(await client.call('strict', args)) ?? '';
      expect(text).toMatch(/^Invalid arguments for strict: .+ must be .+, but received .+/);
      expect(text).not.toContain(secret);
      expect(text).not.toContain('\n');
    }
    expect(textOf(await client.call('strict', bad[1]))).toContain(
      '"list.0.path" must be text in the form "starts_with"',
    );
    expect(textOf(await client.call('strict', bad[0]))).toContain('one of "a", "b"');
  });

  test('a ToolError is a result that the model can read', async () => {
    const client = await connect();
    expect((await client.call('fail')).result).toEqual({
      content: [{ type: 'text', text: 'The file is gone. Create it first.' }],
      isError: true,
    });
  });

  test('any other error is -32603 without detail, and the detail is in the log', async () => {
    const client = await connect();
    const message = await client.call('crash');
    expect(message.error).toEqual({ code: -32603, message: 'Internal error' });
    expect(logged).toContainEqual({
      message: 'A tool failed unexpectedly.',
      fields: { tool: 'crash', error: expect.stringContaining('secret detail') },
    });
  });

  test.each([
    ['resources/list', { resources: [] }],
    ['prompts/list', { prompts: [] }],
    ['ping', {}],
  ])('%s is answered though it is not advertised', async (method, result) => {
    const client = await connect();
    expect((await client.request(method)).result).toEqual(result);
  });

  test.each([
    'no/such',
    'resources/read',
    'logging/setLevel',
    'completion/complete',
    'server/discover',
    'tasks/list',
  ])('%s is answered with -32601', async (method) => {
    const client = await connect();
    expect((await client.request(method, { level: 'info', uri: 'file:///x' })).error).toEqual({
      code: -32601,
      message: 'Method not found',
    });
  });

  test('a second initialize is refused and the session continues', async () => {
    const client = await connect();
    const again = await client.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'again', version: '1' },
    });
    expect(again.error?.code).toBe(-32600);
    expect(textOf(await client.call('echo', { text: 'on' }))).toBe('on');
  });

  test('concurrent calls get their own answers', async () => {
    const client = await connect();
    const calls = Array.from({ length: 20 }, (_, n) => client.call('echo', { text: `${n}` }));
    expect((await Promise.all(calls)).map(textOf)).toEqual(Array.from({ length: 20 }, (_, n) => `${n}`));
  });
});
