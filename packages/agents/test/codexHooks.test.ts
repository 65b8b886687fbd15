import { beforeEach, describe, expect, it } from 'vitest';
import { hooks } from '../src/codex/hooks.js';
import { hookedId } from '../src/hooks/hookModes.js';
import { agents } from '../src/index.js';
import { HookedStage } from './support/hookedStage.js';

const path = '/w/a.txt';
const crlf = '/w/crlf.txt';

let stage: HookedStage;
beforeEach(async () => {
  stage = await HookedStage.open(agents.codex, { [path]: 'one\ntwo\n', [crlf]: '\ufeffone\r\ntwo\r\n' });
});

const patchOf = (...lines: readonly string[]): string =>
  ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
const update = patchOf('*** Update File: a.txt', '@@', '-two', '+TWO');
const event = (hook_event_name: string, command = update) => ({
  session_id: 'abc',
  cwd: '/w',
  hook_event_name,
  permission_mode: 'bypassPermissions',
  tool_name: 'apply_patch',
  tool_input: { command },
});
const call = (command?: string): object => event('PreToolUse', command);
const question = (command?: string): object => event('PermissionRequest', command);
const allowed = {
  hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
};
const denied = (reason: string): object => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: expect.stringContaining(reason),
  },
});

describe('the hook of a patch', () => {
  it('prints nothing to a patch that the user accepted as it is', async () => {
    const printed = stage.hook(call());
    const review = await stage.editor.whenShown();
    expect(review.proposal).toMatchObject({
      path,
      content: 'one\nTWO\n',
      agent: 'codex',
      session: hookedId('abc'),
    });
    review.accept();
    expect(await printed).toBeUndefined();
  });

  it('replaces the patch by one that writes the corrected text, and informs the model', async () => {
    const printed = stage.hook(call());
    const review = await stage.editor.whenShown();
    review.edit('one\nmine\n');
    review.accept();
    expect(await printed).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: { command: patchOf('*** Update File: a.txt', '@@', ' one', '-two', '+mine') },
        additionalContext: expect.stringContaining('a.txt does not contain exactly what you wrote'),
      },
    });
  });

  it('keeps CRLF and a byte order mark', async () => {
    const printed = stage.hook(call(patchOf(`*** Update File: ${crlf}`, '-two', '+TWO')));
    const review = await stage.editor.whenShown();
    expect(review.content).toBe('\ufeffone\r\nTWO\r\n');
    review.edit('\ufeffone\r\nmine\r\nmore\r\n');
    review.accept();
    expect(await printed).toMatchObject({
      hookSpecificOutput: {
        updatedInput: {
          command: patchOf(`*** Update File: ${crlf}`, '@@', ' \ufeffone', '-two', '+mine', '+more'),
        },
      },
    });
  });

  it('shows one review for each file, and answers when all are decided', async () => {
    const printed = stage.hook(
      call(patchOf('*** Add File: new.txt', '+new', '*** Update File: a.txt', '-two', '+TWO')),
    );
    await expect.poll(() => stage.reviews.pending.length).toBe(2);
    const [first, second] = stage.reviews.pending;
    expect([first?.proposal.path, second?.proposal.path]).toEqual(['/w/new.txt', path]);
    first?.edit('mine\n');
    first?.accept();
    second?.accept();
    expect(await printed).toMatchObject({
      hookSpecificOutput: {
        updatedInput: {
          command: patchOf(
            '*** Add File: new.txt',
            '+mine',
            '*** Update File: a.txt',
            '@@',
            ' one',
            '-two',
            '+TWO',
          ),
        },
      },
    });
  });

  it('denies the patch if one of its files was rejected', async () => {
    const printed = stage.hook(
      call(patchOf('*** Add File: new.txt', '+new', '*** Update File: a.txt', '-two', '+TWO')),
    );
    await expect.poll(() => stage.reviews.pending.length).toBe(2);
    const [first, second] = stage.reviews.pending;
    first?.accept();
    second?.reject();
    expect(await printed).toEqual(denied('The user rejected the change to'));
  });

  const move = ['*** Update File: a.txt', '*** Move to: b.txt'];

  it('shows a deletion as an empty text with a warning, and lets an accepted one through', async () => {
    const printed = stage.hook(call(patchOf('*** Delete File: a.txt')));
    const review = await stage.editor.whenShown();
    expect(review.proposal).toMatchObject({ path, content: '', isDeletion: true });
    expect(review.removesFile).toBe(true);
    review.accept();
    expect(await printed).toBeUndefined();
  });

  it('writes what the user keeps of a file that is to be deleted', async () => {
    const printed = stage.hook(call(patchOf('*** Delete File: a.txt')));
    const review = await stage.editor.whenShown();
    review.edit('one\n');
    review.accept();
    expect(await printed).toMatchObject({
      hookSpecificOutput: {
        updatedInput: { command: patchOf('*** Update File: a.txt', '@@', ' one', '-two') },
      },
    });
  });

  it.each<[string, { readonly a?: string; readonly b?: string }, string | undefined]>([
    ['as it is', {}, undefined],
    ['corrected', { b: 'mine\n' }, patchOf(...move, '@@', '-one', '-two', '+mine')],
    [
      'while the user keeps the file under its old name',
      { a: 'one\ntwo\n', b: 'mine\n' },
      patchOf('*** Add File: b.txt', '+mine'),
    ],
  ])('shows a move as a deletion and a new file, and writes it %s', async (_how, texts, command) => {
    const printed = stage.hook(call(patchOf(...move, '-two', '+TWO')));
    await expect.poll(() => stage.reviews.pending.length).toBe(2);
    const [from, to] = ['a.txt', 'b.txt'].map((name) =>
      stage.reviews.pending.find(({ proposal }) => proposal.path.endsWith(name)),
    );
    expect(from?.removesFile).toBe(true);
    expect(to?.content).toBe('one\nTWO\n');
    from?.accept(texts.a);
    to?.accept(texts.b);
    if (command === undefined) expect(await printed).toBeUndefined();
    else expect(await printed).toMatchObject({ hookSpecificOutput: { updatedInput: { command } } });
  });

  it.each([
    ['the deletion of a file that does not exist', patchOf('*** Delete File: b.txt'), 'Read the file again'],
    ['a move to a file that exists', patchOf(...move, '-two', '*** Delete File: b.txt'), 'cannot read'],
    ['lines that are not in the file', patchOf('*** Update File: a.txt', '-three'), 'Read the file again'],
    ['a file that does not exist', patchOf('*** Update File: b.txt', '+b'), 'Read the file again'],
    [
      'two operations on a file',
      patchOf('*** Add File: b.txt', '+b', '*** Add File: ./b.txt', '+c'),
      'cannot read',
    ],
    ['an unknown form', 'patch', 'cannot read'],
  ])('denies %s', async (_what, command, reason) => {
    expect(await stage.hook(call(command))).toEqual(denied(reason));
    expect(stage.reviews.pending).toEqual([]);
  });
});

