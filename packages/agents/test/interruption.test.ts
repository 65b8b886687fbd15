import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventLogOf, onInterruption, readMs } from '../src/hooks/program/interruption.js';

const abort = '{"type":"abort","data":{"reason":"user_initiated"}}\n';

describe('the log of Copilot CLI', () => {
  it('shows an interruption once it is written whole, and no earlier one', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const log = join(mkdtempSync(join(tmpdir(), 'log-')), 'events.jsonl');
    const listener = vi.fn();
    const written = (text: string): number => {
      appendFileSync(log, text);
      vi.advanceTimersByTime(readMs);
      return listener.mock.calls.length;
    };
    writeFileSync(log, abort);
    onInterruption(log, listener);
    expect(written('{"type":"tool","data":"{\\"type\\":\\"abort\\"}"}\n')).toBe(0);
    expect(written(abort.slice(0, 20))).toBe(0);
    expect(written(abort.slice(20))).toBe(1);
    expect(written(abort)).toBe(1);
  });

  it('is in the folder of the session, which COPILOT_HOME can move', () => {
    expect(eventLogOf('copilot', { sessionId: 'a-1' }, { COPILOT_HOME: '/c' })).toBe(
      '/c/session-state/a-1/events.jsonl',
    );
    expect(eventLogOf('copilot', { sessionId: 'a-1' }, {})).toMatch(/\.copilot\/session-state\/a-1\//);
  });

  it.each([
    ['claude', 'a-1'],
    ['copilot', '../a'],
    ['copilot', 1],
  ])('is not looked for if the hook is of %s in the session %j', (agent, sessionId) => {
    expect(eventLogOf(agent, { sessionId }, {})).toBeUndefined();
  });
});
