import type { HookMode } from '@tandem/reviews';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { hookedId } from '../src/hooks/hookModes.js';
import tandem from '../src/hooks/program/piPlugin.js';
import { agents } from '../src/index.js';
import { HookedStage } from './support/hookedStage.js';
import { useQuickTime } from './support/quickTime.js';
import { SilentProgram } from './support/silentProgram.js';

const path = '/w/a.txt';
const call = () => ({
  toolName: 'edit',
  toolCallId: 'call_1',
  input: { path, edits: [{ oldText: 'two', newText: 'TWO' }] },
});
const result = (more: object = {}) => ({
  ...call(),
  content: [{ type: 'text', text: 'Successfully replaced 1 block(s).' }],
  isError: false,
  ...more,
});

let stage: HookedStage;
beforeEach(async () => {
  stage = await HookedStage.open(agents.pi, { [path]: 'one\ntwo\n' });
});
afterEach(() => vi.unstubAllEnvs());

/** Loads the extension. Returns what fires an event of pi, and resolves to what its handler returns. */
function load(mode: HookMode, more: Readonly<Record<string, string>> = {}) {
  for (const [name, value] of Object.entries({ ...stage.serve(mode), ...more })) vi.stubEnv(name, value);
  const handlers = new Map<string, (event: object, site: object) => Promise<unknown>>();
  tandem({ on: (event: string, handler: never) => void handlers.set(event, handler) });
  const sessionManager = { getSessionId: () => 's1' };
  const fire = async (event: string, data: object = {}, signal?: AbortSignal) =>
    handlers.get(event)?.(data, { cwd: '/w', sessionManager, signal });
  return { handlers, fire };
}

it('lets an accepted call go on, and leaves its result', async () => {
  const { fire } = load('before');
  const event = call();
  const answer = fire('tool_call', event);
  (await stage.editor.whenShown()).accept();
  expect(await answer).toBeUndefined();
  expect(event).toEqual(call());
  expect(await fire('tool_result', result())).toBeUndefined();
});

it('replaces the arguments in place, and adds the note to the result', async () => {
  const { fire } = load('before');
  const event = call();
  const { input } = event;
  const answer = fire('tool_call', event);
  const review = await stage.editor.whenShown();
  review.edit('mine\n');
  review.accept();
  expect(await answer).toBeUndefined();
  expect(input).toEqual({ path, edits: [{ oldText: 'one\ntwo\n', newText: 'mine\n' }] });
  const note = { type: 'text', text: expect.stringContaining('The user corrected this change') };
  expect(await fire('tool_result', result())).toEqual({ content: [...result().content, note] });
});

it('refuses a rejected call with the reason', async () => {
  const { fire } = load('before');
  const answer = fire('tool_call', call());
  (await stage.editor.whenShown()).reject();
  expect(await answer).toEqual({
    block: true,
    reason: expect.stringContaining('The user rejected the change to'),
  });
});

it('ends the review when the user interrupts the turn, and refuses the call [HOK-5]', async () => {
  const { fire } = load('before');
  const turn = new AbortController();
  const answer = fire('tool_call', call(), turn.signal);
  const review = await stage.editor.whenShown();
  review.edit('typed\n');
  turn.abort();
  expect(await answer).toEqual({ block: true, reason: expect.stringContaining('interrupted') });
  await expect.poll(() => review.outcome).toEqual({ kind: 'withdrawn', reason: 'agent' });
  expect(stage.reviews.get(review.id)?.content).toBe('typed\n');
});

it('asks only about the tools that change files', async () => {
  const { fire } = load('before');
  expect(
    await fire('tool_call', { ...call(), toolName: 'bash', input: { command: 'true' } }),
  ).toBeUndefined();
  expect(stage.reviews.pending).toEqual([]);
});

it('reports the session, and adds to a prompt what was left for the model, once [HOK-10]', async () => {
  const { fire } = load('before');
  await fire('session_start');
  expect(stage.running.sessions()).toMatchObject([{ id: hookedId('s1') }]);
  expect(await fire('before_agent_start')).toBeUndefined();
  stage.running.hooks?.leave(hookedId('s1'), 'Use tabs.');
  expect(await fire('before_agent_start')).toEqual({
    message: { customType: 'tandem', content: 'Use tabs.', display: true },
  });
  expect(await fire('before_agent_start')).toBeUndefined();
  await fire('session_shutdown', { reason: 'reload' });
  expect(stage.running.sessions()).toMatchObject([{ id: hookedId('s1') }]);
  await fire('session_shutdown', { reason: 'quit' });
  expect(stage.running.sessions()).toEqual([]);
});

it('does not wait long for a slow companion, which receives each event all the same, in their order', async () => {
  const { fire } = load('before');
  await fire('session_start');
  stage.running.hooks?.leave(hookedId('s1'), 'Use tabs.');
  let answer = (): void => {};
  stage.mayAnswer = new Promise((resolve) => {
    answer = resolve;
  });
  expect(await fire('before_agent_start', { prompt: 'one' })).toBeUndefined();
  const ended = fire('agent_settled');
  expect(stage.received).toHaveLength(2);
  answer();
  await ended;
  expect(stage.received).toMatchObject([
    { event: 'session_start' },
    { event: 'before_agent_start', prompt: 'one' },
    { event: 'agent_settled' },
  ]);
  expect(await fire('before_agent_start', { prompt: 'two' })).toMatchObject({
    message: { content: 'Use tabs.' },
  });
});

it('does nothing in an agent that another agent has started', () => {
  expect(load('before', { TANDEM_HOOK_AGENT: 'claude' }).handlers.size).toBe(0);
});

it('leaves calls and prompts alone without a companion where edits are not all reviewed', async () => {
  const { fire } = load('follow', { TANDEM_HOOK_TOKEN: 'of another companion' });
  await fire('session_start');
  expect(await fire('before_agent_start')).toBeUndefined();
  expect(await fire('tool_call', call())).toBeUndefined();
  expect(await fire('tool_result', result())).toBeUndefined();
});

it.each([
  ['goes on where edits are not all reviewed', 'follow', undefined],
  ['is refused', 'before', { block: true, reason: expect.stringContaining('Tandem does not answer') }],
] as const)('a call %s if the companion accepts and never answers', async (_what, mode, answer) => {
  const { port } = await SilentProgram.ofTest();
  useQuickTime();
  const { fire } = load(mode, { TANDEM_HOOK_PORT: String(port), TANDEM_HOOK_PROVES: '1' });
  expect(await fire('tool_call', call())).toEqual(answer);
});

it.each(['follow', 'after'] as const)('reports what was written: %s', async (mode) => {
  const { fire } = load(mode);
  await fire('tool_call', call());
  stage.files.write(path, 'one\nTWO\n');
  await fire('tool_result', result());
  expect(stage.written).toMatchObject([{ agent: 'pi', path, session: hookedId('s1') }]);
});

it('reports no call that failed', async () => {
  const { fire } = load('after');
  await fire('tool_call', call());
  stage.files.write(path, 'of another program\n');
  await fire('tool_result', result({ isError: true }));
  expect(stage.written).toEqual([]);
});