describe('the hook of a shell command', () => {
  const shell = (command: string): object => ({ ...call(command), tool_name: 'Bash' });

  it('holds a patch that is the whole command, and replaces it by one that writes the corrected text', async () => {
    const printed = stage.hook(shell(`apply_patch <<EOF\n${update}EOF\n`));
    const review = await stage.editor.whenShown();
    expect(review.content).toBe('one\nTWO\n');
    review.edit('one\n$HOME\n');
    review.accept();
    const patch = patchOf('*** Update File: a.txt', '@@', ' one', '-two', '+$HOME');
    expect(await printed).toMatchObject({
      hookSpecificOutput: { updatedInput: { command: `apply_patch <<'EOF'\n${patch}EOF\n` } },
    });
  });

  it('is what the question about its patch is about, whatever folder that reports', async () => {
    const how = { mode: 'follow' } as const;
    expect(await stage.hook(question(), how)).toBeUndefined();
    const inFolder = { ...shell(`apply_patch <<EOF\n${update}EOF\n`), cwd: '/w/folder' };
    stage.files.write('/w/folder/a.txt', 'two\n');
    expect(await stage.hook(inFolder, how)).toBeUndefined();
    const printed = stage.hook(question(update.trim()), how);
    const review = await stage.editor.whenShown();
    expect(review.proposal).toMatchObject({ path: '/w/folder/a.txt', content: 'TWO\n' });
    review.accept();
    expect(await printed).toEqual(allowed);
  });

  it.each([
    ['other commands before it', `cd sub && apply_patch <<'EOF'\n${update}EOF\n`],
    ['other commands after it', `apply_patch <<'EOF'\n${update}EOF\nrm a.txt`],
    ['no end', `apply_patch <<'EOF'\n${update}`],
    ['another form', `apply_patch "${update}"`],
  ])('denies a patch with %s', async (_what, command) => {
    expect(await stage.hook(shell(command))).toEqual(denied('as the whole command'));
  });

  it('says nothing to a command without a patch', async () => {
    for (const command of ['ls', "grep '*** Begin Patch' a.txt", 'apply_patch --help']) {
      expect(await stage.hook(shell(command))).toBeUndefined();
    }
  });
});

