import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentId, agentProtocols } from '@tandem/companion/agents';
import { hookFileOf, placeHooks } from '@tandem/companion/hooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Scratch } from './support/tandemProcess.js';

const program = new URL('../dist/hook.mjs', import.meta.url).pathname;
const gone = '/gone/bin/node';
/** A PATH with a shell and its tools, and without Node.js. */
let path: string;
let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  path = scratch.folder('bin');
});
afterEach(() => scratch.dispose());

const machine = () => ({
  env: { XDG_STATE_HOME: scratch.state },
  home: scratch.home,
  tmpdir: scratch.tmpdir,
  platform: 'linux' as const,
});

/** The commands of the hooks that are added for good, by their events. The Node.js that runs them is gone. */
async function installed(
  agent: AgentId,
  mode: 'before' | 'follow' | 'after',
  folders: readonly string[] = [],
) {
  const file = await hookFileOf(agent, machine());
  const hooks = await file?.prepare({ machine: machine(), program, node: gone }, { mode, folders });
  return commandsIn(hooks?.shown ?? '');
}

function commandsIn(text: string): { readonly [event: string]: string } {
  const events = Object.entries<readonly [object]>(JSON.parse(text).hooks);
  const commandOf = (hook: { command?: string; bash?: string; hooks?: [{ command: string }] }) =>
    hook.hooks?.[0].command ?? hook.command ?? hook.bash ?? '';
  return Object.fromEntries(events.map(([event, [first]]) => [event, commandOf(first)]));
}

function run(command: string, { cwd = scratch.workspace, env = {} } = {}) {
  const options = { input: '{}', cwd, env: { PATH: path, ...env } };
  return scratch.startProgram('/bin/sh', ['-c', command], options).ended;
}

const calls = [
  ['claude', 'PreToolUse'],
  ['codex', 'PreToolUse'],
  ['copilot', 'preToolUse'],
  ['gemini', 'BeforeTool'],
  ['qwen', 'PreToolUse'],
] as const;

describe.each(calls)('a hook of %s whose Node.js is gone', (agent, event) => {
  test('denies a call where each edit is reviewed, in its own words, and lets other events alone', async () => {
    const { [event]: call = '', ...others } = await installed(agent, 'before', [scratch.workspace]);
    const { code, stdout } = await run(call);
    expect(code).toBe(0);
    const hooks = await agentProtocols[agent].hooks?.();
    const reason = /"(The change was not written[^"]*)"/.exec(stdout)?.[1] ?? '';
    expect(reason).toContain(`hook install ${agent}`);
    expect(JSON.parse(stdout)).toEqual(
      hooks?.deny({ kind: 'edit', session: '', tool: '', input: {}, edits: [] }, reason),
    );
    for (const other of Object.values(others))
      expect(await run(other)).toMatchObject({ code: 0, stdout: '' });
  });

  test.each(['follow', 'after'] as const)('lets everything pass in the mode %s', async (mode) => {
    const { [event]: call = '' } = await installed(agent, mode);
    expect(await run(call)).toMatchObject({ code: 0, stdout: '' });
  });

  test('does nothing once our files are removed', async () => {
    const commands = Object.values(await installed(agent, 'before'));
    rmSync(join(scratch.state, 'tandem/hooks'), { recursive: true });
    for (const command of commands)
      expect(await run(command)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });
});

describe('a hook of Claude Code whose Node.js is gone', () => {
  test('holds only in the chosen folders and below them', async () => {
    const chosen = scratch.folder("it's *");
    const { PreToolUse: call = '' } = await installed('claude', 'before', [chosen]);
    mkdirSync(join(chosen, 'sub'));
    expect((await run(call, { cwd: join(chosen, 'sub') })).stdout).toContain('deny');
    expect((await run(call, { cwd: chosen })).stdout).toContain('deny');
    expect((await run(call)).stdout).toBe('');
    expect((await run(call, { cwd: scratch.folder("it's x") })).stdout).toBe('');
    expect((await run(call, { cwd: scratch.folder("it's *x") })).stdout).toBe('');
  });

  test('yields to an injected one, which follows the mode of its process', async () => {
    const env = { TANDEM_HOOK_AGENT: 'claude', TANDEM_HOOK_MODE: 'before' };
    const { PreToolUse: added = '' } = await installed('claude', 'before');
    expect((await run(added, { env })).stdout).toBe('');
    const [, folder = ''] =
      (await placeHooks('claude', { machine: machine(), program, node: gone }))?.args ?? [];
    const { PreToolUse: injected = '' } = commandsIn(readFileSync(join(folder, 'hooks/hooks.json'), 'utf8'));
    expect((await run(injected, { env })).stdout).toContain('deny');
    for (const mode of ['follow', 'after', 'off'])
      expect((await run(injected, { env: { ...env, TANDEM_HOOK_MODE: mode } })).stdout).toBe('');
    expect((await run(injected)).stdout).toBe('');
  });

  test('uses the one on the PATH', async () => {
    writeFileSync(join(path, 'node'), '#!/bin/sh\necho "ran $2 $3"\n', { mode: 0o755 });
    const { PreToolUse: call = '' } = await installed('claude', 'before');
    expect((await run(call)).stdout).toBe('ran claude installed\n');
  });
});

test('a hook of a shell command of Codex CLI denies only a patch if its program cannot run', async () => {
  const node = (text: string): void =>
    writeFileSync(join(path, 'node'), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  node('/bin/cat');
  const file = await hookFileOf('codex', machine());
  const hooks = await file?.prepare(
    { machine: machine(), program, node: gone },
    { mode: 'before', folders: [] },
  );
  const { command } = JSON.parse(hooks?.shown ?? '').hooks.PreToolUse[1].hooks[0];
  const start = (input: string) =>
    scratch.startProgram('/bin/sh', ['-c', command], { input, env: { PATH: `${path}:/usr/bin:/bin` } }).ended;
  const [list, patch] = ['{"command":"ls"}', '{"command":"apply_patch *** Begin Patch \\\\n %s"}'];
  expect((await start(list)).stdout).toBe(list);
  expect((await start(patch)).stdout).toBe(patch);
  node('exit 1');
  expect((await start(list)).stdout).toBe('');
  expect((await start(patch)).stdout).toContain('"permissionDecision":"deny"');
});
