import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ScriptedAgent } from './support/scriptedAgent.js';
import { Scratch, type StartOptions, type TandemProcess } from './support/tandemProcess.js';

const original = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
const proposal = original.replace('one', 'ONE').replace('seven', 'SEVEN');

let scratch: Scratch;
let companion: TandemProcess;
let agent: ScriptedAgent;
let path: string;

beforeAll(async () => {
  // Characters that a shell, a terminal or a list separator might handle wrongly.
  scratch = new Scratch(`it's a "work" $HOME \`x\` é\n\u001b[31m`);
  path = scratch.write('a.txt', original);
  companion = await scratch.serve();
  agent = await ScriptedAgent.connect((await companion.event('ready')).agents.gemini.discovery[0]);
});
afterAll(async () => {
  await agent.end();
  await scratch.dispose();
});

const tandem = (args: string, options?: StartOptions) => scratch.command(args.split(' '), options);
let lastReview = 0;
/** Proposes a change and returns the number of its review. */
async function propose(content = proposal, file = path): Promise<string> {
  await agent.propose(file, content);
  const opened = await companion.event('review.opened', ({ id }) => Number(id) > lastReview);
  lastReview = Number(opened.id);
  return opened.id;
}
/** The agent receives the accepted text, and the companion sees it in the file. */
const accepted = (file = path) => agent.writes(file, () => tandem('review list'));
const hasNoControl = (text: string) => !/\p{Cc}/u.test(text.replaceAll('\n', ''));
describe('tandem changes', () => {
  test('prints a patch of what agents changed, which git and undo can both take back', async () => {
    expect((await tandem('changes --stat')).stdout).toBe('No changes of agents are recorded yet.\n');
    const id = await propose();
    await tandem('review accept');
    writeFileSync(path, await agent.accepted());
    await tandem('review list'); // The companion sees that it is written.
    const { stdout: patch } = await tandem('changes --all');
    expect(patch).toContain('diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,');
    execFileSync('git', ['apply', '--reverse'], { cwd: scratch.workspace, input: patch });
    expect(readFileSync(path, 'utf8')).toBe(original);

    writeFileSync(path, proposal.replace('four', 'mine'));
    expect((await tandem('changes --stat --all')).stdout).toMatch(
      /^Kept and accepted\na\.txt {2}\+2 -2\n {2}review \d+, accepted \(Gemini CLI, session [0-9a-f]{8}\)\n {2}The file also has changes that no accepted review made/,
    );
    expect((await tandem(`undo ${id} --dry-run`)).stdout).toContain(
      'a.txt returns to its earlier text; later edits are kept.',
    );
    expect((await tandem(`undo ${id}`)).stdout).toContain('a.txt is back to its earlier text; later edits');
    expect(readFileSync(path, 'utf8')).toBe(original.replace('four', 'mine'));
    expect((await tandem('undo r1')).stdout).toBe('a.txt is back to its earlier text.\n');
    expect(readFileSync(path, 'utf8')).toBe(proposal.replace('four', 'mine'));
    expect((await tandem('undo a.txt:1')).stdout).toContain('has the earlier text of these lines again');
    expect((await tandem('restore --file a.txt --json')).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(original.replace('four', 'mine'));
    expect(await tandem('undo')).toMatchObject({ code: 2, stderr: expect.stringContaining('--session') });
    expect((await tandem('changes --forget')).stdout).toBe('The history is deleted.\n');
    expect(await tandem(`undo ${id}`)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('no change'),
    });
    writeFileSync(path, original);
  });
});

