import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { permissionHook } from '../src/claude/permissionHook.js';
import { isProposalOf } from '../src/claude/waitingHooks.js';
import { agents } from '../src/index.js';
import { ClaudeClient } from './support/claudeClient.js';
import { Stage } from './support/stage.js';

const file_path = '/w/a.txt';
const edit = (old_string: string, new_string: string, replace_all = false) => ({
  hook_event_name: 'PermissionRequest' as const,
  tool_name: 'Edit' as const,
  tool_input: { file_path, old_string, new_string, replace_all },
});
const write = (content: string) => ({
  hook_event_name: 'PermissionRequest' as const,
  tool_name: 'Write' as const,
  tool_input: { file_path, content },
});

/** What Claude Code 2.1.332 wrote to the hook and to `openDiff`. */
describe('the change about which Claude Code asks', () => {
  it.each([
    ['an edit', 'one\ntwo\n', edit('two', 'TWO'), 'one\nTWO\n'],
    ['an edit of each occurrence', 'two\ntwo\n', edit('two', '$& $1', true), '$& $1\n$& $1\n'],
    ['an edit with the patterns of a replacement', 'one\ntwo\n', edit('two', '$& $1'), 'one\n$& $1\n'],
    ['an edit of a file with CRLF', 'one\r\ntwo\r\n', edit('one\ntwo', 'one\nTWO'), 'one\nTWO\n'],
    ['an edit after a byte order mark', '\ufeffone\n', edit('one', 'ONE'), '\ufeffONE\n'],
    ['a removed line', 'one\ntwo\nthree\n', edit('two', ''), 'one\nthree\n'],
    ['a removed word', 'one two\n', edit(' two', ''), 'one\n'],
    ['a new file', undefined, write('x\r\ny'), 'x\r\ny'],
    ['an emptied file', 'one\n', write(''), ''],
  ])('is the proposal: %s', (_case, before, asked, content) => {
    expect(isProposalOf(asked, reviewOf(before, content), 'linux')).toBe(true);
  });

  it.each([
    ['another file', 'two\n', edit('two', 'TWO'), 'TWO\n', '/w/b.txt'],
    ['another text in its place', 'two\n', edit('two', 'TWO'), 'Two\n', file_path],
    ['only the first occurrence', 'two\ntwo\n', edit('two', 'TWO', true), 'TWO\ntwo\n', file_path],
    ['a text that is not in the file', 'one\n', edit('two', 'TWO'), 'TWO\n', file_path],
    ['another content', 'one\n', write('x'), 'x\n', file_path],
  ])('is not the proposal: %s', (_case, before, asked, content, path) => {
    expect(isProposalOf(asked, reviewOf(before, content, path), 'linux')).toBe(false);
  });

  it('is not the proposal if the file is not text', () => {
    const { proposal } = reviewOf('', 'TWO');
    expect(isProposalOf(edit('', 'TWO'), { proposal, original: { kind: 'binary', size: 1 } }, 'linux')).toBe(
      false,
    );
  });

  function reviewOf(before: string | undefined, content: string, path = file_path) {
    const original =
      before === undefined ? ({ kind: 'missing' } as const) : ({ kind: 'text', text: before } as const);
    return { original, proposal: { agent: 'claude', session: '1', path, content } };
  }
});

it('has no answer when the companion stops, even for a rejection that is being explained', async () => {
  const stage = await Stage.create({ files: { [file_path]: 'one\n' } });
  onTestFinished(() => stage.close());
  const running = await stage.start(agents.claude);
  const client = await ClaudeClient.connect(running);
  client.beginOpenDiff(file_path, 'two\n');
  const review = await stage.editor.whenShown();
  const hooks = running.prompt?.hooks;
  expect(hooks?.areUsed).toBe(false);
  const answer = hooks?.wait?.(54_321, write('two\n'), new AbortController().signal);
  await vi.waitUntil(() => hooks?.hold(review) !== undefined);
  expect(hooks?.areUsed).toBe(true);
  review.reject();
  running.stop();
  expect(await answer).toBeUndefined();
});

describe('the hook in the settings of Claude Code', () => {
  const ours = 'ours';
  const isOurs = (command: string): boolean => command === ours;
  const other = { matcher: 'Bash', hooks: [{ type: 'command', command: 'theirs' }] };
  const { add, remove, commands } = permissionHook;

  it.each([
    {},
    { model: 'x', hooks: { Stop: [other] }, env: { A: '1' } },
    { hooks: { PermissionRequest: [other], Stop: [] }, model: 'x' },
    { hooks: { PermissionRequest: ['odd', { matcher: '' }, { hooks: [7] }] } },
  ])('is added and removed without a trace: %j', (settings) => {
    const added = add(settings, ours);
    expect(commands(added)).toContain(ours);
    expect(Object.keys(added)).toEqual(expect.arrayContaining(Object.keys(settings)));
    expect(JSON.stringify(remove(added, isOurs))).toBe(JSON.stringify(settings));
  });

  it('leaves the other hooks of its group', () => {
    const [entry] = [{ matcher: '*', hooks: [{ command: ours }, { command: 'theirs' }] }];
    expect(remove({ hooks: { PermissionRequest: [entry] } }, isOurs)).toEqual({
      hooks: { PermissionRequest: [{ matcher: '*', hooks: [{ command: 'theirs' }] }] },
    });
  });

  it.each([7, [], { hooks: [] }, { hooks: 'x' }, { hooks: { PermissionRequest: {} } }])(
    'refuses settings of another form: %j',
    (settings) => {
      expect(() => add(settings, ours)).toThrow(TypeError);
      expect(() => remove(settings, isOurs)).toThrow(TypeError);
    },
  );

  it('waits for a day: the user may take hours', () => {
    expect(permissionHook.entry(ours)).toEqual({
      hooks: {
        PermissionRequest: [
          { matcher: 'Edit|Write', hooks: [{ type: 'command', command: ours, timeout: 86_400 }] },
        ],
      },
    });
  });

  it('never accepts', () => {
    expect(permissionHook.denial('No.')).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: { behavior: 'deny', message: 'No.' },
      },
    });
  });
});
