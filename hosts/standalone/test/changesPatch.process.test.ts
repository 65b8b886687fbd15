import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScriptedAgent } from './support/scriptedAgent.js';
import { Scratch } from './support/tandemProcess.js';

let scratch: Scratch;
let agent: ScriptedAgent;
beforeAll(async () => {
  scratch = new Scratch();
  const companion = await scratch.serve();
  agent = await ScriptedAgent.connect((await companion.event('ready')).agents.gemini.discovery[0]);
});
afterAll(async () => {
  await agent.end();
  await scratch.dispose();
});

const tandem = (args: string) => scratch.command(args.split(' '));

/** The agent changes a file, and the user accepts. */
async function change(file: string): Promise<void> {
  await agent.propose(file, 'new\n');
  expect(await tandem('review accept --yes git,outside')).toMatchObject({ code: 0 });
  writeFileSync(file, await agent.accepted());
}

test('tandem changes prints a patch that git applies, also of files behind links, and names what git would refuse', async () => {
  const target = scratch.write('target.txt', 'old\n');
  for (const name of ['link.txt', 'loop.txt']) symlinkSync('target.txt', join(scratch.workspace, name));
  await change(join(scratch.workspace, 'link.txt'));
  await change(scratch.write('.git/hooks/pre-commit', 'old\n'));
  const outside = join(scratch.folder('elsewhere'), 'o.txt');
  writeFileSync(outside, 'old\n');
  await change(outside);
  await change(join(scratch.workspace, 'loop.txt'));
  rmSync(join(scratch.workspace, 'loop.txt'));
  symlinkSync('loop.txt', join(scratch.workspace, 'loop.txt'));

  writeFileSync(target, 'mine\n\nnew\n');

  const { code, stdout: patch, stderr } = await tandem('changes --all');
  expect(code).toBe(0);
  expect(patch).not.toContain('+mine');
  expect(stderr).toContain('target.txt: The file also has changes that no accepted review made');
  expect(stderr).toMatch(
    /pre-commit is in a \.git folder, and is left out\n.*o\.txt is outside .*\n.*loop\.txt is binary/,
  );
  execFileSync('git', ['apply', '--reverse'], { cwd: scratch.workspace, input: patch });
  expect(readFileSync(target, 'utf8')).toBe('mine\n\nold\n');
  expect((await tandem('changes --stat --all')).stdout).toContain('loop.txt  binary');
});