describe('tandem review', () => {
  test('lists pending reviews', async () => {
    expect(await tandem('review list')).toMatchObject({ code: 0, stdout: 'No pending reviews.\n' });
    expect((await tandem('review list --json')).stdout).toBe('[]\n');
    const id = await propose();
    expect((await tandem('review list')).stdout).toMatch(
      new RegExp(
        `^Gemini CLI · a\\.txt · 1 pending · session [0-9a-f]{8}\\n${id.padStart(3)} {2}gemini {2}a\\.txt {2}\\+2 -2\\n$`,
      ),
    );
    expect(JSON.parse((await tandem('review list --json')).stdout)).toMatchObject([{ id, path }]);
    await tandem('review reject');
    expect((await tandem('review list')).stdout).toBe('No pending reviews.\n');
    expect((await tandem('review list --all')).stdout).toContain('rejected\n');
  });

  test('shows a diff, the bare text, or everything as JSON', async () => {
    const id = await propose();
    const shown = await tandem('review show');
    expect(shown.stdout).toContain('@@ -1,4 +1,4 @@ hunk 1 of 2\n-one\n+ONE\n two\n');
    expect((await tandem(`review show ${id} --content`)).stdout).toBe(proposal);
    expect(JSON.parse((await tandem('review show --json')).stdout)).toMatchObject({
      id,
      original,
      content: proposal,
    });
    await tandem('review reject');
  });

  test('accepts the text with hunks dropped and kept', async () => {
    const id = await propose();
    expect((await tandem('review drop 1')).stdout).toContain('@@ hunk 1 of 2, dropped');
    // The review comes first, as in the other commands; the other order is accepted if it is the only valid one.
    expect((await tandem(`review drop ${id} 2`)).code).toBe(0);
    expect((await tandem(`review keep 2 ${id}`)).stdout).toContain('hunk 2 of 2  three\n');
    expect((await tandem('review drop 2')).code).toBe(0);
    expect(JSON.parse((await tandem('review keep 2 --json')).stdout).hunkList).toMatchObject([
      { isKept: false },
      { isKept: true },
    ]);
    expect(await tandem('review drop 3')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^Review \d+ has no hunk 3\. Valid numbers are 1 to 2\.\n$/),
    });
    expect((await tandem('review accept')).stdout).toContain('accepted, edited\n');
    expect(await accepted()).toBe(original.replace('seven', 'SEVEN'));
  });

  test('accepts the content of a file or of standard input', async () => {
    await propose();
    writeFileSync(join(scratch.root, 'mine.txt'), 'mine\n');
    expect((await tandem(`review accept --content-file ${join(scratch.root, 'mine.txt')}`)).code).toBe(0);
    expect(await accepted()).toBe('mine\n');
    await propose();
    expect((await tandem('review accept --content-file -', { input: 'größe 😀\n' })).code).toBe(0);
    expect(await accepted()).toBe('größe 😀\n');
  });

  test('does not accept over changes to the same lines of the file, except with --overwrite', async () => {
    const id = await propose();
    writeFileSync(join(scratch.workspace, 'a.txt'), original.replace('one', 'eins'));
    expect((await tandem('review show')).stdout).toContain(
      'This file changed on disk, on lines that this proposal also changes. If you accept, those changes on disk are lost.',
    );
    const { code, stderr } = await tandem('review accept');
    expect([code, stderr.split('\n').at(-2)]).toEqual([
      1,
      `To confirm: tandem review accept ${id} --yes conflict`,
    ]);
    expect((await tandem('review accept --overwrite')).stdout).toContain('accepted');
    expect(await accepted()).toBe(proposal);
  });

  test('merges other changes to the file into the review at once', async () => {
    const path = join(scratch.workspace, 'a.txt');
    writeFileSync(path, original);
    await propose();
    writeFileSync(path, original.replace('four', 'vier'));
    const { stdout } = await tandem('review show');
    expect(stdout).toContain('The file changed on disk. Its changes are merged into this text.');
    expect(stdout).toContain(' vier\n');
    await tandem('review accept');
    expect(await accepted()).toBe(proposal.replace('four', 'vier'));
  });

  test('accepts a dangerous file only if --yes names what is dangerous', async () => {
    const id = await propose('SECRET=2\n', scratch.write('.env', 'SECRET=1\n'));
    expect((await tandem('review list')).stdout).toContain('\n     This file is hidden from the agent: ');
    for (const yes of ['', ' --yes', ' --yes git,outside']) {
      const { code, stderr } = await tandem(`review accept${yes}`);
      expect([code, stderr]).toEqual([1, expect.stringMatching(`review accept ${id} --yes hidden\n$`)]);
    }
    expect((await tandem('review accept --yes everything')).code).toBe(2);
    expect((await tandem('review accept --yes hidden')).stdout).toContain('accepted');
    expect(await accepted(join(scratch.workspace, '.env'))).toBe('SECRET=2\n');
  });

  test('returns a proposal with CRLF and a byte order mark byte by byte, and edits in its format', async () => {
    const crlf = '\uFEFFone\r\ntwo\r\nthree';
    await propose(crlf);
    await tandem('review accept');
    expect(await accepted()).toBe(crlf);
    await propose(crlf);
    await tandem('review accept --content-file -', { input: 'one\n2\nthree\n' });
    expect(await accepted()).toBe('\uFEFFone\r\n2\r\nthree');
  });

  test('refuses content that is not UTF-8, is missing, or that the agent cannot receive', async () => {
    const id = await propose();
    for (const [args, input, words] of [
      ['review accept --content-file -', Buffer.from([0xff, 0xfe]), 'Standard input is not UTF-8 text'],
      ['review accept --content-file none', '', 'none cannot be read'],
      ['review accept --content-file -', '', 'This agent cannot receive an empty text'],
    ] as const) {
      expect(await tandem(args, { input })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(words),
      });
    }
    expect(await tandem(`review reject ${id}`)).toMatchObject({ code: 0 });
  });

  test('opens the editor with its arguments, and takes its result', async () => {
    const id = await propose();
    const editor = join(scratch.root, 'my editor.js');
    writeFileSync(
      editor,
      "const [flag, file] = process.argv.slice(2); const fs = require('node:fs');\n" +
        "fs.writeFileSync(file, flag + ' ' + fs.readFileSync(file, 'utf8').replace('two', 'TWO') + require('node:path').extname(file) + '\\n');",
    );
    const edited = await tandem('review edit', { env: { EDITOR: `node "${editor}" --wait`, VISUAL: '' } });
    expect(edited.stdout).toContain('+--wait ONE\n');
    expect(edited.stdout).toContain('Edited by hand.');
    expect((await tandem(`review show ${id} --content`)).stdout).toBe(
      `--wait ${proposal.replace('two', 'TWO')}.txt\n`,
    );
    expect((await tandem('review list')).stdout).toContain('edited\n');
    await tandem('review reject');
  });

  test('leaves the review unchanged if the editor fails or is not set, and keeps its file', async () => {
    await propose();
    const failed = await tandem('review edit', { env: { VISUAL: 'sh -c "printf x > \\"\\$0\\"; exit 3"' } });
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('ended with code 3; the review is unchanged.');
    const [, kept = ''] = /Your text is in (.*)\. To accept it: /m.exec(failed.stderr) ?? [];
    expect((await scratch.startProgram('cat', [kept]).ended).stdout).toBe('x');
    expect(await tandem('review edit', { env: { EDITOR: '', VISUAL: '' } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Neither VISUAL nor EDITOR is set'),
    });
    expect((await tandem('review show --content')).stdout).toBe(proposal);
    await tandem('review reject');
  });

  test('exits with 4 for no, an unknown or a decided review, with 2 if one must be named', async () => {
    expect(await tandem('review accept')).toMatchObject({ code: 4, stderr: 'No pending reviews.\n' });
    const [first, second] = [await propose(), await propose('x\n', join(scratch.workspace, 'b.txt'))];
    const several = await tandem('review reject');
    expect(several).toMatchObject({ code: 2, stdout: '' });
    expect(several.stderr).toContain(
      `Several reviews are pending. Choose one by its number:\n${first.padStart(3)}  gemini  a.txt`,
    );
    expect(await tandem('review show 999')).toMatchObject({
      code: 4,
      stderr: `There is no review 999. Pending: ${first}, ${second}.\n`,
    });
    await tandem(`review accept ${first}`);
    await accepted();
    for (const command of ['accept', 'reject', 'edit', 'drop']) {
      const hunk = command === 'drop' ? ' 1' : '';
      const again = await tandem(`review ${command} ${first}${hunk}`, { env: { EDITOR: 'true' } });
      expect(again.code).toBe(4);
      expect(again.stderr).toContain(`Review ${first} is already accepted`);
    }
    await tandem(`review reject ${second}`);
  });

  test('decides all of a session after one question, and names the next one after each decision', async () => {
    const files = ['s1.txt', 's2.txt', 's3.txt'].map((name) => scratch.write(name, original));
    const ids: string[] = [];
    for (const file of files) ids.push(await propose(proposal, file));
    const [first = '', second = '', third = ''] = ids;
    expect((await tandem(`review show ${second}`)).stdout).toMatch(
      new RegExp(`^Review 2 of 3 in this session. Next: tandem review show ${third}\\n`),
    );
    expect((await tandem(`review reject ${first}`)).stdout).toContain(
      `rejected\n2 pending in this session. Next: tandem review show ${second}\n`,
    );
    const [listed] = JSON.parse((await tandem('review list --json')).stdout);
    const session = listed.session.slice(0, 8);
    writeFileSync(join(scratch.root, 'mine.txt'), 'mine\n');
    await tandem(`review edit ${third}`, { env: { EDITOR: `cp ${join(scratch.root, 'mine.txt')}` } });
    writeFileSync(files[1] ?? '', original.replace('one', 'eins'));
    const asked = await tandem(`review accept --session ${session}`);
    expect(asked).toMatchObject({ code: 1, stdout: '' });
    expect(asked.stderr).toBe(
      'Accept 1 proposal by Gemini CLI?\nFile: s3.txt.\nWith your edits: s3.txt.\n' +
        'Stays pending: s2.txt (its file changed on lines that the proposal also changes).\n' +
        `To confirm: tandem review accept --session ${session} --yes\n`,
    );
    expect((await tandem(`review accept --session ${session} --yes`)).stdout).toBe(
      'Accepted 1 proposal. Stays pending: s2.txt (its file changed on lines that the proposal also changes).\n',
    );
    expect(await accepted()).toBe('mine\n');
    expect(await tandem(`review accept --session ${session} --yes`)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Accepted 0 proposals. Stays pending: s2.txt'),
    });
    expect(await tandem(`review reject ${second} --session ${session}`)).toMatchObject({ code: 2 });
    const rejected = await tandem(`review reject --session ${session} --yes --json`);
    expect(JSON.parse(rejected.stdout).decided).toEqual([{ id: second, path: files[1] }]);
    expect(await tandem(`review reject --session ${session} --yes`)).toMatchObject({
      code: 4,
      stderr: 'No pending reviews.\n',
    });
  });

  test('writes no control character of a name or a content to a terminal', async () => {
    const file = join(scratch.workspace, 'a\nb\u001b[2J\u009b.txt');
    const id = await propose('x\u001b]0;title\u0007\u202e\n', file);
    for (const args of [
      'review list',
      'review show',
      'review list --json',
      'status',
      `review reject ${id}`,
    ]) {
      const { code, stdout } = await tandem(args);
      expect([args, code, hasNoControl(stdout)]).toEqual([args, 0, true]);
    }
    expect(hasNoControl((await scratch.command(['focus', file])).stderr)).toBe(true);
    expect((await tandem(`review show ${id} --content`)).stdout).toContain('\u001b]0;title\u0007');
  });
});

