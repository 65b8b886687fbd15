import { describe, expect, it } from 'vitest';
import { hookedId } from '../src/hooks/hookModes.js';
import { agents } from '../src/index.js';
import { CopilotClient } from './support/copilotClient.js';
import { HookedStage } from './support/hookedStage.js';

const path = '/w/a.txt';
const event = (more: object) => ({ sessionId: 'abc', timestamp: 1, cwd: '/w', ...more });
const call = (toolName: string, toolArgs: unknown) => event({ toolName, toolArgs });
const edit = (old_str: string, new_str: string) => call('edit', { path, old_str, new_str });
/** The question of Copilot CLI after its hooks: `lines` is the diff without its file names. */
const question = (lines: string, file_path = path) =>
  event({
    hookName: 'permissionRequest',
    toolName: 'edit',
    toolInput: { file_path, diff: `\ndiff --git a${file_path} b${file_path}\n--- a\n+++ b\n${lines}\n` },
  });
const open = (text = 'one\ntwo\n') => HookedStage.open(agents.copilot, { [path]: text });
const allowed = { behavior: 'allow' };

describe('the hook of an edit of Copilot CLI', () => {
  it('says nothing about an accepted edit, and answers its question for exactly that', async () => {
    const stage = await open();
    const printed = stage.hook(edit('two', 'TWO'));
    const review = await stage.editor.whenShown();
    expect(review.proposal).toMatchObject({ path, content: 'one\nTWO\n', agent: 'copilot' });
    expect(review.proposal.writesOwnText).toBeUndefined();
    const asked = '@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n ';
    expect(await stage.hook(question(asked))).toBeUndefined();
    review.accept();
    expect(await printed).toBeUndefined();
    expect(await stage.hook(question('@@ -1,3 +1,3 @@\n one\n-two\n+2\n '))).toBeUndefined();
    expect(await stage.hook(question(asked, '/w/b.txt'))).toBeUndefined();
    expect(await stage.hook(question(asked))).toEqual(allowed);
    expect(await stage.hook(question(asked))).toBeUndefined();
  });

  it.each([
    ['one\ntwo\n', { path, old_str: 'one\ntwo\n', new_str: 'mine\n' }],
    ['\uFEFFone\r\ntwo\r\n', { path, old_str: '\uFEFFone\r\ntwo\r\n', new_str: '\uFEFFmine\r\n' }],
  ])('writes the corrected text in place of the whole file %j, and informs the model', async (text, args) => {
    const stage = await open(text);
    const printed = stage.hook(edit('two', 'TWO'));
    const review = await stage.editor.whenShown();
    expect(review.proposal.content).toBe(text.replace('two', 'TWO'));
    review.edit('mine\n');
    review.accept();
    expect(await printed).toEqual({
      modifiedArgs: args,
      additionalContext: expect.stringContaining('corrected'),
    });
    const [old, wanted] = [args.old_str, args.new_str].map((each) => each.replaceAll('\r', ''));
    const [first, second] = old?.split('\n') ?? [];
    const asked = `@@ -1,3 +1,2 @@\n-${first}\n-${second}\n+${wanted} `;
    expect(await stage.hook(question(asked))).toEqual(allowed);
  });

  it('writes a new file as the user corrected it', async () => {
    const stage = await open();
    const file = '/w/new.txt';
    const printed = stage.hook(call('create', { path: file, file_text: 'a\r\n' }));
    const review = await stage.editor.whenShown();
    review.edit('mine\n');
    review.accept();
    expect(await printed).toMatchObject({ modifiedArgs: { path: file, file_text: 'mine\r\n' } });
    expect(await stage.hook(question('@@ -1,0 +1,1 @@\n+mine', file))).toEqual(allowed);
  });

  it('shows the second of two parallel edits on top of the first, and answers both questions', async () => {
    const stage = await open('one two\n');
    const first = stage.hook(edit('one', 'ONE'));
    (await stage.editor.whenShown()).accept();
    await first;
    const second = stage.hook(edit('two', 'TWO'));
    const review = await stage.editor.whenShown(({ isAnswered }) => !isAnswered);
    expect(review.content).toBe('ONE TWO\n');
    review.edit('ONE mine\n');
    review.accept();
    expect(await second).toMatchObject({ modifiedArgs: { old_str: 'ONE two\n', new_str: 'ONE mine\n' } });
    expect(await stage.hook(question('@@ -1,2 +1,2 @@\n-one two\n+ONE two\n '))).toEqual(allowed);
    stage.files.write(path, 'ONE two\n');
    expect(await stage.hook(question('@@ -1,2 +1,2 @@\n-ONE two\n+ONE mine\n '))).toEqual(allowed);
  });

  it('shows an edit of the file as it is if the edit before it was not written', async () => {
    const stage = await open();
    const first = stage.hook(edit('two', 'TWO'));
    (await stage.editor.whenShown()).accept();
    await first;
    const second = stage.hook(edit('two', 'zwei'));
    const review = await stage.editor.whenShown(({ isAnswered }) => !isAnswered);
    expect(review.content).toBe('one\nzwei\n');
    review.reject();
    await second;
  });

  it('denies a rejected edit, and the turn goes on', async () => {
    const stage = await open();
    const printed = stage.hook(edit('two', 'TWO'));
    (await stage.editor.whenShown()).reject();
    expect(await printed).toEqual({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('rejected the change'),
    });
    expect(await stage.hook(question('@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n '))).toBeUndefined();
  });

  it.each([
    ['a text that is there twice', edit('o', 'x')],
    ['a file that exists', call('create', { path, file_text: 'x' })],
    ['an empty text to replace', edit('', 'x')],
    [
      'a patch that deletes what is not there',
      call('apply_patch', '*** Begin Patch\n*** Delete File: /w/c.txt\n*** End Patch'),
    ],
    ['no patch', call('apply_patch', { patch: 1 })],
  ])('denies what cannot be shown: %s', async (_what, input) => {
    const stage = await open();
    expect(await stage.hook(input)).toMatchObject({ permissionDecision: 'deny' });
    expect(stage.reviews.pending).toEqual([]);
  });

  it('leaves edits to the question of Copilot CLI where only these are reviewed', async () => {
    const stage = await open();
    expect(await stage.hook(edit('two', 'TWO'), { mode: 'follow' })).toBeUndefined();
    expect(stage.reviews.pending).toEqual([]);
  });

  it('belongs to the session of the connection of its process', async () => {
    const stage = await open();
    await CopilotClient.connect(stage.running);
    const printed = stage.hook(edit('two', 'TWO'), { pid: 54_321 });
    const review = await stage.editor.whenShown();
    expect(stage.running.sessions()).toMatchObject([{ id: review.proposal.session, pid: 54_321 }]);
    review.reject();
    await printed;
  });

  it.each([
    ['prompt', { prompt: 'go on' }],
    ['end of a turn', { stopReason: 'end_turn', transcriptPath: '/t' }],
    ['end of the session', { reason: 'user_exit' }],
  ])('ends with the next %s', async (_what, end) => {
    const stage = await open();
    const accepted = stage.hook(edit('two', 'TWO'));
    (await stage.editor.whenShown()).accept();
    await accepted;
    const printed = stage.hook(edit('one', 'ONE'));
    const review = await stage.editor.whenShown(({ isAnswered }) => !isAnswered);
    await stage.hook(event(end));
    expect(review.outcome).toMatchObject({ kind: 'withdrawn' });
    expect(await printed).toMatchObject({ permissionDecision: 'deny' });
  });
});

