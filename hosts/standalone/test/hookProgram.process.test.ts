import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { callOf, type HookedAgent, hookEnv, startHook } from './support/hookProcess.js';
import { Scratch, type TandemProcess } from './support/tandemProcess.js';

const faultyDisk = fileURLToPath(new URL('./support/faultyDisk.mjs', import.meta.url));
const original = 'one\ntwo\nthree\n';
const typed = 'one\nTWO, typed\nthree\n';

let scratch: Scratch;
let path: string;
beforeEach(() => {
  scratch = new Scratch();
  path = scratch.write('a.txt', original);
});
afterEach(() => scratch.dispose());

const edit = { before: 'two', after: 'TWO' };
const input = (agent: HookedAgent = 'claude') => callOf(agent, path, edit);
const printed = async (hook: TandemProcess): Promise<string> => (await hook.ended).stdout;
const denied = (reason: unknown) => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: reason,
  },
});

/** A port of this machine on which nothing listens. */
async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

/** A server that answers every request with this status and body. */
async function answering(status: number, body: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-length': body.length }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return String((server.address() as AddressInfo).port);
}

const variables = (port: string, mode: string, agent: HookedAgent = 'claude') => ({
  TANDEM_HOOK_AGENT: agent,
  TANDEM_HOOK_PORT: port,
  TANDEM_HOOK_TOKEN: 'a-token',
  TANDEM_HOOK_MODE: mode,
});