describe('tandem focus and mention', () => {
  test('report what is shared of the file, and hide what is denied', async () => {
    scratch.write('.env', 'KEY=1\n');
    scratch.write('b:2', 'one\ntwo\n');
    for (const [target, words] of [
      ['a.txt', 'Shared: a.txt\n'],
      ['a.txt:2', 'Shared: a.txt\n'],
      ['a.txt:1-2', 'Shared: a.txt, 7 characters selected\n'],
      ['a.txt:1:2-1:3', 'Shared: a.txt, 1 character selected\n'],
      ['a.txt:8', 'Shared: a.txt\n'],
      ['b:2', 'Shared: b:2\n'],
      ['b:2:1-1', 'Shared: b:2, 3 characters selected\n'],
      ['.env', 'Hidden from all agents: .env, because it matches the deny list (.env*)\n'],
    ] as const) {
      expect(await scratch.command(['focus', target])).toMatchObject({ code: 0, stdout: words, stderr: '' });
    }
    expect(JSON.parse((await tandem('focus a.txt:1-2 --json')).stdout)).toEqual({
      isPaused: false,
      activeFile: { path, label: basename(path), selectedCharacters: 7 },
    });
    await agent.client.until(() => agent.client.received.includes('"selectedText":"one\\ntwo"'));
  });

  test('report a wrong file or range', async () => {
    for (const [args, code, words] of [
      ['focus none.txt:3', 1, 'none.txt does not exist or cannot be read.\n'],
      ['focus .', 1, 'is not a file.\n'],
      ['focus a.txt:900', 2, 'a.txt has no line 900. Valid lines are 1 to 7.\n'],
      ['focus a.txt:2-900', 2, 'a.txt has no line 900. Valid lines are 1 to 7.\n'],
      ['mention a.txt:900', 2, 'a.txt has no line 900. Valid lines are 1 to 7.\n'],
      ['focus a.txt:0', 2, 'In "a.txt:0" lines and columns count from 1.\n'],
      ['focus a.txt:3-1', 2, 'In "a.txt:3-1" the selection ends before it starts.\n'],
      ['focus', 2, 'Name FILE[:LINE'],
      ['mention none.txt', 1, 'none.txt does not exist or is not a file.\n'],
      ['mention .env', 1, '.env: it matches the deny list'],
      [
        'mention a.txt:1-2',
        1,
        'Nothing was mentioned: no connected agent supports mentions. Agents that do: Claude Code, Copilot CLI',
      ],
    ] as const) {
      const { code: got, stderr, stdout } = await tandem(args);
      expect([args, got, stdout]).toEqual([args, code, '']);
      expect(stderr).toContain(words);
    }
  });

  test('find the companion by the file when none serves the current folder', async () => {
    expect(await scratch.command(['focus', path], { cwd: scratch.root })).toMatchObject({ code: 0 });
    const elsewhere = await scratch.command(['focus', join(scratch.home, 'x')], { cwd: scratch.root });
    expect(elsewhere).toMatchObject({ code: 3, stderr: expect.stringContaining('No companion serves') });
  });
});

