import * as z from 'zod';
import {
  createToken,
  defineTool,
  type McpEndpoint,
  type McpSession,
  type McpSessionHandler,
  type McpTool,
  type SessionEnd,
  ToolError,
} from '../../src/index.js';
import { createSignals, type Signals } from './signals.js';

/** An endpoint that records every call, so that a test can wait for it. */
export interface RecordingEndpoint extends McpEndpoint {
  readonly sessions: McpSession[];
  readonly ends: { id: string; reason: SessionEnd }[];
  readonly notifications: { method: string; params: unknown }[];
  readonly answered: string[];
  readonly streams: string[];
  /** Calls of `block` that have begun, by the id of their session, and those that were aborted. */
  readonly blocked: string[];
  readonly aborted: string[];
  /** Resolves when `check` is true; checked after each call of the transport. */
  readonly signals: Signals;
  /** Releases the oldest blocked `block` call. */
  release(): void;
  onStreamOpen?: (session: McpSession) => void;
}

/** Tools: `echo` answers its text, `block` answers when released, `fail` and `crash` throw, `big` answers n bytes. */
export function recordingEndpoint(options: { name?: string; tools?: McpTool[] } = {}): RecordingEndpoint {
  const signals = createSignals();
  const releases: (() => void)[] = [];
  const endpoint: RecordingEndpoint = {
    name: options.name ?? 'test',
    token: createToken(32),
    serverInfo: { name: 'test-server', version: '1.2.3' },
    sessions: [],
    ends: [],
    notifications: [],
    answered: [],
    streams: [],
    blocked: [],
    aborted: [],
    signals,
    release: () => releases.shift()?.(),
    onSession(session) {
      endpoint.sessions.push(session);
      signals.changed();
      const handler: McpSessionHandler = {
        tools: options.tools ?? [echo, fail, crash, big, block(endpoint, session.id, releases)],
        onStreamOpen: () => {
          endpoint.streams.push(session.id);
          endpoint.onStreamOpen?.(session);
          signals.changed();
        },
        onAnswered: (method) => {
          endpoint.answered.push(method);
          signals.changed();
        },
        onNotification: (method, params) => {
          endpoint.notifications.push({ method, params });
          signals.changed();
        },
        onClosed: (reason) => {
          endpoint.ends.push({ id: session.id, reason });
          signals.changed();
        },
      };
      return handler;
    },
  };
  return endpoint;
}

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

const echo = defineTool({
  name: 'echo',
  description: 'Answers its text.',
  input: z.object({ text: z.string(), times: z.number().int().positive().optional() }),
  run: (input) => text(input.text.repeat(input.times ?? 1)),
});

const fail = defineTool({
  name: 'fail',
  description: 'Fails as a tool.',
  input: z.object({}),
  run: () => {
    throw new ToolError('The file is gone. Create it first.');
  },
});

const crash = defineTool({
  name: 'crash',
  description: 'Fails by our fault.',
  input: z.object({}),
  run: () => {
    throw new Error('secret detail');
  },
});

const big = defineTool({
  name: 'big',
  description: 'Answers so many bytes.',
  input: z.object({ bytes: z.number() }),
  run: ({ bytes }) => text('x'.repeat(bytes)),
});

const block = (endpoint: RecordingEndpoint, session: string, releases: (() => void)[]): McpTool =>
  defineTool({
    name: 'block',
    description: 'Answers when it is released.',
    input: z.object({}),
    run: (_input, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          endpoint.aborted.push(session);
          endpoint.signals.changed();
        });
        releases.push(() => resolve(text('released')));
        endpoint.blocked.push(session);
        endpoint.signals.changed();
      }),
  });
