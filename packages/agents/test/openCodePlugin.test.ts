import type { HookMode } from '@tandem/reviews';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hookedId } from '../src/hooks/hookModes.js';
import { tandem } from '../src/hooks/program/openCodePlugin.js';
import { agents } from '../src/index.js';
import { HookedStage } from './support/hookedStage.js';
import { useQuickTime } from './support/quickTime.js';
import { SilentProgram } from './support/silentProgram.js';

const path = '/w/a.txt';
const call = { tool: 'edit', sessionID: 'ses_1', callID: 'call_1' };
const options = { agent: 'opencode', tools: ['edit'] };

/** What the plugin registers. */
interface Hooks {
  readonly 'chat.message': (of: object, prompt: object) => Promise<void>;
  readonly 'tool.execute.before': (call: object, output: { args: object }) => Promise<void>;
  readonly 'tool.execute.after': (call: object, result: { output: string }) => Promise<void>;
  readonly event: (input: { event: { type: string; properties: object } }) => Promise<void>;
}

let stage: HookedStage;
/** What the plugin has answered to questions of opencode. */
let replies: object[];
beforeEach(async () => {
  stage = await HookedStage.open(agents.opencode, { [path]: 'one\ntwo\n' });
  replies = [];
});
afterEach(() => vi.unstubAllEnvs());

async function load(mode: HookMode, more: Readonly<Record<string, string>> = {}): Promise<Hooks> {
  for (const [name, value] of Object.entries({ ...stage.serve(mode), ...more })) vi.stubEnv(name, value);
  const client = { _client: { post: async (request: object) => void replies.push(request) } };
  return (await tandem({ client, directory: '/w' }, options)) as Hooks;
}

const args = () => ({ filePath: path, oldString: 'two', newString: 'TWO', replaceAll: true });
const happen = (hooks: Hooks, type: string, properties: object = {}) =>
  hooks.event({ event: { type, properties: { sessionID: 'ses_1', ...properties } } });
const asked = { id: 'per_1', permission: 'edit', tool: { messageID: 'msg_1', callID: 'call_1' } };
const reply = (body: object) =>
  expect.objectContaining({ path: { requestID: 'per_1' }, url: '/permission/{requestID}/reply', body });

it('lets an accepted call go on, and answers the question that follows it', async () => {
  const hooks = await load('before');
  const output = { args: args() };
  const before = hooks['tool.execute.before'](call, output);
  (await stage.editor.whenShown()).accept();
  await before;
  expect(output.args).toEqual(args());
  await happen(hooks, 'permission.asked', { ...asked, permission: 'external_directory' });
  await happen(hooks, 'permission.asked', { ...asked, tool: { messageID: 'msg_1', callID: 'call_2' } });
  expect(replies).toEqual([]);
  await happen(hooks, 'permission.asked', asked);
  expect(replies).toEqual([reply({ reply: 'once' })]);
});

it('reports from the first prompt which edits wait', async () => {
  const hooks = await load('follow');
  const session = { id: 'any', pid: process.pid };
  expect(stage.running.hooks?.modeOf(session)).toBeUndefined();
  await hooks['chat.message']({ sessionID: 'ses_1' }, { parts: [{ text: 'do it' }] });
  expect(stage.running.hooks?.modeOf(session)).toBe('follow');
});

it('replaces the arguments in place, and adds the note to the result', async () => {
  const hooks = await load('before');
  const output = { args: args() };
  const same = output.args;
  const before = hooks['tool.execute.before'](call, output);
  const review = await stage.editor.whenShown();
  review.edit('mine\n');
  review.accept();
  await before;
  expect(same).toEqual({ filePath: path, oldString: 'one\ntwo\n', newString: 'mine\n' });
  const result = { output: 'Edit applied successfully.' };
  await hooks['tool.execute.after'](call, result);
  expect(result.output).toMatch(/^Edit applied successfully\.\n\nThe user corrected this change/);
});

it('refuses a rejected call with the reason', async () => {
  const hooks = await load('before');
  const before = hooks['tool.execute.before'](call, { args: args() });
  (await stage.editor.whenShown()).reject();
  await expect(before).rejects.toThrow('The user rejected the change to');
});