describe('tandem share', () => {
  test('pauses and resumes', async () => {
    await tandem('focus a.txt:3');
    expect((await tandem('share pause')).stdout).toContain('Sharing is paused');
    expect((await tandem('status')).stdout).toContain('Sharing is paused');
    expect(JSON.parse((await tandem('share pause --json')).stdout)).toEqual({ isPaused: true });
    expect((await tandem('share resume')).stdout).toBe('Shared: a.txt\n');
  });
});

describe('tandem status', () => {
  test('shows the companion, with --json all details, and never a token', async () => {
    const { stdout } = await tandem('status');
    expect(stdout).toContain(`process ${companion.pid}\n`);
    expect(stdout).toMatch(/Gemini CLI {3}connected since/);
    const json = await tandem('status --json');
    expect(JSON.parse(json.stdout)).toMatchObject([
      { pid: companion.pid, workspaceFolders: [scratch.workspace] },
    ]);
    const { agents } = await companion.event('ready');
    for (const { token } of Object.values<{ token: string }>(agents)) {
      for (const text of [stdout, json.stdout]) expect(text).not.toContain(token);
    }
  });
});

describe('tandem env', () => {
  test('is read by a real bash byte for byte', async () => {
    const { agents } = await companion.event('ready');
    const wanted: Record<string, string> = Object.assign(
      {},
      agents.gemini.env,
      agents.qwen.env,
      agents.claude.env,
    );
    expect(wanted.GEMINI_CLI_IDE_WORKSPACE_PATH).toBe(scratch.workspace);
    const { stdout: script } = await tandem('env');
    expect(hasNoControl(script)).toBe(true);
    const bash = scratch.startProgram('bash', [
      '-c',
      'eval "$1"; shift; exec "$@"',
      'bash',
      script,
      process.execPath,
      '-e',
      'console.log(JSON.stringify(process.env))',
    ]);
    const { stdout, stderr } = await bash.ended;
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject(wanted);
    expect(JSON.parse((await tandem('env --shell json')).stdout)).toEqual(wanted);
  });

  test('prints only the named agents, in the named syntax', async () => {
    expect((await tandem('env --agents claude --shell fish')).stdout).toMatch(
      /^set -gx CLAUDE_CODE_SSE_PORT '0\.\d+e\d'\nset -gx TANDEM_PORT '\d+'\n$/,
    );
    expect((await tandem('env --agents claude --shell powershell')).stdout).toMatch(
      /^\$env:CLAUDE_CODE_SSE_PORT = '0\.\d+e\d'\n\$env:TANDEM_PORT = '\d+'\n$/,
    );
    expect((await tandem('env', { env: { SHELL: '/usr/bin/fish' } })).stdout).toMatch(/^set -gx /);
    expect((await tandem('env --agents none')).code).toBe(2);
    expect((await tandem('env --shell tcsh')).code).toBe(2);
  });
});

