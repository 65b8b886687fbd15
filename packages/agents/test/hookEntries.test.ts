import { expect, it } from 'vitest';
import { agents } from '../src/index.js';

const commands = { call: 'call', patch: 'patch', event: 'event' };
const site = {
  commands,
  program: '/state/hooks/0123456789abcdef/hook.mjs',
  mode: 'follow',
  folders: [],
} as const;
const all = Object.entries(agents);

it.each(all.filter(([, { hooks }]) => hooks))('%s can have hooks for good [HOK-9]', async (_id, agent) => {
  const hooks = await agent.hooks?.();
  expect([hooks?.entries, hooks?.ownFile].filter((each) => each !== undefined)).toHaveLength(1);
  expect(agent.hookFile?.({ env: {}, home: '/home/u', tmpdir: '/tmp', platform: 'linux' })).toMatch(
    /^\/home\/u\/\./,
  );
});

it.each([
  ['claude', 'PreToolUse', 86_400],
  ['codex', 'PreToolUse', 86_400],
  ['gemini', 'BeforeTool', 86_400_000],
  ['qwen', 'PreToolUse', 86_400_000],
] as const)('the hook of an edit of %s may wait for a day, and alone denies', async (id, event, timeout) => {
  const { [event]: calls = [], ...others } = (await agents[id].hooks?.())?.entries?.(commands) ?? {};
  expect(calls[0]).toEqual({
    matcher: expect.any(String),
    hooks: [expect.objectContaining({ command: 'call', timeout })],
  });
  expect(JSON.stringify(others)).toContain('event');
  expect(JSON.stringify(others)).not.toContain('"call"');
});

it('the file of Copilot CLI has the same hooks as its plugin', async () => {
  const hooks = await agents.copilot.hooks?.();
  const injected = hooks?.inject({ ...site, folder: '/f', env: {} }).files['hooks.json'] ?? '';
  expect(JSON.parse(hooks?.ownFile?.(site) ?? '')).toEqual(JSON.parse(injected));
});