describe('the hook of a patch of Copilot CLI', () => {
  const patch = (...lines: string[]) =>
    call('apply_patch', ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'));

  it.each([
    ['one\r\ntwo\r\n', 'one\r\nTWO\r\n'],
    ['\uFEFFone\ntwo', '\uFEFFone\nTWO'],
  ])('shows what it makes of %j', async (text, after) => {
    const stage = await open(text);
    const printed = stage.hook(patch('*** Update File: a.txt', '@@', ' one', '-two', '+TWO'));
    const review = await stage.editor.whenShown();
    expect(review.proposal.content).toBe(after);
    review.accept();
    expect(await printed).toBeUndefined();
  });

  it('deletes and moves files after a review of each, and only what was accepted is not asked again', async () => {
    const stage = await open();
    const printed = stage.hook(
      patch('*** Update File: a.txt', '*** Move to: b.txt', '@@', ' one', '-two', '+TWO'),
    );
    await expect.poll(() => stage.reviews.pending.length).toBe(2);
    const [from, to] = stage.reviews.pending.toSorted((one, other) =>
      one.proposal.path.localeCompare(other.proposal.path),
    );
    expect([from?.removesFile, to?.content]).toEqual([true, 'one\nTWO\n']);
    from?.accept();
    to?.accept();
    expect(await printed).toBeUndefined();
    const asked = (hunk: string, source: string, target: string) =>
      event({
        hookName: 'permissionRequest',
        toolName: 'edit',
        toolInput: { file_path: '/w/b.txt', diff: `--- ${source}\n+++ ${target}\n${hunk}\n` },
      });
    const move = '@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n ';
    expect(await stage.hook(asked(move, 'a/w/c.txt', 'b/w/b.txt'))).toBeUndefined();
    expect(await stage.hook(asked('@@ -1,2 +0,0 @@\n-one\n-', 'a/w/b.txt', 'b/dev/null'))).toBeUndefined();
    expect(await stage.hook(asked(move, 'a/w/a.txt', 'b/w/b.txt'))).toEqual(allowed);
  });

  it('is one review for each file, and writes all of them as the user left them', async () => {
    const stage = await open();
    const printed = stage.hook(
      patch('*** Update File: a.txt', '@@', ' one', '-two', '+TWO', '*** Add File: b.txt', '+new'),
    );
    const [one, other] = [
      await stage.editor.whenShown(),
      await stage.editor.whenShown(({ proposal }) => proposal.path !== path),
    ];
    one.edit('mine\n');
    one.accept();
    other.accept();
    const written = ['*** Begin Patch', '*** Update File: a.txt', '@@', '-one', '-two', '+mine'];
    expect(await printed).toMatchObject({
      modifiedArgs: [...written, '*** Add File: b.txt', '+new', '*** End Patch', ''].join('\n'),
    });
    expect(await stage.hook(question('@@ -1,3 +1,2 @@\n-one\n-two\n+mine\n '))).toEqual(allowed);
    expect(await stage.hook(question('@@ -1,0 +1,2 @@\n+new\n+\n', '/w/b.txt'))).toEqual(allowed);
  });
});

it('is recorded if it was written without a review, and the next prompt has what was left for the model', async () => {
  const stage = await open();
  await stage.hook(edit('two', 'TWO'), { mode: 'follow' });
  stage.files.write(path, 'one\nTWO\n');
  await stage.hook({ ...edit('two', 'TWO'), toolResult: {} }, { mode: 'follow' });
  expect(stage.written).toMatchObject([{ path, title: 'edit', agent: 'copilot' }]);
  expect(stage.running.prompt?.hooks?.leave?.(hookedId('abc'), 'Keep it.')).toBe(true);
  expect(await stage.hook(event({ prompt: 'go on' }))).toEqual({ additionalContext: 'Keep it.' });
});

it.each([
  [undefined],
  [null],
  [[]],
  [{}],
  [event({})],
  [call('view', { path })],
  [{ ...edit('a', 'b'), toolResult: {} }],
])('says nothing to %j', async (input) => {
  const stage = await open();
  expect(await stage.hook(input, { mode: 'follow' })).toBeUndefined();
});
