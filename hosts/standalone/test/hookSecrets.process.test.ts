import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callOf, hookEnv } from './support/hookProcess.js';
import { Scratch } from './support/tandemProcess.js';

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  mkdirSync(join(scratch.root, 'bin'));
});
afterEach(async () => {
  await scratch.run(['stop']);
  await scratch.dispose();
});

/** Every entry below a folder, with its path from there. */
function below(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

/** The permissions and the contents of all files below a folder. Empty folders of the discovery files may stay. */
function snapshot(folder: string): Record<string, string> {
  const entries = below(folder).flatMap((name): [string, string][] => {
    const path = join(folder, name);
    const stat = lstatSync(path);
    if (stat.isDirectory()) return [];
    const content = stat.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
    return [[name, `${stat.mode.toString(8)} ${content}`]];
  });
  return Object.fromEntries(entries);
}

/** The command of the entry before tool calls, of the plugin with which Claude Code was started. */
function entryIn(args: readonly string[]): string {
  const [flag, folder = ''] = args;
  expect(flag).toBe('--plugin-dir');
  const { hooks } = JSON.parse(readFileSync(join(folder, 'hooks/hooks.json'), 'utf8'));
  return hooks.PreToolUse[0].hooks[0].command;
}

test('tandem run keeps the token of hooks out of arguments and files that others read, and leaves HOME as it was', async () => {
  const path = scratch.write('a.txt', 'one\n');
  for (const [name, text] of [
    ['.claude/settings.json', '{ "model": "x" }'],
    ['.claude.json', '{}'],
    ['.gemini/settings.json', '{}'],
  ] as const) {
    mkdirSync(join(scratch.home, name, '..'), { recursive: true });
    writeFileSync(join(scratch.home, name), text);
  }
  const home = snapshot(scratch.home);
  // An agent that starts the hook of its first call as Claude Code does, and reports the answer.
  const agent = join(scratch.root, 'bin/claude');
  const behaviour = `
    const { spawn } = require('node:child_process');
    const say = (event) => console.log(JSON.stringify(event));
    say({ event: 'started', args: process.argv.slice(2) });
    process.stdin.once('data', (line) => {
      const { command, input } = JSON.parse(line);
      const hook = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'inherit'] });
      hook.stdout.on('data', (text) => say({ event: 'answered', text: String(text) }));
      hook.stdin.end(input);
      hook.on('close', () => process.exit());
    });`;
  writeFileSync(agent, `#!${process.execPath}\n${behaviour}\n`);
  chmodSync(agent, 0o755);
  const running = scratch.start(['run', 'claude'], {
    env: { PATH: `${join(scratch.root, 'bin')}:${process.env.PATH}` },
  });
  const { args } = await running.event('started');
  const { TANDEM_HOOK_TOKEN: token = '' } = await hookEnv(scratch);
  expect(token).toMatch(/^[\w-]{43}$/);
  const call = { command: entryIn(args), input: callOf('claude', path, { before: 'one', after: 'two' }) };
  running.child.stdin?.write(JSON.stringify(call));
  await expect.poll(() => scratch.call('review.list', {})).toMatchObject([{ state: 'pending' }]);

  const commandLines = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandLineOf);
  expect(commandLines.filter((line) => line.includes('hook.mjs')).length).toBeGreaterThan(0);
  expect(commandLines.filter((line) => line.includes(token))).toEqual([]);
  const hooks = join(scratch.state, 'tandem/hooks');
  const entries = below(hooks).map((name) => lstatSync(join(hooks, name)));
  expect(new Set(entries.map((entry) => entry.mode & 0o777))).toEqual(new Set([0o700, 0o600]));
  expect(entries.every((entry) => (entry.mode & 0o777) === (entry.isDirectory() ? 0o700 : 0o600))).toBe(true);
  expect(holdersOf(token, hooks)).toEqual([]);
  for (const file of holdersOf(token, scratch.root))
    expect([file, lstatSync(file).mode & 0o77]).toEqual([file, 0]);

  await scratch.call('review.accept', { id: '1' });
  expect(JSON.parse((await running.event('answered')).text)).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'allow' },
  });
  expect((await running.ended).code).toBe(0);
  await scratch.run(['stop']);
  expect(snapshot(scratch.home)).toEqual(home);
});

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}

/** The files below a folder that contain a text. */
function holdersOf(text: string, folder: string): string[] {
  return below(folder)
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile() && readFileSync(path).includes(text));
}