describe('a hook without a companion', () => {
  test.each(['follow', 'after'])('says nothing at once in the mode %s', async (mode) => {
    const hook = startHook(scratch, { input: input(), env: variables(await freePort(), mode) });
    expect(await hook.ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test.each([
    ['claude', denied(expect.stringContaining('Tandem does not answer'))],
    ['gemini', { decision: 'deny', reason: expect.stringContaining('Tandem does not answer') }],
  ] as const)('denies an edit of %s in the mode before, after its limit', async (agent, denial) => {
    const env = variables(await freePort(), 'before', agent);
    const hook = startHook(scratch, { agent, input: input(agent), env, isQuick: true });
    expect(JSON.parse(await printed(hook))).toEqual(denial);
  });

  test.each([
    ['follow', ''],
    ['before', expect.stringContaining('Tandem does not answer')],
  ])('takes a program that accepts and never answers for none, in the mode %s', async (mode, text) => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => silent.closeAllConnections());
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const env = { ...variables(String(port), mode), TANDEM_HOOK_PROVES: '1' };
    expect(await printed(startHook(scratch, { input: input(), env, isQuick: true }))).toEqual(text);
  });

  test.each([
    ['claude', 'UserPromptSubmit'],
    ['claude', 'PermissionRequest'],
    ['claude', 'SessionEnd'],
    ['gemini', 'BeforeAgent'],
    ['gemini', 'AfterAgent'],
    ['gemini', 'SessionEnd'],
  ] as const)('of %s leaves the event %s alone at once, which changes no file', async (agent, name) => {
    const env = variables(await freePort(), 'before', agent);
    const event = JSON.stringify({ session_id: 'abc', hook_event_name: name, prompt: 'x' });
    const startedAt = performance.now();
    expect(await printed(startHook(scratch, { agent, input: event, env }))).toBe('');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

describe('a hook of a command', () => {
  const command = (agent: HookedAgent): string =>
    JSON.stringify({
      session_id: 'abc',
      cwd: '/',
      hook_event_name: agent === 'gemini' ? 'BeforeTool' : 'PreToolUse',
      tool_name: agent === 'gemini' ? 'run_shell_command' : 'Bash',
      tool_input: { command: 'make' },
    });
  const agents: readonly HookedAgent[] = ['claude', 'gemini'];

  test.each(agents)('of %s lets it go on at once without a companion, in the mode before', async (agent) => {
    const env = variables(await freePort(), 'before', agent);
    const startedAt = performance.now();
    expect(await printed(startHook(scratch, { agent, input: command(agent), env }))).toBe('');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test.each(agents)('of %s lets it go on if a companion never answers, or ends meanwhile', async (agent) => {
    const silent = createServer();
    const ending = createServer(({ socket }) => socket.destroy());
    for (const server of [silent, ending]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const env = variables(String((server.address() as AddressInfo).port), 'before', agent);
      const startedAt = performance.now();
      expect(await printed(startHook(scratch, { agent, input: command(agent), env }))).toBe('');
      expect(performance.now() - startedAt).toBeLessThan(10_000);
    }
  });
});

describe('a hook whose companion fails', () => {
  test.each([
    ['with an error', 500, ''],
    ['with a redirection', 302, ''],
    ['with nothing', 200, ''],
    ['with text', 200, 'hello'],
    ['with null', 200, 'null'],
    ['with a list', 200, '[]'],
    ['with a text as output', 200, '{"output":"x"}'],
  ])('denies in the mode before, and says nothing in follow: %s', async (_how, status, body) => {
    const port = await answering(status, body);
    const before = startHook(scratch, { input: input(), env: variables(port, 'before') });
    const follow = startHook(scratch, { input: input(), env: variables(port, 'follow') });
    expect(JSON.parse(await printed(before))).toEqual(denied(expect.any(String)));
    expect(await follow.ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('with another token denies in the mode before, and says nothing in follow', async () => {
    await scratch.serve();
    const env = { ...(await hookEnv(scratch)), TANDEM_HOOK_TOKEN: 'another' };
    const follow = startHook(scratch, { input: input(), env: { ...env, TANDEM_HOOK_MODE: 'follow' } });
    expect(await follow.ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const before = startHook(scratch, { input: input(), env, isQuick: true });
    expect(JSON.parse(await printed(before))).toEqual(denied(expect.any(String)));
  });
});

describe('a hook that reads what is no description of a call', () => {
  test.each([
    ['empty', ''],
    ['garbage', 'not JSON {'],
    [
      'not UTF-8',
      Buffer.concat([Buffer.from('{"session_id":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    ],
    ['null', 'null'],
  ])('denies in the mode before, and says nothing in follow: %s', async (what, garbage) => {
    await scratch.serve();
    const env = await hookEnv(scratch);
    const follow = startHook(scratch, { input: garbage, env: { ...env, TANDEM_HOOK_MODE: 'follow' } });
    expect(await follow.ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const before = await printed(startHook(scratch, { input: garbage, env }));
    // The companion knows that no event has this form.
    if (what === 'null') expect(before).toBe('');
    else expect(JSON.parse(before)).toEqual(denied(expect.any(String)));
  });
});

test.each(['after', 'follow'] as const)(
  'a hook in the mode %s does not hold what the agent writes without a question',
  async (mode) => {
    await scratch.serve();
    const hook = startHook(scratch, { input: input(), env: await hookEnv(scratch, { mode }) });
    expect(await hook.ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await scratch.call('review.list', {})).toEqual([]);
  },
);

describe('a hook of a large change', () => {
  const write = (megabytes: number) => {
    const tool_input = { file_path: path, content: 'x'.repeat(megabytes * 1024 * 1024) };
    const event = { session_id: 'abc', hook_event_name: 'PreToolUse', tool_name: 'Write', tool_input };
    return JSON.stringify(event);
  };

  test('shows 60 MB', async () => {
    const companion = await scratch.serve();
    const hook = startHook(scratch, { input: write(60), env: await hookEnv(scratch) });
    await companion.event('review.opened');
    await scratch.call('review.accept', { id: '1' });
    expect(JSON.parse(await printed(hook))).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'allow' },
    });
  });

  test('denies what is too large, in the mode before', async () => {
    await scratch.serve();
    const hook = startHook(scratch, { input: write(65), env: await hookEnv(scratch) });
    expect(JSON.parse(await printed(hook))).toEqual(denied(expect.stringContaining('too large')));
  });
});

describe('a hook of an agent that another one has started', () => {
  test.each([
    ['an installed one yields to the injected one', 'installed', 'claude', 'claude'],
    ['an injected one does nothing for another agent', 'injected', 'gemini', 'claude'],
  ] as const)('%s', async (_what, origin, agent, variablesOf) => {
    await scratch.serve();
    const env = await hookEnv(scratch, { agent: variablesOf });
    const hook = startHook(scratch, { agent, origin, input: input(agent), env });
    expect(await hook.ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await scratch.call('review.list', {})).toEqual([]);
  });

  test('an installed one finds the companion of its folder, also below the variables of another agent', async () => {
    const companion = await scratch.serve();
    const env = await hookEnv(scratch, { agent: 'gemini' });
    const call = input().replace('acceptEdits', 'default');
    const hook = startHook(scratch, { agent: 'claude', origin: 'installed', input: call, env });
    await companion.event('review.opened');
    await scratch.call('review.accept', { id: '1' });
    expect(JSON.parse(await printed(hook))).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'allow' },
    });
  });
});

describe('the end of an agent whose hook waits', () => {
  test('ends the hook and its review, and what was typed is kept', async () => {
    const companion = await scratch.serve();
    const agent = scratch.startProgram('sleep', ['600']);
    const hook = startHook(scratch, { input: input(), env: await hookEnv(scratch), pid: agent.pid });
    await companion.event('review.opened');
    await scratch.call('review.edit', { id: '1', content: typed });
    await agent.signal('SIGKILL');
    expect(await hook.ended).toMatchObject({ code: 0, stdout: '' });
    await expectKept(companion);
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)('with %s to the hook does the same', async (signal) => {
    const companion = await scratch.serve();
    const hook = startHook(scratch, { input: input(), env: await hookEnv(scratch) });
    await companion.event('review.opened');
    await scratch.call('review.edit', { id: '1', content: typed });
    expect(await hook.signal(signal)).toMatchObject({ signal, stdout: '' });
    await expectKept(companion);
  });

  async function expectKept(companion: TandemProcess): Promise<void> {
    expect((await companion.event('review.decided')).outcome).toBe('withdrawn');
    expect(await scratch.call('review.list', {})).toMatchObject([
      {
        id: '1',
        state: 'interrupted',
        end: { text: expect.stringContaining('stopped waiting') },
      },
    ]);
    expect((await scratch.call('review.show', { id: '1' })).content).toBe(typed);
    expect(readFileSync(path, 'utf8')).toBe(original);
  }
});

describe.each(['claude', 'gemini'] as const)('a companion of %s that ends while a hook waits', (agent) => {
  /** What the hook prints when this text was accepted. */
  const allowed = (text: string) =>
    agent === 'gemini'
      ? { hookSpecificOutput: { tool_input: { old_string: original, new_string: text } } }
      : { hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { new_string: text } } };

  async function hold() {
    const [program, ...args] = scratch.commandLine(['serve', '--json']);
    const env = { FAULTS: join(scratch.root, 'faults.json') };
    const first = scratch.startProgram(program, ['--import', faultyDisk, ...args], { env });
    await first.event('ready');
    // So that the number that is kept is not the first.
    const earlier = startHook(scratch, {
      agent,
      input: callOf(agent, scratch.write('b.txt', original), edit),
      env: await hookEnv(scratch, { agent }),
    });
    await first.event('review.opened');
    await scratch.call('review.reject', { id: '1' });
    await earlier.ended;
    const hook = startHook(scratch, { agent, input: input(agent), env: await hookEnv(scratch, { agent }) });
    await first.event('review.opened', ({ id }) => id === '2');
    return { first, hook };
  }

  const end = async (first: TandemProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<TandemProcess> => {
    await first.signal(signal);
    return scratch.serve();
  };

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'by %s: the next one shows the review, with its number',
    async (signal) => {
      const { first, hook } = await hold();
      const second = await end(first, signal);
      await second.event('review.opened');
      expect(await scratch.call('review.list', {})).toMatchObject([{ id: '2', state: 'pending' }]);
      await scratch.call('review.accept', { id: '2', content: typed });
      expect(JSON.parse(await printed(hook))).toMatchObject(allowed(typed));
      expect(await scratch.call('review.list', {})).toEqual([]);
    },
  );

  test.each(['SIGKILL', 'SIGTERM'] as const)('by %s: what was typed is kept', async (signal) => {
    const { first, hook } = await hold();
    await scratch.call('review.edit', { id: '2', content: typed });
    await expect.poll(() => scratch.journal()).toContain(JSON.stringify(typed));
    const second = await end(first, signal);
    await second.event('review.opened');
    expect(await scratch.call('review.list', {})).toMatchObject([
      { id: '2', state: 'pending', isEdited: true },
    ]);
    await scratch.call('review.accept', { id: '2' });
    expect(JSON.parse(await printed(hook))).toMatchObject(allowed(typed));
  });

  test.each([
    ['review.accept', '"isAccepted":true'],
    ['review.reject', '"kind":"rejected"'],
  ] as const)(
    'right after %s was stored: gives the decision to the hook, without asking again',
    async (decision, noted) => {
      const { first, hook } = await hold();
      await scratch.call('review.edit', { id: '2', content: typed });
      writeFileSync(join(scratch.root, 'faults.json'), JSON.stringify({ killAfter: noted }));
      await expect(scratch.call(decision, { id: '2' })).rejects.toThrow();
      expect((await first.ended).signal).toBe('SIGKILL');
      const second = await scratch.serve();
      const { stdout } = await hook.ended;
      if (decision === 'review.accept') expect(JSON.parse(stdout)).toMatchObject(allowed(typed));
      else expect(stdout).toMatch(/"(permissionDecision|decision)":"deny"/);
      expect(second.stdout).not.toContain('"pending"');
      if (decision === 'review.reject') expect(await scratch.call('review.list', {})).toEqual([]);
    },
  );

  test('a hook that has waited over two restarts gets one answer', async () => {
    const { first, hook } = await hold();
    const second = await end(first, 'SIGKILL');
    await second.event('review.opened');
    const third = await end(second, 'SIGTERM');
    await third.event('review.opened');
    await scratch.call('review.reject', { id: '2' });
    expect((await printed(hook)).match(/deny/g)).toHaveLength(1);
  });
});
