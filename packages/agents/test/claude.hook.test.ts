import { describe, expect, it, onTestFinished, vi } from 'vitest';
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
  const input = { session_id: 'abc', ...write('two\n') };
  const answer = running.hooks?.answer(
    { pid: 54_321, mode: 'follow', isInteractive: true, input },
    { signal: new AbortController().signal, whenSent: () => {} },
  );
  await vi.waitUntil(() => hooks?.hold(review) !== undefined);
  expect(hooks?.areUsed).toBe(true);
  review.reject();
  running.stop();
  expect((await answer)?.output).toBeUndefined();
});
