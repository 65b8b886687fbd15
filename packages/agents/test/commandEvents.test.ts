import { expect, it } from 'vitest';
import { agents } from '../src/index.js';

type AgentId = keyof typeof agents;

const hooksOf = async (agent: AgentId) =>
  (await agents[agent].hooks?.()) ?? expect.fail(`${agent} has no hooks`);
const of = { session_id: 's1', cwd: '/w' };
const bash = { ...of, tool_name: 'Bash', tool_input: { command: 'make' }, tool_use_id: 'c1' };
const shell = { ...bash, tool_name: 'run_shell_command' };
const copilot = { sessionId: 's1', cwd: '/w', toolName: 'bash', toolArgs: { command: 'make' } };
const guest = { session: 's1', call: 'c1', folder: '/w', tool: 'bash', args: { command: 'make' } };
const pi = { ...guest, home: '/home/u' };

it.each<[AgentId, begins: object, ends: readonly object[]]>([
  [
    'claude',
    { ...bash, hook_event_name: 'PreToolUse' },
    [{ hook_event_name: 'PostToolUse' }, { hook_event_name: 'PostToolUseFailure' }],
  ],
  ['codex', { ...bash, hook_event_name: 'PreToolUse' }, [{ hook_event_name: 'PostToolUse' }]],
  ['gemini', { ...shell, hook_event_name: 'BeforeTool' }, [{ hook_event_name: 'AfterTool' }]],
  [
    'qwen',
    { ...shell, hook_event_name: 'PreToolUse' },
    [{ hook_event_name: 'PostToolUse' }, { hook_event_name: 'PostToolUseFailure' }],
  ],
  ['copilot', copilot, [{ toolResult: { resultType: 'success' } }, { error: 'It failed.' }]],
  ['opencode', guest, [{ isWritten: true }]],
  ['kilo', guest, [{ isWritten: true }]],
  ['pi', { ...pi, event: 'tool_call' }, [{ event: 'tool_result' }]],
])('the hooks of %s report the begin and the end of a command', async (agent, begins, ends) => {
  const { read } = await hooksOf(agent);
  const command = { kind: 'command', session: 's1', command: 'make' };
  expect(read(begins, 'linux')).toMatchObject({ ...command, hasEnded: false });
  for (const end of ends)
    expect(read({ ...begins, ...end }, 'linux')).toMatchObject({ ...command, hasEnded: true });
});

it.each<[AgentId, object]>([
  ['claude', { ...of, hook_event_name: 'UserPromptSubmit', prompt: 'do it' }],
  ['codex', { ...of, hook_event_name: 'UserPromptSubmit', prompt: 'do it' }],
  ['gemini', { ...of, hook_event_name: 'BeforeAgent', prompt: 'do it' }],
  ['qwen', { ...of, hook_event_name: 'UserPromptSubmit', prompt: 'do it' }],
  ['copilot', { sessionId: 's1', cwd: '/w', prompt: 'do it' }],
  ['opencode', { session: 's1', isPrompt: true, prompt: 'do it' }],
  ['pi', { session: 's1', event: 'before_agent_start', prompt: 'do it' }],
])('the hooks of %s report what the user wrote', async (agent, input) => {
  const { read } = await hooksOf(agent);
  expect(read(input, 'linux')).toMatchObject({ kind: 'prompt', session: 's1', prompt: 'do it' });
});

it.each(['claude', 'gemini', 'qwen'] as const)('no hook of a command of %s can deny it', async (agent) => {
  const hooks = await hooksOf(agent);
  const entries = hooks.entries?.({ call: 'call', patch: 'patch', event: 'event' });
  const ofCommand = JSON.stringify(entries).match(/\{"matcher":"[^"]*(Bash|run_shell_command)[^}]*/g) ?? [];
  expect(ofCommand.length).toBeGreaterThanOrEqual(2);
  for (const entry of ofCommand) expect(entry).toContain('"command":"event"');
});
