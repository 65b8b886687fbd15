import { hookRestartLimitMs, hookVariables } from '@tandem/agents';
import type { HookMode } from '@tandem/reviews';
import { FakeClock } from '@tandem/testing';
import { expect, onTestFinished, test } from 'vitest';
import { callCompanion } from '../../agents/src/hooks/program/callCompanion.js';
import { reconnectLimitMs } from '../src/agents/servedAgents.js';
import type { CompanionStage } from './support/companionStage.js';
import { useSuccessiveCompanions } from './support/successiveCompanions.js';

const createSite = useSuccessiveCompanions();

type HookedAgent = 'claude' | 'gemini';

/** Starts a hook that waits, as the program of hooks does. It ends with the test. */
function holdEdit(stage: CompanionStage, agent: HookedAgent, path: string, mode: HookMode = 'before') {
  const { hooks = {} } = stage.companion.agents.connections().find(({ id }) => id === agent) ?? {};
  const target = {
    port: Number(hooks[hookVariables.port]),
    token: hooks[hookVariables.token] ?? '',
    proves: true,
  };
  const write =
    agent === 'gemini'
      ? { hook_event_name: 'BeforeTool', tool_name: 'write_file' }
      : { hook_event_name: 'PreToolUse', tool_name: 'Write' };
  const input = { ...write, session_id: 'abc', cwd: '/', permission_mode: 'auto' };
  const tool_input = { file_path: path, content: 'two\n' };
  const call = { agent, mode, pid: process.pid, isInteractive: false, input: { ...input, tool_input } };
  const program = new AbortController();
  onTestFinished(() => program.abort());
  const answer = callCompanion(target, call, { startLimitMs: 0, retryMs: 5, signal: program.signal });
  answer.catch(() => {});
  return { answer, end: () => program.abort() };
}

test.each(['claude', 'gemini'] as const)(
  'a hook of %s continues its review with the next companion, where its session stays',
  async (agent) => {
    const { begin, path } = createSite({ 'a.txt': 'one\n' });
    const first = await begin();
    const { answer } = holdEdit(first, agent, path);
    await first.editor.whenShown();
    await first.companion.stop();
    const clock = new FakeClock();
    const second = await begin({ clock });
    const review = await second.editor.whenShown();
    clock.advance(10 * reconnectLimitMs);
    // Nor is its session reported as one that has not returned.
    expect(second.events.filter(({ event }) => event === 'session.lost')).toEqual([]);
    expect(second.companion.agents.lost).toEqual([]);
    expect(review.id).toBe('1');
    expect(review.state).toBe('pending');
    expect(second.companion.agents.sessions.map(({ id }) => id)).toEqual([review.proposal.session]);
    review.accept();
    expect(Object(await answer).output).not.toMatchObject({ decision: 'deny' });
  },
);

test.each([
  ['kept if the user has typed in it', 'typed\n', ' Your text is kept, to apply or discard it.'],
  ['forgotten otherwise', undefined, ''],
])('a review without which the user lets the agent go on is %s', async (_what, typed, kept) => {
  const { begin, path } = createSite({ 'a.txt': 'one\n' });
  const stage = await begin();
  const { answer } = holdEdit(stage, 'gemini', path);
  const review = await stage.editor.whenShown();
  if (typed !== undefined) review.edit(typed);
  const { client } = await stage.found();
  expect(await client.call('review.show', { id: '1' })).toMatchObject({
    actions: [{ id: 'accept' }, { id: 'reject' }, { id: 'letGo', label: 'Let Gemini CLI go on' }],
  });
  expect(await client.call('review.run', { id: '1', action: 'letGo' })).toEqual({
    note: `Gemini CLI goes on without a decision. The file is unchanged.${kept}`,
  });
  expect(await answer).toMatchObject({ output: { decision: 'deny' } });
  expect(stage.companion.interrupted.all.map(({ content }) => content)).toEqual(
    typed === undefined ? [] : [typed],
  );
  await expect(client.call('review.run', { id: '1', action: 'letGo' })).rejects.toThrow('Review 1 ');
});

test('a review for which no hook returns is forgotten, unless the user has typed in it', async () => {
  const { begin, path } = createSite({ 'a.txt': 'one\n' });
  const first = await begin();
  const hook = holdEdit(first, 'claude', path);
  await first.editor.whenShown();
  const stopped = first.companion.stop();
  hook.end();
  await stopped;
  const clock = new FakeClock();
  const { companion } = await begin({ clock });
  expect(companion.interrupted.all).toMatchObject([{ id: '1' }]);
  clock.advance(hookRestartLimitMs);
  expect(companion.interrupted.all).toEqual([]);
});

test('which edits wait is as the user has chosen also with the next companion', async () => {
  const { begin, path } = createSite({ 'a.txt': 'one\n' });
  const first = await begin();
  const asked = holdEdit(first, 'claude', path);
  (await first.editor.whenShown()).reject();
  await asked.answer;
  const { client } = await first.found();
  await client.call('session.hooks', { hooks: 'off' });
  await first.companion.stop();
  const second = await begin();
  expect(await holdEdit(second, 'claude', path).answer).toEqual({});
  expect(second.companion.agents.status().find(({ id }) => id === 'claude')?.sessions).toMatchObject([
    { hooks: 'off' },
  ]);
});

test('a hook that waits by a choice in the companion that has ended waits again', async () => {
  const { begin, path } = createSite({ 'a.txt': 'one\n' });
  const first = await begin();
  const asked = holdEdit(first, 'claude', path);
  (await first.editor.whenShown()).reject();
  await asked.answer;
  first.companion.agents.setHooks(undefined, 'before');
  const { answer } = holdEdit(first, 'claude', path, 'follow');
  await first.editor.whenShown();
  await first.companion.stop();
  const second = await begin();
  (await second.editor.whenShown()).reject();
  expect(Object(await answer).output.hookSpecificOutput.permissionDecision).toBe('deny');
});
