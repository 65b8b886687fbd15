import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { agents } from '../src/index.js';
import { HookedStage } from './support/hookedStage.js';

const path = '/w/a.txt';
const edit = { filePath: path, oldString: 'two', newString: 'TWO' };
const call = (tool: string, args: object, more: object = {}) => ({
  session: 'ses_1',
  call: 'call_1',
  folder: '/w',
  tool,
  args,
  ...more,
});
const patch = (...lines: readonly string[]) => ({
  patchText: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
});
const update = patch('*** Update File: a.txt', '@@', ' one', '-two', '+TWO');
const open = (text = 'one\ntwo\n') => HookedStage.open(agents.opencode, { [path]: text });

describe('the configuration of opencode and Kilo CLI', () => {
  const folder = '/state/hooks/0123456789abcdef';
  const ours = pathToFileURL(`${folder}/openCodePlugin.mjs`).href;
  async function injected(agent: 'opencode' | 'kilo', config?: string): Promise<unknown> {
    const variable = `${agent.toUpperCase()}_CONFIG_CONTENT`;
    const hooks = await agents[agent].hooks?.();
    const env = config === undefined ? {} : { [variable]: config };
    const program = `${folder}/openCodePlugin.mjs`;
    const start = hooks?.inject({
      folder: `${folder}/${agent}`,
      commands: { call: '', patch: '', event: '' },
      program,
      env,
    });
    expect(Object.keys(start?.env ?? {})).toEqual([variable]);
    return JSON.parse(start?.env[variable] ?? '');
  }

  it.each(['opencode', 'kilo'] as const)('of %s gets the plugin', async (agent) => {
    const tools = ['edit', 'write', 'apply_patch'];
    expect(await injected(agent)).toEqual({ plugin: [[ours, { agent, tools }]] });
  });

  it('keeps what the user has set there, and has the plugin once', async () => {
    const older = `file:///state/hooks/fedcba9876543210/openCodePlugin.mjs`;
    const own = { theme: 'x', plugin: ['mine', ['theirs', { a: 1 }], older, [ours, { agent: 'opencode' }]] };
    expect(await injected('opencode', JSON.stringify(own))).toEqual({
      theme: 'x',
      plugin: ['mine', ['theirs', { a: 1 }], [ours, expect.objectContaining({ agent: 'opencode' })]],
    });
  });

  it.each(['{', '[]', '{"plugin":"mine"}'])('is not replaced if it is %s', async (config) => {
    await expect(injected('opencode', config)).rejects.toThrow('OPENCODE_CONFIG_CONTENT is not');
  });
});

describe('a call of opencode', () => {
  it.each([
    ['edit', edit, 'one\nTWO\n'],
    ['edit', { ...edit, filePath: 'a.txt' }, 'one\nTWO\n'],
    ['write', { filePath: path, content: 'x\n' }, 'x\n'],
    ['apply_patch', update, 'one\nTWO\n'],
  ])('to %s goes on as it is after the user has accepted it', async (tool, args, content) => {
    const stage = await open();
    const answer = stage.hook(call(tool, args));
    const review = await stage.editor.whenShown();
    expect(review.proposal).toMatchObject({ path, content, agent: 'opencode' });
    review.accept();
    expect(await answer).toEqual({});
    expect(review.isAnswered).toBe(true);
  });

  it.each([
    ['edit', edit, { filePath: path, oldString: 'one\ntwo\n', newString: 'mine\n' }],
    ['write', { filePath: path, content: 'x\n' }, { filePath: path, content: 'mine\n' }],
    ['apply_patch', update, { patchText: `${patch('*** Add File: a.txt', '+mine').patchText}\n` }],
  ])('to %s gets the arguments that write a corrected text', async (tool, args, rewritten) => {
    const stage = await open();
    const answer = stage.hook(call(tool, args));
    const review = await stage.editor.whenShown();
    review.edit('mine\n');
    review.accept();
    expect(await answer).toEqual({
      args: rewritten,
      note: expect.stringContaining('a.txt does not contain exactly what you wrote'),
    });
  });

  it.each([
    ['edit', { filePath: '/w/b.txt', oldString: '', newString: 'new\r\n' }, 'newString'],
    ['write', { filePath: '/w/b.txt', content: 'new\r\n' }, 'content'],
  ])('to %s creates a file as it is, also with a correction', async (tool, args, argument) => {
    const stage = await open();
    const answer = stage.hook(call(tool, args));
    const review = await stage.editor.whenShown();
    expect(review.proposal.content).toBe('new\r\n');
    review.edit('mine\r\n');
    review.accept();
    expect(await answer).toMatchObject({ args: { ...args, [argument]: 'mine\r\n' } });
  });

  it.each([
    ['edit', edit, '\ufeffone\r\nTWO\r\n'],
    ['write', { filePath: path, content: 'x\n' }, '\ufeffx\n'],
  ])('to %s keeps the marks that opencode keeps', async (tool, args, content) => {
    const stage = await open('\ufeffone\r\ntwo\r\n');
    const answer = stage.hook(call(tool, args));
    const review = await stage.editor.whenShown();
    expect(review.proposal.content).toBe(content);
    review.accept();
    expect(await answer).toEqual({});
  });

  it('to change several files has a review for each, and one answer', async () => {
    const stage = await open();
    stage.files.write('/w/b.txt', 'b\n');
    const other = ['*** Update File: b.txt', '@@', '-b', '+B', '*** Add File: c.txt', '+c'];
    const answer = stage.hook(
      call('apply_patch', patch('*** Update File: a.txt', '@@', '-two', '+TWO', ...other)),
    );
    await stage.editor.whenShown();
    await expect.poll(() => stage.reviews.pending.length).toBe(3);
    for (const review of stage.reviews.pending) {
      if (review.proposal.path === '/w/b.txt') review.edit('mine\n');
      review.accept();
    }
    expect(await answer).toMatchObject({
      args: {
        patchText: `${patch('*** Add File: a.txt', '+one', '+TWO', '*** Add File: b.txt', '+mine', '*** Add File: c.txt', '+c').patchText}\n`,
      },
      note: expect.stringContaining('b.txt'),
    });
  });

  it('is refused with the reason if nothing of it is left', async () => {
    const stage = await open();
    const answer = stage.hook(call('edit', edit));
    const review = await stage.editor.whenShown();
    review.edit('one\ntwo\n');
    review.accept();
    expect(await answer).toEqual({ deny: expect.stringContaining('nothing of it is left') });
  });

  it.each([
    ['text that is not in the file', call('edit', { ...edit, oldString: 'three' })],
    ['text for a new file that exists', call('edit', { ...edit, oldString: '' })],
    ['a patch that removes a file that is not there', call('apply_patch', patch('*** Delete File: c.txt'))],
    [
      'a patch that is read in two ways',
      call('apply_patch', patch('*** Update File: a.txt', '-two', '+TWO')),
    ],
    ['arguments that are unknown', call('edit', { path })],
  ])('is refused if it cannot be shown: %s', async (_what, input) => {
    const stage = await open();
    expect(await stage.hook(input)).toEqual({ deny: expect.stringContaining('cannot') });
    expect(stage.reviews.pending).toEqual([]);
  });

  it('about which it asks is not rewritten: a corrected text is the reason of the refusal', async () => {
    const stage = await open();
    const answer = stage.hook(call('edit', edit, { isAsked: true }), { mode: 'follow' });
    const review = await stage.editor.whenShown();
    review.edit('mine\n');
    review.accept();
    expect(await answer).toEqual({
      deny: expect.stringContaining('Write exactly this text to it:\n\nmine\n'),
    });
  });
});
