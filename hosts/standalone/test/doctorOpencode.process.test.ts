import { afterEach, beforeEach, expect, test } from 'vitest';
import { DoctorScratch, named } from './support/doctorScratch.js';

let scratch: DoctorScratch;

beforeEach(() => {
  scratch = new DoctorScratch();
});
afterEach(() => scratch.dispose());

test('a plain port in the variable: opencode would send no token to it', async () => {
  scratch.install('opencode', '1.18.34');
  const companion = await scratch.serve();
  const { stdout } = await scratch.command(['env', '--shell', 'json']);
  const env = JSON.parse(stdout);
  expect((await scratch.report({ env })).findings).toEqual([]);
  const { port } = new URL((await companion.event('ready')).agents.claude.url);
  expect((await scratch.report({ env: { ...env, CLAUDE_CODE_SSE_PORT: port } })).findings).toMatchObject([
    { id: 'no-token', agent: 'opencode', severity: 'error', fix: { command: 'tandem run opencode' } },
  ]);
  await companion.signal('SIGTERM');
  expect(named(await scratch.report({ env: { OPENCODE_EDITOR_SSE_PORT: port } }), 'no-token')).toMatchObject([
    { fix: { command: 'unset OPENCODE_EDITOR_SSE_PORT' } },
  ]);
});

test('a companion without Claude Code, through which opencode connects', async () => {
  scratch.install('opencode', '1.18.34');
  const companion = await scratch.serve(['--agents', 'opencode']);
  expect(named(await scratch.report(), 'not-served')).toMatchObject([
    { agent: 'claude' },
    { agent: 'copilot' },
    { agent: 'gemini' },
    { agent: 'opencode', cause: expect.stringContaining(`process ${companion.pid}`) },
    { agent: 'qwen' },
  ]);
  const { code, stderr } = await scratch.run(['run', 'opencode']);
  expect(code).not.toBe(0);
  expect(stderr).toContain('does not serve Claude Code, through which opencode connects');
});
