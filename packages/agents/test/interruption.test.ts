import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { eventLogOf, onInterruption, readMs } from '../src/hooks/program/interruption.js';

const home = mkdtempSync(join(tmpdir(), 'log-'));
const transcript = join(home, 'chat.jsonl');
const result = (callId: string): string =>
  `${JSON.stringify({ type: 'tool_result', toolCallResult: { callId, status: 'cancelled' } })}\n`;

it.each([
  [
    'Copilot CLI',
    'copilot',
    { sessionId: 'a-1' },
    '{"type":"abort","data":{"reason":"user_initiated"}}\n',
    '{"type":"tool","data":"{\\"type\\":\\"abort\\"}"}\n',
  ],
  ['Qwen Code', 'qwen', { transcript_path: transcript, tool_call_id: 'c1' }, result('c1'), result('c1c2')],
])(
  'the log of %s shows an interruption once it is written whole, and no earlier one',
  (_name, agent, input, end, other) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const log = eventLogOf(agent, input, { COPILOT_HOME: home });
    if (log === undefined) throw new Error('It has a log.');
    const listener = vi.fn();
    const written = (text: string): number => {
      appendFileSync(log.file, text);
      vi.advanceTimersByTime(readMs);
      return listener.mock.calls.length;
    };
    mkdirSync(dirname(log.file), { recursive: true });
    writeFileSync(log.file, end);
    onInterruption(log, listener);
    expect(written(other)).toBe(0);
    expect(written(end.slice(0, 20))).toBe(0);
    expect(written(end.slice(20))).toBe(1);
    expect(written(end)).toBe(1);
  },
);

it('is in the folder of the session, which COPILOT_HOME can move', () => {
  const fileIn = (env: Record<string, string>) => eventLogOf('copilot', { sessionId: 'a-1' }, env)?.file;
  expect(fileIn({ COPILOT_HOME: '/c' })).toBe('/c/session-state/a-1/events.jsonl');
  expect(fileIn({})).toMatch(/\.copilot\/session-state\/a-1\//);
});

it.each([
  ['claude', { sessionId: 'a-1', transcript_path: transcript, tool_call_id: 'c1' }],
  ['copilot', { sessionId: '../a' }],
  ['copilot', null],
  ['qwen', { transcript_path: transcript }],
])('is not looked for if the hook is of %s with the input %j', (agent, input) => {
  expect(eventLogOf(agent, input, {})).toBeUndefined();
});