it.each([
  ['session.idle', {}],
  ['session.error', { error: { name: 'MessageAbortedError' } }],
  ['session.status', { status: { type: 'idle' } }],
])('ends the review with the turn, and refuses the call: %s', async (type, properties) => {
  const hooks = await load('before');
  const before = hooks['tool.execute.before'](call, { args: args() });
  const review = await stage.editor.whenShown();
  review.edit('typed\n');
  await happen(hooks, 'session.status', { status: { type: 'busy' } });
  await happen(hooks, type, { ...properties, sessionID: 'ses_2' });
  expect(review.outcome).toBeUndefined();
  const refused = expect(before).rejects.toThrow('interrupted');
  await happen(hooks, type, properties);
  await refused;
  await expect.poll(() => review.outcome).toEqual({ kind: 'withdrawn', reason: 'agent' });
  expect(stage.reviews.get(review.id)?.content).toBe('typed\n');
});

it('asks only about its tools', async () => {
  const hooks = await load('before');
  await hooks['tool.execute.before']({ ...call, tool: 'bash' }, { args: { command: 'true' } });
  expect(stage.reviews.pending).toEqual([]);
});

it('does nothing in an agent that another agent has started', async () => {
  expect(await load('before', { TANDEM_HOOK_AGENT: 'kilo' })).toEqual({});
});

it('leaves calls alone without a companion where they are not all reviewed', async () => {
  const hooks = await load('follow', { TANDEM_HOOK_TOKEN: 'of another companion' });
  await hooks['tool.execute.before'](call, { args: args() });
  await happen(hooks, 'permission.asked', asked);
  expect(replies).toEqual([]);
});

describe('a companion that accepts and never answers', () => {
  async function beforeCall(mode: HookMode): Promise<void> {
    const { port } = await SilentProgram.ofTest();
    useQuickTime();
    const hooks = await load(mode, { TANDEM_HOOK_PORT: String(port), TANDEM_HOOK_PROVES: '1' });
    return hooks['tool.execute.before'](call, { args: args() });
  }

  it('is a missing one: calls go on where they are not all reviewed', async () => {
    expect(await beforeCall('follow')).toBeUndefined();
  });

  it('is a missing one: calls are refused where each is reviewed', async () => {
    await expect(beforeCall('before')).rejects.toThrow('Tandem does not answer');
  });
});

it.each([
  ['accepted', (review: { accept(): unknown }) => review.accept(), { reply: 'once' }],
  [
    'rejected',
    (review: { reject(): unknown }) => review.reject(),
    { reply: 'reject', message: expect.stringContaining('rejected the change') },
  ],
] as const)('reviews a question where it follows the agent: %s', async (_what, decide, body) => {
  const hooks = await load('follow');
  await hooks['tool.execute.before'](call, { args: args() });
  expect(stage.reviews.pending).toEqual([]);
  const answered = happen(hooks, 'permission.asked', asked);
  decide(await stage.editor.whenShown());
  await answered;
  expect(replies).toEqual([reply(body)]);
});

it('ends the review of a question that was answered in the terminal', async () => {
  const hooks = await load('follow');
  await hooks['tool.execute.before'](call, { args: args() });
  const answered = happen(hooks, 'permission.asked', asked);
  const review = await stage.editor.whenShown();
  await happen(hooks, 'permission.replied', { requestID: 'per_1', reply: 'once' });
  await answered;
  await expect.poll(() => review.outcome).toEqual({ kind: 'withdrawn', reason: 'agent' });
  expect(replies).toEqual([]);
});

it.each(['follow', 'after'] as const)('reports what was written without a question: %s', async (mode) => {
  const hooks = await load(mode);
  await hooks['tool.execute.before'](call, { args: args() });
  stage.files.write(path, 'one\nTWO\n');
  await hooks['tool.execute.after'](call, { output: '' });
  expect(stage.written).toMatchObject([{ agent: 'opencode', path, session: hookedId('ses_1') }]);
});

it('reports a command before and after it, and never one of another tool', async () => {
  const hooks = await load('after');
  const command = { ...call, tool: 'bash' };
  const ran = { command: 'make' };
  await hooks['tool.execute.before'](command, { args: ran });
  await hooks['tool.execute.after']({ ...command, args: ran } as object, { output: '' });
  await hooks['tool.execute.before']({ ...call, tool: 'read' }, { args: {} });
  const of = { session: 'ses_1', call: 'call_1', folder: '/w', tool: 'bash', args: ran };
  expect(stage.received).toEqual([of, { ...of, isWritten: true }]);
});
