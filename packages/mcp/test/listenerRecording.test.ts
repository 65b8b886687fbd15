import { afterEach, expect, test } from 'vitest';
import { createListener, createRecorder, type LoopbackListener, type Recorder } from '../src/index.js';
import { HttpClient } from './support/httpClient.js';
import { recordingEndpoint } from './support/recordingEndpoint.js';
import { createSignals } from './support/signals.js';
import { tokenHeader, WebSocketClient } from './support/webSocketClient.js';

let listener: LoopbackListener;
afterEach(() => listener.close());

/** A recorder whose lines a test can read, with what every companion gives it. */
function collect(secrets: string[]): {
  recorder: Recorder;
  lines: string[];
  signals: ReturnType<typeof createSignals>;
} {
  const lines: string[] = [];
  const signals = createSignals();
  const write = (line: string): void => {
    lines.push(line);
    signals.changed();
  };
  return { recorder: createRecorder({ write, clock: { now: () => 1 }, secrets }), lines, signals };
}

const summary = (lines: string[]) =>
  lines.map((line) => {
    const { endpoint, direction, message } = JSON.parse(line);
    return `${endpoint} ${direction} ${message.method ?? `answer ${message.id}`}`;
  });

test('every message over HTTP is recorded with its direction, without contents and tokens', async () => {
  const endpoint = recordingEndpoint({ name: 'gemini' });
  const { recorder, lines } = collect([endpoint.token]);
  listener = await createListener({ recorder });
  listener.addHttpEndpoint(endpoint);
  const client = await new HttpClient(listener, endpoint.token).connect();
  const stream = await client.stream();
  await client.call('echo', { text: `SECRET ${endpoint.token}` });
  await endpoint.sessions[0]?.notify('ide/contextUpdate', { selectedText: 'SECRET' });
  await stream.signals.until(() => stream.events.length > 0);
  expect(summary(lines)).toEqual([
    'gemini in initialize',
    'gemini out answer 1',
    'gemini in notifications/initialized',
    'gemini in tools/call',
    'gemini out answer 2',
    'gemini out ide/contextUpdate',
  ]);
  expect(lines.every((line) => JSON.parse(line).session === client.sessionId)).toBe(true);
  expect(lines.join()).not.toContain('SECRET');
  expect(lines.join()).not.toContain(endpoint.token);
});

test('every message over WebSocket is recorded, pings too', async () => {
  const endpoint = Object.assign(recordingEndpoint({ name: 'claude' }), { tokenHeader });
  const { recorder, lines, signals } = collect([endpoint.token]);
  listener = await createListener({ recorder, timing: { pingIntervalMs: 10 } });
  listener.addWebSocketEndpoint(endpoint);
  await WebSocketClient.connect(listener, { token: endpoint.token });
  await signals.until(() => summary(lines).includes('claude in answer 0'));
  const recorded = summary(lines);
  expect(recorded).toContain('claude out ping');
  expect(recorded.indexOf('claude out answer 1')).toBe(1);
  expect(recorded).toContain('claude in notifications/initialized');
});
