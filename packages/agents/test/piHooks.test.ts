import { describe, expect, it } from 'vitest';
import { hookedId } from '../src/hooks/hookModes.js';
import { agents } from '../src/index.js';
import { HookedStage } from './support/hookedStage.js';

const path = '/w/a.txt';
const edit = (before: string, after: string, ...more: readonly object[]) => ({
  path,
  edits: [{ oldText: before, newText: after }, ...more],
});
const call = (tool: string, args: object, more: object = {}) => ({
  event: 'tool_call',
  session: 's1',
  call: 'call_1',
  folder: '/w',
  home: '/home/ann',
  tool,
  args,
  ...more,
});
const turn = (event: string) => ({ event, session: 's1' });
const open = (text = 'one\ntwo\n', of = path) => HookedStage.open(agents.pi, { [of]: text });

it('loads the extension beside those of the user', async () => {
  const hooks = await agents.pi.hooks?.();
  const program = '/state/hooks/0123456789abcdef/piPlugin.mjs';
  const start = hooks?.inject({
    folder: '/state/hooks/0123456789abcdef/pi',
    commands: { call: '', patch: '', event: '' },
    program,
    env: {},
  });
  expect(start).toEqual({ args: ['--extension', program], env: {}, files: {} });
});

describe('a session of pi', () => {
  it('is known from its beginning to its end, with the text that was left for its model', async () => {
    const stage = await open();
    await stage.hook(turn('session_start'));
    expect(stage.running.sessions()).toMatchObject([{ id: hookedId('s1'), agent: 'pi', pid: process.pid }]);
    expect(stage.running.hooks?.leave(hookedId('s1'), 'Use tabs.')).toBe(true);
    expect(await stage.hook(turn('before_agent_start'))).toEqual({ inform: 'Use tabs.' });
    expect(await stage.hook(turn('before_agent_start'))).toBeUndefined();
    await stage.hook(turn('session_shutdown'));
    expect(stage.running.sessions()).toEqual([]);
  });

  it('is not begun by its end', async () => {
    const stage = await open();
    const opened: string[] = [];
    stage.running.onDidOpenSession(({ id }) => opened.push(id));
    await stage.hook(turn('agent_settled'));
    await stage.hook(turn('session_shutdown'));
    expect(opened).toEqual([]);
    await stage.hook(turn('before_agent_start'));
    expect(opened).toEqual([hookedId('s1')]);
  });
});