describe('the hook of a question', () => {
  it('lets through what the user has accepted, and nothing else', async () => {
    expect(await stage.hook(question())).toBeUndefined();
    const printed = stage.hook(call());
    const review = await stage.editor.whenShown();
    review.edit('one\nmine\n');
    review.accept();
    await printed;
    expect(await stage.hook(question())).toBeUndefined();
    expect(await stage.hook(question(patchOf('*** Update File: a.txt', '-two', '+mine')))).toEqual(allowed);
    stage.files.write(path, 'two\n');
    expect(await stage.hook(question(patchOf('*** Update File: a.txt', '-two', '+mine')))).toBeUndefined();
  });

  it('leaves a deletion to the agent', async () => {
    expect(await stage.hook(question(patchOf('*** Delete File: a.txt')))).toBeUndefined();
  });

  it('is what waits for the user in the mode follow', async () => {
    const how = { mode: 'follow' } as const;
    expect(await stage.hook(call(), how)).toBeUndefined();
    const printed = stage.hook(question(), how);
    (await stage.editor.whenShown()).accept();
    expect(await printed).toEqual(allowed);
    const again = stage.hook(question(), how);
    (await stage.editor.whenShown()).reject();
    expect(await again).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'deny' } } });
  });

  it('asks the model for a corrected text that it cannot write, and then does not ask the user again', async () => {
    const how = { mode: 'follow' } as const;
    await stage.hook(call(), how);
    const printed = stage.hook(question(), how);
    const review = await stage.editor.whenShown();
    review.edit('one\nmine\n');
    review.accept();
    expect(await printed).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: {
          behavior: 'deny',
          message: expect.stringContaining('Write exactly this text to it:\n\none\nmine\n'),
        },
      },
    });
    const corrected = patchOf('*** Update File: a.txt', '-two', '+mine');
    await stage.hook(call(corrected), how);
    expect(await stage.hook(question(corrected), how)).toEqual(allowed);
    const again = stage.hook(question(corrected), how);
    (await stage.editor.whenShown()).reject();
    await again;
  });
});

describe('a patch that Codex CLI writes without a review', () => {
  const how = { mode: 'follow' } as const;

  it('is recorded', async () => {
    expect(await stage.hook(call(), how)).toBeUndefined();
    stage.files.write(path, 'one\nTWO\n');
    expect(await stage.hook(event('PostToolUse'), how)).toBeUndefined();
    expect(stage.written).toMatchObject([
      { agent: 'codex', path, before: { text: 'one\ntwo\n' }, after: { text: 'one\nTWO\n' } },
    ]);
  });

  it('is not recorded if it asked and the user accepted it here', async () => {
    await stage.hook(call(), how);
    const printed = stage.hook(question(), how);
    (await stage.editor.whenShown()).accept();
    expect(await printed).toEqual(allowed);
    stage.files.write(path, 'one\nTWO\n');
    await stage.hook(event('PostToolUse'), how);
    expect(stage.written).toEqual([]);
  });
});