describe('tandem trace', () => {
  test('shows the messages so far as a timeline, each request with its answer', async () => {
    await propose();
    await tandem('review accept');
    await accepted();
    const { code, stdout } = await tandem('trace');
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}gemini → initialize {2}\d+ ms$/);
    expect(lines.some((line) => /gemini → tools\/call openDiff \/.* {2}\d+ ms$/.test(line))).toBe(true);
    expect(lines.some((line) => /gemini ← ide\/diffAccepted \//.test(line))).toBe(true);
    expect(stdout).not.toContain('SEVEN');
  });

  test('writes a report for others to read, with the home folder shortened', async () => {
    await propose();
    await tandem('review reject');
    const { stdout } = await tandem('trace --report', { env: { HOME: scratch.root } });
    expect(stdout).toMatch(/^# Tandem: messages\n/);
    expect(stdout).toContain('- Gemini CLI: Gemini CLI 0.61.0, connected\n');
    expect(stdout).toContain('"method":"initialize"');
    expect(stdout).toContain('→ tools/call openDiff ~/');
    for (const secret of [scratch.root, 'SEVEN', 'three']) expect(stdout).not.toContain(secret);
  });

  test('shows the messages so far, one JSON object per line', async () => {
    const { code, stdout } = await tandem('trace --json');
    expect(code).toBe(0);
    const messages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(messages[0]).toMatchObject({
      endpoint: 'gemini',
      direction: 'in',
      message: { method: 'initialize' },
    });
  });

  test('follows new messages until it is asked to end', async () => {
    const following = scratch.start(['trace', '--follow', '--json']);
    await following.said('"initialize"');
    await tandem('focus b:2');
    await following.said('b:2');
    expect((await following.signal('SIGINT')).signal).toBe('SIGINT');
  });

  test('ends quietly when its reader has seen enough', async () => {
    const following = scratch.start(['trace', '--follow']);
    await following.said('answer to initialize');
    following.child.stdout?.destroy();
    await tandem('focus a.txt:3');
    await tandem('focus a.txt:4');
    expect(await following.ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('ends with the companion', async () => {
    const other = new Scratch();
    const served = await other.serve();
    const client = await ScriptedAgent.connect((await served.event('ready')).agents.gemini.discovery[0]);
    const following = other.start(['trace', '--follow']);
    await following.said('answer to initialize');
    await other.run(['stop']);
    expect(await following.ended).toMatchObject({ code: 0, stderr: '' });
    client.client.hangUp();
    await other.dispose();
  });
});
