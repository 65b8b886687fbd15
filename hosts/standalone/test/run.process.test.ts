import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { Scratch } from './support/tandemProcess.js';

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch('a "work" é');
  mkdirSync(join(scratch.root, 'bin'));
});
afterEach(async () => {
  // A background companion is not a child of this process.
  await scratch.run(['stop']);
  await scratch.dispose();
});

/** Puts a program on the path that runs `behaviour` and then reports how it was started. */
function install(program: string, behaviour = ''): { env: Record<string, string> } {
  const file = join(scratch.root, 'bin', program);
  const report =
    'console.log(JSON.stringify({ event: "started", args: process.argv.slice(2), env: process.env }));';
  writeFileSync(file, `#!${process.execPath}\n${behaviour}\n${report}`);
  chmodSync(file, 0o755);
  return { env: { PATH: `${join(scratch.root, 'bin')}:${process.env.PATH}` } };
}

const servers = async () => JSON.parse((await scratch.command(['status', '--json'])).stdout);

describe('tandem run', () => {
  test('starts a companion in the background if there is none, and the agent connected to it', async () => {
    const running = scratch.start(['run', 'claude', 'fix it', '--model', 'x'], {
      ...install('claude'),
      input: '',
    });
    const { args, env } = await running.event('started');
    const plugin = expect.stringMatching(new RegExp(`^${scratch.state}/tandem/hooks/[0-9a-f]{16}/claude$`));
    expect(args).toEqual(['--plugin-dir', plugin, '--permission-mode', 'default', 'fix it', '--model', 'x']);
    expect(env.TANDEM_HOOK_AGENT).toBe('claude');
    expect(env.TANDEM_HOOK_MODE).toBe('before');
    const [companion] = await servers();
    expect(companion.workspaceFolders).toEqual([scratch.workspace]);
    expect(Number(env.CLAUDE_CODE_SSE_PORT)).toBe(Number(new URL(companion.agents[0].url).port));
    const { code, stderr } = await running.ended;
    expect(code).toBe(0);
    expect(stderr).toContain(`started a companion for ${scratch.workspace} (process ${companion.pid}).`);
    expect(stderr).toContain('claude --permission-mode default, so that it asks before it edits');
    expect(readFileSync(join(scratch.state, 'tandem', 'serve.log'), 'utf8')).toContain('serves');
    expect(await servers()).toHaveLength(1);
    const background = scratch.startProgram('ps', ['-o', 'args=', '-p', String(companion.pid)]);
    expect((await background.ended).stdout).toContain('serve --until-idle 30');
  });

  test('uses the companion of a parent folder, and starts no other', async () => {
    const companion = await scratch.serve();
    const cwd = join(scratch.workspace, 'deep', 'er');
    mkdirSync(cwd, { recursive: true });
    const running = scratch.start(['run', 'qwen'], { ...install('qwen'), input: '', cwd });
    const { args, env } = await running.event('started');
    expect(args).toEqual(['--approval-mode', 'default']);
    expect(env).toMatchObject((await companion.event('ready')).agents.qwen.env);
    expect(JSON.parse(readFileSync(env.QWEN_CODE_SYSTEM_DEFAULTS_PATH, 'utf8')).ide.enabled).toBe(true);
    expect((await running.ended).stderr).not.toContain('started a companion');
    expect(await servers()).toHaveLength(1);
  });

  test('adds no flag that the user set, and prints the hint for Gemini CLI', async () => {
    await scratch.serve();
    const qwen = scratch.start(['run', 'qwen', '--yolo', '-p', 'x'], { ...install('qwen'), input: '' });
    expect((await qwen.event('started')).args).toEqual(['--yolo', '-p', 'x']);
    expect((await qwen.ended).stderr).toBe('');
    const gemini = scratch.start(['run', 'gemini', '--help'], { ...install('gemini'), input: '' });
    const { args, env } = await gemini.event('started');
    expect(args).toEqual(['--help']);
    expect(env.GEMINI_CLI_IDE_AUTH_TOKEN).toMatch(/^[\w-]{43}$/);
    expect((await gemini.ended).stderr).toBe(
      'tandem: If Gemini CLI asks whether to connect, choose No (Yes looks for an extension that Tandem does not need). Then type /ide enable in it, only once.\n',
    );
  });

  test('connects Gemini CLI by variables where the folder of its file cannot be used', async () => {
    writeFileSync(join(scratch.tmpdir, 'gemini'), 'of another user');
    await scratch.serve();
    const gemini = scratch.start(['run', 'gemini'], { ...install('gemini'), input: '' });
    const { env } = await gemini.event('started');
    expect(env).toMatchObject({ GEMINI_CLI_IDE_WORKSPACE_PATH: scratch.workspace, ZED_SESSION_ID: 'tandem' });
    expect((await gemini.ended).stderr).not.toContain('cannot');
  });

  test('reports why an agent cannot connect before it starts it', async () => {
    const folder = scratch.folder('a:b');
    writeFileSync(join(scratch.home, '.codex'), 'not a folder');
    await scratch.serve([folder]);
    const start = async (agent: string) =>
      (await scratch.run(['run', agent], { ...install(agent), cwd: folder })).stderr;
    expect(await start('codex')).toContain('tandem: Codex CLI cannot be served: ');
    expect(await start('qwen')).toContain(
      `tandem: Qwen Code cannot connect in ${folder}: its path contains ":"`,
    );
  });

  test('returns the exit code, or the number of a signal that ended the agent', async () => {
    await scratch.serve();
    expect((await scratch.run(['run', 'gemini'], install('gemini', 'process.exit(42);'))).code).toBe(42);
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGKILL', 137],
    ] as const) {
      const options = install(
        'gemini',
        `process.kill(process.pid, '${signal}'); setTimeout(() => {}, 60000);`,
      );
      expect((await scratch.run(['run', 'gemini'], options)).code).toBe(code);
    }
  });

  test('passes signals on, leaves Ctrl+C to the agent, and the terminal with it', async () => {
    await scratch.serve();
    const behaviour =
      "for (const s of ['SIGINT', 'SIGTERM']) process.on(s, () => console.log(JSON.stringify({ event: s })));\n" +
      "process.on('SIGHUP', () => process.exit(7));\n" +
      "process.stdin.on('data', (text) => console.log(JSON.stringify({ event: 'read', text: String(text) })));";
    // As in a terminal: one process group, which receives Ctrl+C.
    const running = scratch.start(['run', 'gemini'], { ...install('gemini', behaviour), detached: true });
    await running.event('started');
    process.kill(-running.pid, 'SIGINT');
    await running.event('SIGINT');
    running.child.kill('SIGTERM');
    await running.event('SIGTERM');
    running.child.stdin?.write('typed');
    expect((await running.event('read')).text).toBe('typed');
    expect((await running.signal('SIGHUP')).code).toBe(7);
  });

  test('reports how to install a missing agent, and starts no companion for it', async () => {
    const empty = { env: { PATH: join(scratch.root, 'bin') } };
    for (const [agent, words] of [
      [
        'gemini',
        'Gemini CLI is not installed: "gemini" is neither on the PATH nor in node_modules/.bin. Install it with: npm install -g @google/gemini-cli\n',
      ],
      ['qwen', 'npm install -g @qwen-code/qwen-code'],
      ['claude', 'npm install -g @anthropic-ai/claude-code'],
    ] as const) {
      const { code, stdout, stderr } = await scratch.run(['run', agent], empty);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(words);
    }
    expect(await servers()).toEqual([]);
  });

  test('twice at once starts one companion', async () => {
    const options = { ...install('gemini'), input: '' };
    const both = [1, 2, 3].map(() => scratch.start(['run', 'gemini'], options));
    const ports = await Promise.all(
      both.map(async (each) => (await each.event('started')).env.GEMINI_CLI_IDE_SERVER_PORT),
    );
    expect(new Set(ports).size).toBe(1);
    expect(await servers()).toHaveLength(1);
    const said = (await Promise.all(both.map(({ ended }) => ended))).map(({ stderr }) => stderr).join();
    expect(said.match(/started a companion/g)).toHaveLength(1);
  });

  test('does not wait for a process that crashed while it started a companion', async () => {
    const lock = join(scratch.state, 'tandem', 'starting.lock');
    mkdirSync(lock, { recursive: true });
    utimesSync(lock, 1, 1);
    const { code, stderr } = await scratch.run(['run', 'gemini'], install('gemini'));
    expect([code, stderr]).toEqual([0, expect.stringContaining('started a companion')]);
    expect(existsSync(lock)).toBe(false);
  });

  test('does not wait forever for a lock that is never removed', exhaustive, async () => {
    const lock = join(scratch.state, 'tandem', 'starting.lock');
    mkdirSync(lock, { recursive: true });
    writeFileSync(join(lock, 'not ours'), '');
    utimesSync(lock, 1, 1);
    const [program, ...args] = scratch.commandLine(['run', 'gemini']);
    const quickTime = fileURLToPath(new URL('./support/quickTime.mjs', import.meta.url));
    const { code, stderr } = await scratch.startProgram(program, ['--import', quickTime, ...args], {
      ...install('gemini'),
    }).ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining(`remove ${lock}`)]);
  });

  test('connects to the companion that is named', async () => {
    const [first, second] = [await scratch.serve(), await scratch.serve(['--another'])];
    for (const companion of [first, second]) {
      const options = { ...install('claude'), input: '' };
      const running = scratch.start(['run', '--companion', String(companion.pid), 'claude'], options);
      const { agents } = await companion.event('ready');
      expect((await running.event('started')).env).toMatchObject(agents.claude.env);
      await running.ended;
    }
    expect((await scratch.run(['run', '--companion', '1', 'claude'], install('claude'))).code).toBe(3);
  });

  test('keeps a companion running that would end when idle', async () => {
    const companion = await scratch.serve(['--until-idle', '1']);
    const running = scratch.start(['run', 'gemini'], install('gemini', 'process.stdin.resume();'));
    await running.event('started');
    const [{ agents }] = await servers();
    expect(agents[0].sessions).toEqual([]);
    // A later, unused companion ends by itself: by then the first would have ended as well.
    const unneeded = await scratch.serve(['--another', '--until-idle', '1']);
    expect((await unneeded.ended).code).toBe(0);
    expect(companion.hasEnded).toBe(false);
    running.child.stdin?.end();
    await running.ended;
    expect((await companion.ended).code).toBe(0);
  });

  test('reports why a companion could not be started', async () => {
    writeFileSync(join(scratch.state, 'tandem'), '');
    const { code, stderr } = await scratch.run(['run', 'gemini'], install('gemini'));
    expect(code).toBe(1);
    expect(stderr).toContain(`${join(scratch.state, 'tandem')} cannot be written`);
  });
});