it('accepts the same patch again only after another review', async () => {
  for (const _time of [1, 2]) {
    const printed = stage.hook(call());
    (await stage.editor.whenShown()).accept();
    expect(await printed).toBeUndefined();
  }
});

it('is a session until the agent ends it', async () => {
  const printed = stage.hook(call());
  const review = await stage.editor.whenShown();
  expect(stage.running.sessions()).toMatchObject([{ id: hookedId('abc'), pid: process.pid }]);
  await stage.hook(event('SessionEnd'));
  expect(await printed).toEqual(denied('was not written'));
  expect(review.outcome).toMatchObject({ kind: 'withdrawn' });
  expect(stage.running.sessions()).toEqual([]);
});

it('holds the end of a turn until the user has decided, and then makes the model continue', async () => {
  expect(await stage.hook(event('Stop'))).toBeUndefined();
  const printed = stage.hook(call());
  const review = await stage.editor.whenShown();
  const stopped = stage.hook(event('Stop'));
  review.accept();
  expect(await printed).toBeUndefined();
  expect(await stopped).toEqual({ decision: 'block', reason: expect.stringContaining('decided') });
  expect(await stage.hook(event('Stop'))).toBeUndefined();
});

it('lets a turn end that the user interrupts', async () => {
  const printed = stage.hook(call());
  const review = await stage.editor.whenShown();
  const user = new AbortController();
  const stopped = stage.hook(event('Stop'), { signal: user.signal });
  user.abort();
  expect(await stopped).toBeUndefined();
  review.reject();
  await printed;
});

it('does not call an edit decided whose hook was ended first', async () => {
  const interrupted = new AbortController();
  const printed = stage.hook(call(), { signal: interrupted.signal });
  const review = await stage.editor.whenShown();
  const stopped = stage.hook(event('Stop'));
  interrupted.abort();
  await printed;
  expect(review.outcome).toMatchObject({ kind: 'withdrawn' });
  expect(await stopped).toBeUndefined();
});

it('gives the model with the next prompt what was left for it', async () => {
  await stage.hook(event('UserPromptSubmit'));
  expect(stage.running.prompt?.hooks?.leave?.(hookedId('abc'), 'Keep it.')).toBe(true);
  expect(await stage.hook(event('UserPromptSubmit'))).toEqual({
    hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Keep it.' },
  });
});

it('trusts exactly the hooks that it adds', () => {
  const { args, env, files } = hooks.inject({
    folder: '/hooks',
    commands: { call: 'sh "call"', patch: 'sh "patch"', event: 'sh "event"' },
    program: '/f/hook.mjs',
    env: {},
  });
  expect({ env, files }).toEqual({ env: {}, files: {} });
  expect(args.filter((_arg, at) => at % 2 === 0)).toEqual(Array(8).fill('-c'));
  expect(args[1]).toBe(
    'hooks.PreToolUse=[{matcher="apply_patch",hooks=[{type="command",command="sh \\"call\\"",timeout=86400}]},{matcher="Bash",hooks=[{type="command",command="sh \\"patch\\"",timeout=86400}]}]',
  );
  expect(args.at(-1)).toMatch(
    /^hooks\.state=\{("\/<session-flags>\/config\.toml:[a-z_]+:[01]:0"=\{trusted_hash="sha256:[0-9a-f]{64}"\},?){9}\}$/,
  );
});

it.each([undefined, null, {}, { ...call('ls'), tool_name: 'Bash' }, { ...call(), cwd: 1 }])(
  'says nothing to %j',
  async (input) => {
    expect(await stage.hook(input)).toBeUndefined();
  },
);
