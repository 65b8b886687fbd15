import { expect, it } from 'vitest';
import { hookedId } from '../src/hooks/hookModes.js';
import { agents } from '../src/index.js';
import { hooks } from '../src/qwen/hooks.js';
import { HookedStage } from './support/hookedStage.js';

const path = '/w/a.txt';
const event = (hook_event_name: string, more: object = {}) => ({
  session_id: 'abc',
  cwd: '/w',
  hook_event_name,
  ...more,
});
const call = (tool_name: string, tool_input: object, permission_mode = 'yolo') =>
  event('PreToolUse', { tool_name, tool_input, permission_mode, tool_use_id: 'c1' });
const edit = { file_path: path, old_string: 'two', new_string: 'TWO' };
const open = (text = 'one\ntwo\n') => HookedStage.open(agents.qwen, { [path]: text });
const denied = (reason: string) => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: expect.stringContaining(reason),
  },
});

it.each(['yolo', 'auto-edit', 'auto', 'default'])(
  'holds an edit of a Qwen Code without a connection in the mode %s, and says nothing once it is accepted',
  async (mode) => {
    const stage = await open();
    const printed = stage.hook(call('edit', edit, mode));
    const review = await stage.editor.whenShown();
    expect(review.proposal).toMatchObject({ path, content: 'one\nTWO\n', agent: 'qwen' });
    review.accept();
    expect(await printed).toBeUndefined();
  },
);

it.each([['one\ntwo\n'], ['\uFEFFone\ntwo\n']])(
  'lets the model write the corrected text of %j, without a second review',
  async (text) => {
    const stage = await open(text);
    const printed = stage.hook(call('edit', edit));
    const review = await stage.editor.whenShown();
    review.edit('mine\n');
    review.accept();
    expect(await printed).toEqual(denied('Write exactly this text to it:\n\nmine\n'));
    await stage.hook(event('UserPromptSubmit', { prompt: '' }));
    expect(await stage.hook(call('write_file', { file_path: path, content: 'mine\n' }))).toBeUndefined();
    expect(stage.reviews.pending).toEqual([]);
  },
);

it('denies a rejected edit, and the turn goes on', async () => {
  const stage = await open();
  const printed = stage.hook(call('write_file', { file_path: path, content: 'x\n' }));
  (await stage.editor.whenShown()).reject();
  expect(await printed).toEqual(denied('rejected the change'));
});

it.each([
  ['yolo', 'by-hook'],
  ['auto-edit', 'by-hook'],
  ['default', 'as-without-hook'],
])('leaves a connected one to its question only where it asks: %s', (mode, how) => {
  const read = hooks.read(call('edit', edit, mode), 'linux');
  if (read?.kind !== 'edit') throw new Error('This is an edit.');
  expect(hooks.review(read, { isConnected: true, isInteractive: true })).toBe(how);
});

it('leaves the writing modes alone where it follows them', async () => {
  const stage = await open();
  expect(await stage.hook(call('edit', edit), { mode: 'follow' })).toBeUndefined();
  expect(stage.reviews.pending).toEqual([]);
});

it.each([event('UserPromptSubmit', { prompt: 'go on' }), event('Stop'), event('SessionEnd')])(
  'ends the review of a hook that waits with %j',
  async (end) => {
    const stage = await open();
    const printed = stage.hook(call('edit', edit));
    const review = await stage.editor.whenShown();
    await stage.hook(event('UserPromptSubmit', { prompt: '' }));
    expect(review.outcome).toBeUndefined();
    await stage.hook(end);
    expect(await printed).toEqual(denied('was not written'));
    expect(review.outcome).toMatchObject({ kind: 'withdrawn' });
  },
);

it('gives the model with the next prompt what was left for it', async () => {
  const stage = await open();
  const prompt = { ...event('UserPromptSubmit'), prompt: 'go on' };
  await stage.hook(prompt);
  expect(stage.running.prompt?.hooks?.leave?.(hookedId('abc'), 'Keep it.')).toBe(true);
  expect(await stage.hook(prompt)).toEqual({
    hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Keep it.' },
  });
});
