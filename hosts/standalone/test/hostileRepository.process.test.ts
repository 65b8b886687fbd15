import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ScriptedAgent } from './support/scriptedAgent.js';
import { Scratch, type TandemProcess } from './support/tandemProcess.js';

/** What a repository may contain to control, stop or mislead the companion of the user who opens it. */
let scratch: Scratch;
let companion: TandemProcess;
let agent: ScriptedAgent;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(async () => {
  await agent.end();
  await scratch.dispose();
});

async function serve(): Promise<void> {
  companion = await scratch.serve();
  agent = await ScriptedAgent.connect((await companion.event('ready')).agents.gemini.discovery[0]);
}

const hostileNames = [
  'two\nlines.txt',
  'clear\u001b[2J\u001b]0;title\u0007.txt',
  'invoice\u202etxt.exe',
  'c1\u009b31m.txt',
  '$(touch run)`touch run`;touch run.txt',
  '--all',
  '%s%n.txt',
];

describe('the names of files', () => {
  test('do not control the terminal, run nothing and are no options, in the output of every command', async () => {
    for (const name of hostileNames) scratch.write(name, 'one\n');
    await serve();
    for (const name of hostileNames) await agent.propose(join(scratch.workspace, name), 'two\n');
    const ids = hostileNames.map((_, at) => String(at + 1));
    const outputs = [
      await scratch.command(['status']),
      await scratch.command(['status', '--json']),
      await scratch.command(['review', 'list']),
      await scratch.command(['trace']),
      ...(await Promise.all(ids.map((id) => scratch.command(['review', 'show', id])))),
      ...(await Promise.all(hostileNames.map((name) => scratch.command(['focus', '--', name])))),
      ...(await Promise.all(ids.map((id) => scratch.command(['review', 'accept', id])))),
    ];
    for (const { stdout, stderr } of outputs) {
      expect(`${stdout}${stderr}`).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u);
    }
    expect(outputs[2]?.stdout).toContain('invoice⟨202E⟩txt.exe');
    expect(outputs[2]?.stdout).toContain('two␊lines.txt');
    expect(() => readFileSync(join(scratch.workspace, 'run'))).toThrow('ENOENT');
    for (const [at, name] of hostileNames.entries()) {
      expect(await agent.accepted(), name).toBe('two\n');
      expect(outputs.at(at - hostileNames.length)?.code, name).toBe(0);
    }
  });
});

describe('ignore files', () => {
  test('do not stop the companion if they would take a regular expression hours, or are enormous', async () => {
    const name = `${'a'.repeat(200)}.txt`;
    const path = scratch.write(name, 'one\n');
    scratch.write('.geminiignore', `${'*a'.repeat(20)}*b\n`.repeat(100));
    scratch.write('.gitignore', `${'**/a*'.repeat(20)}b\n`.repeat(100));
    await serve();
    expect((await scratch.command(['focus', path])).code).toBe(0);
    await agent.client.until(() => agent.client.received.includes(name));

    // It is not known what it hides, so nothing is shared; the companion continues.
    scratch.write('.geminiignore', 'x\n'.repeat(600_000));
    const other = scratch.write('other.txt', 'one\n');
    await scratch.command(['focus', other]);
    await agent.propose(other, 'two\n');
    expect((await scratch.command(['review', 'accept', '1', '--yes', 'hidden'])).code).toBe(0);
    expect(await agent.accepted()).toBe('two\n');
    const updates = agent.client.notifications.filter(({ method }) => method === 'ide/contextUpdate');
    expect(updates.length).toBeGreaterThan(0);
    expect(JSON.stringify(updates)).not.toContain('other.txt');
  });
});

describe('a path that is not a file', () => {
  test('is neither read nor waited for, and does not affect the companion', async () => {
    const { workspace } = scratch;
    execFileSync('mkfifo', [join(workspace, 'pipe.txt')]);
    symlinkSync('/dev/zero', join(workspace, 'endless.txt'));
    symlinkSync('loop.txt', join(workspace, 'loop.txt'));
    mkdirSync(join(workspace, 'folder.txt'));
    writeFileSync(join(scratch.root, 'outside.txt'), 'outside\n');
    symlinkSync(join(scratch.root, 'outside.txt'), join(workspace, 'link.txt'));
    await serve();
    for (const name of ['pipe.txt', 'endless.txt', 'loop.txt', 'folder.txt']) {
      await expect(agent.propose(join(workspace, name), 'two\n'), name).rejects.toThrow('cannot be reviewed');
      expect((await scratch.command(['focus', name])).code, name).not.toBe(0);
    }
    // The agent that writes the file follows a link; the user sees its target.
    await agent.propose(join(workspace, 'link.txt'), 'two\n');
    expect((await scratch.command(['review', 'list'])).stdout).toContain('outside the workspace');
    expect(readFileSync(join(scratch.root, 'outside.txt'), 'utf8')).toBe('outside\n');
  });
});
