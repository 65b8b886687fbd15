import { expect, it } from 'vitest';
import { hooks } from '../src/gemini/hooks.js';
import { hookedId } from '../src/hooks/hookModes.js';
import { agents } from '../src/index.js';
import { HookedStage } from './support/hookedStage.js';

const path = '/w/a.txt';
const event = (hook_event_name: string, more: object = {}) => ({
  session_id: 'abc',
  cwd: '/w',
  hook_event_name,
  ...more,
});
const call = (tool_name: string, tool_input: object) => event('BeforeTool', { tool_name, tool_input });
const replace = { file_path: path, instruction: 'Do it.', old_string: 'two', new_string: 'TWO' };
const open = () => HookedStage.open(agents.gemini, { [path]: 'one\ntwo\n' });

it('holds an edit of a Gemini CLI without a connection, and leaves an accepted one as it is', async () => {
  const stage = await open();
  const printed = stage.hook(call('replace', { ...replace, file_path: 'a.txt' }));
  const review = await stage.editor.whenShown();
  expect(review.proposal).toMatchObject({ path, content: 'one\nTWO\n', agent: 'gemini' });
  review.accept();
  expect(await printed).toBeUndefined();
});

it.each([
  ['replace', replace, { ...replace, old_string: 'one\ntwo\n', new_string: 'mine\n' }],
  ['write_file', { file_path: path, content: 'x\n' }, { file_path: path, content: 'mine\n' }],
])(
  'sends all arguments of %s with a corrected text, because they are not merged [HOK-2]',
  async (tool, input, whole) => {
    const stage = await open();
    const printed = stage.hook(call(tool, input));
    const review = await stage.editor.whenShown();
    review.edit('mine\n');
    review.accept();
    expect(await printed).toEqual({ hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: whole } });
  },
);

it('denies a rejected edit, and the turn goes on', async () => {
  const stage = await open();
  const printed = stage.hook(call('replace', replace));
  (await stage.editor.whenShown()).reject();
  expect(await printed).toEqual({ decision: 'deny', reason: expect.stringContaining('rejected the change') });
});

it('denies an edit without a decision if the user lets the agent go on', async () => {
  const stage = await open();
  const printed = stage.hook(call('replace', replace));
  (await stage.editor.whenShown()).withdraw('let-go');
  expect(await printed).toEqual({
    decision: 'deny',
    reason: expect.stringContaining(
      'The change was not written. The diff ended without a decision: the user',
    ),
  });
});

it('makes a connected Gemini CLI ask [HOK-1]', () => {
  const edit = hooks.read(call('replace', replace), 'linux');
  if (edit?.kind !== 'edit') throw new Error('This is an edit.');
  expect(hooks.review(edit, { isConnected: true, isInteractive: true })).toBe('by-its-question');
  expect(hooks.ask?.(edit, 'Look.')).toEqual({ decision: 'ask', systemMessage: 'Look.' });
});

it.each(['AfterAgent', 'SessionEnd'])('ends the review of a hook that waits with %s', async (end) => {
  const stage = await open();
  const printed = stage.hook(call('replace', replace));
  const review = await stage.editor.whenShown();
  await stage.hook(event(end));
  expect(await printed).toMatchObject({ decision: 'deny' });
  expect(review.outcome).toMatchObject({ kind: 'withdrawn' });
});

it('gives the model with the next prompt what was left for it, once [HOK-10]', async () => {
  const stage = await open();
  expect(stage.running.prompt?.hooks?.leave?.(hookedId('abc'), 'Keep it.')).toBe(false);
  await stage.hook(event('BeforeAgent', { prompt: 'begin' }));
  expect(stage.running.prompt?.hooks?.leave?.(hookedId('abc'), 'Keep it.')).toBe(true);
  expect(await stage.hook(event('BeforeAgent', { prompt: 'go on' }))).toEqual({
    hookSpecificOutput: { hookEventName: 'BeforeAgent', additionalContext: 'Keep it.' },
  });
  expect(await stage.hook(event('BeforeAgent', { prompt: 'go on' }))).toBeUndefined();
});
