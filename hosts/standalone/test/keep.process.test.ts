import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOf, hookEnv, startHook } from './support/hookProcess.js';
import { Scratch } from './support/tandemProcess.js';

const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';

let scratch: Scratch;
beforeAll(async () => {
  scratch = new Scratch();
  await scratch.serve();
});
afterAll(() => scratch.dispose());

const tandem = (args: string) => scratch.command(args.split(' '));
const read = (name: string): string => readFileSync(join(scratch.workspace, name), 'utf8');

/** Claude Code writes without a review, and its hooks report it. */
async function write(name: string, session: string, of: { before: string; after: string }): Promise<void> {
  const path = join(scratch.workspace, name);
  const env = await hookEnv(scratch, { mode: 'after' });
  const call = JSON.parse(callOf('claude', path, { ...of, session }));
  const report = async (event: string): Promise<void> => {
    const input = JSON.stringify({ ...call, tool_use_id: 't1', hook_event_name: event, tool_response: {} });
    expect(await startHook(scratch, { input, env }).ended).toMatchObject({ code: 0 });
  };
  await report('PreToolUse');
  writeFileSync(path, read(name).replace(of.before, of.after));
  await report('PostToolUse');
}

test('tandem keep lets changes wait no longer, by file, lines, session or all of them, and again', async () => {
  for (const name of ['a.txt', 'b.txt', 'c.txt']) scratch.write(name, before);
  expect((await tandem('changes --stat')).stdout).toBe('No changes of agents are recorded yet.\n');
  await write('a.txt', 's1', { before: 'two', after: 'TWO' });
  await write('a.txt', 's1', { before: 'eight', after: 'EIGHT' });
  await write('b.txt', 's1', { before: 'two', after: 'TWO' });
  await write('c.txt', 's2', { before: 'two', after: 'TWO' });
  const { stdout: listed } = await tandem('changes --stat --since 1h');
  expect(listed).toMatch(
    /^3 files to review\na\.txt {2}\+2 -2\n {2}edit w1, written without a review \(Claude Code, session [0-9a-f]{8}\): Claude Code changed this/,
  );
  const [first, second] = new Set([...listed.matchAll(/session (\w+)/g)].map(([, id]) => id));
  expect(await tandem('changes --since 2')).toMatchObject({ code: 2 });
  expect((await tandem('keep a.txt:2')).stdout).toBe(
    'a.txt is kept in these lines; its other changes wait.\n',
  );
  // What waits is a diff that git takes back alone.
  const { stdout: patch } = await tandem(`changes --session ${first}`);
  execFileSync('git', ['apply', '--reverse'], { cwd: scratch.workspace, input: patch });
  expect([read('a.txt'), read('b.txt')]).toEqual([before.replace('two', 'TWO'), before]);
  execFileSync('git', ['apply'], { cwd: scratch.workspace, input: patch });
  expect(await tandem('keep a.txt:2')).toMatchObject({ code: 4 });

  const asked = await tandem('keep --all');
  expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('Keep the changes to 3 files?') });
  expect(asked.stderr).toContain('To confirm: tandem keep --all --yes');
  expect((await tandem(`keep --session ${second}`)).stdout).toBe('Kept the changes to 1 file.\n');
  expect((await tandem('keep --all --yes')).stdout).toBe('Kept the changes to 2 files.\n');
  expect((await tandem('changes --stat')).stdout).toBe(
    'No change waits for you. What you kept and accepted: tandem changes --all\n',
  );
  expect((await tandem('changes --stat --all')).stdout).toMatch(
    /^Kept and accepted\na\.txt {2}\+2 -2\n {2}edit w\d, kept \(Claude Code, session /,
  );
  expect((await tandem('keep b.txt --again')).stdout).toBe('The changes to 1 file wait again.\n');
  expect((await tandem('changes --stat')).stdout).toMatch(/^1 file to review\nb\.txt/);
  expect(await tandem('keep')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Choose what to keep'),
  });
  expect(JSON.parse((await tandem('keep b.txt --json')).stdout)).toMatchObject({ files: [{ kind: 'kept' }] });
  expect(await tandem('keep b.txt')).toMatchObject({ code: 4, stderr: 'No change waits here.\n' });
});