describe('a call of pi', () => {
  it.each([
    ['edit', edit('two', 'TWO'), 'one\nTWO\n'],
    ['edit', { ...edit('two', 'TWO'), path: '@a.txt' }, 'one\nTWO\n'],
    ['edit', edit('two', 'TWO', { oldText: 'one\n', newText: '' }), 'TWO\n'],
    ['write', { path: 'file:///w/a.txt', content: 'x\n' }, 'x\n'],
  ])('to %s goes on as it is after the user has accepted it', async (tool, args, content) => {
    const stage = await open();
    const answer = stage.hook(call(tool, args));
    const review = await stage.editor.whenShown();
    expect(review.proposal).toMatchObject({ path, content, agent: 'pi', session: hookedId('s1') });
    review.accept();
    expect(await answer).toEqual({});
  });

  it.each([
    ['edit', edit('two', 'TWO'), edit('one\ntwo\n', 'mine\n')],
    ['write', { path, content: 'x\n' }, { path, content: 'mine\n' }],
  ])('to %s gets the arguments that write a corrected text [HOK-2]', async (tool, args, rewritten) => {
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

  it('to write a file in the home folder creates it there', async () => {
    const stage = await open();
    const answer = stage.hook(call('write', { path: '~/b.txt', content: 'new\r\n' }));
    const review = await stage.editor.whenShown();
    expect(review.proposal).toMatchObject({ path: '/home/ann/b.txt', content: 'new\r\n' });
    review.accept();
    expect(await answer).toEqual({});
  });

  it.each([
    [
      'a byte order mark and CRLF',
      '\ufeffone\r\ntwo\r\n',
      edit('two', 'TWO\nx'),
      '\ufeffone\r\nTWO\r\nx\r\n',
    ],
    ['different line ends', 'one\ntwo\r\nsix\n', edit('two\nsix', 'TWO\nx'), 'one\nTWO\r\nx\n'],
    ['no last line end', 'one\r\ntwo', edit('two', 'TWO\nx'), 'one\r\nTWO\r\nx'],
    ['carriage returns alone', 'one\rtwo', edit('one\n', 'ONE\nx\n'), 'ONE\rx\rtwo'],
    ['a carriage return in a line', 'a\rb\nc\n', edit('b', '\nb'), 'a\r\n\nb\nc\n'],
  ])('to edit a file with %s changes as pi does', async (_what, text, args, content) => {
    const stage = await open(text);
    const answer = stage.hook(call('edit', args));
    const review = await stage.editor.whenShown();
    expect(review.proposal.content).toBe(content);
    review.accept();
    expect(await answer).toEqual({});
  });

  it('keeps the marks of the file in a corrected text', async () => {
    const stage = await open('\ufeffone\r\ntwo\r\n');
    const answer = stage.hook(call('edit', edit('two', 'TWO')));
    const review = await stage.editor.whenShown();
    review.edit('\ufeffone\r\nmine\r\n');
    review.accept();
    expect(await answer).toMatchObject({ args: edit('one\ntwo\n', 'one\nmine\n') });
  });

  it('is refused with the corrected text if pi cannot write it with another edit', async () => {
    const stage = await open('one\ntwo\r\n');
    const answer = stage.hook(call('edit', edit('two', 'TWO')));
    const review = await stage.editor.whenShown();
    review.edit('mine\nTWO\r\n');
    review.accept();
    expect(await answer).toEqual({
      deny: expect.stringContaining('Write exactly this text to it:\n\nmine\nTWO\n'),
    });
  });

  it('builds on an accepted one of the same message, before which it is asked about', async () => {
    const stage = await open();
    const first = stage.hook(call('edit', edit('two', 'TWO')));
    (await stage.editor.whenShown()).accept();
    expect(await first).toEqual({});
    const second = stage.hook(call('edit', edit('one', 'ONE'), { call: 'call_2' }));
    await expect.poll(() => stage.reviews.pending.length).toBe(1);
    const [review] = stage.reviews.pending;
    expect(review?.proposal.content).toBe('ONE\nTWO\n');
    review?.edit('ONE\nTWO\nmine\n');
    review?.accept();
    expect(await second).toMatchObject({ args: edit('one\nTWO\n', 'ONE\nTWO\nmine\n') });
  });

  it.each([
    ['text that is not in the file', edit('three', 'x')],
    ['text that is there twice', edit('o', 'x')],
    ['text that is only similar', edit('two ', 'x')],
    ['an exact text beside a similar one', edit('“q”', 'x'), '“q”\n"q"\n'],
    ['texts that overlap', edit('one\ntwo', 'x', { oldText: 'two\n', newText: 'y' })],
    ['no text', edit('', 'x')],
    ['a file that does not exist', { ...edit('two', 'x'), path: 'b.txt' }],
    ['arguments that are unknown', { path }],
  ])('is refused if it cannot be shown: %s', async (_what, args, text = 'one\ntwo\n') => {
    const stage = await open(text);
    expect(await stage.hook(call('edit', args))).toEqual({ deny: expect.stringContaining('cannot') });
    expect(stage.reviews.pending).toEqual([]);
  });

  it('is recorded apart from another one of the same message and file', async () => {
    const stage = await open();
    const calls = [call('edit', edit('two', 'TWO')), call('edit', edit('one', 'ONE'), { call: 'call_2' })];
    for (const each of calls) await stage.hook(each, { mode: 'after' });
    for (const [at, text] of ['one\nTWO\n', 'ONE\nTWO\n'].entries()) {
      stage.files.write(path, text);
      await stage.hook({ ...calls[at], event: 'tool_result' }, { mode: 'after' });
    }
    const texts = ['one\ntwo\n', 'one\nTWO\n', 'ONE\nTWO\n'].map((text) => ({ kind: 'text', text }));
    expect(stage.written).toMatchObject([
      { before: texts[0], after: texts[1] },
      { before: texts[1], after: texts[2] },
    ]);
  });

  it.each(['follow', 'after'] as const)('never waits, and is recorded, in mode %s', async (mode) => {
    const stage = await open();
    expect(await stage.hook(call('edit', edit('two', 'TWO')), { mode })).toBeUndefined();
    stage.files.write(path, 'one\nTWO\n');
    await stage.hook(call('edit', edit('two', 'TWO'), { event: 'tool_result' }), { mode });
    expect(stage.written).toMatchObject([{ agent: 'pi', path, session: hookedId('s1') }]);
  });
});
