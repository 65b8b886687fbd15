import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shellWord } from '../src/doctor/shell.js';
import { type Launcher, launcherMark, launcherText } from '../src/hooks/launcher.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'launcher-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const hookEnv = { TANDEM_HOOK_PORT: '4711', TANDEM_HOOK_TOKEN: 'secret' };
const ours = ['-c', `hooks.A=["it's $HOME * \\"quoted\\""]`, '--plugin-dir', '/a folder/é'];

function launcher(changes: Partial<Launcher> = {}): Launcher {
  return {
    agent: 'claude',
    program: 'claude',
    mode: 'follow',
    args: ours,
    env: { TANDEM_TEST_CONFIG: '{"ours": true}' },
    expected: { TANDEM_HOOK_PORT: '4711', TANDEM_TEST_CONFIG: '' },
    needed: [process.execPath],
    companion: process.pid,
    ...changes,
  };
}

function write(path: string, text: string, mode = 0o755): string {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** A folder of launchers, as a companion places it. */
function place(changes: Partial<Launcher> = {}, name = 'launchers'): string {
  const folder = join(root, name);
  write(join(folder, launcherMark), String(process.pid), 0o600);
  write(join(folder, 'claude'), launcherText(launcher(changes)), 0o700);
  return folder;
}

/** A folder with an agent that reports how it was started. */
function install(name = 'bin', behaviour = ''): string {
  const folder = join(root, name);
  const report = `require('fs').writeFileSync(process.env.REPORT, JSON.stringify({ at: __filename, args: process.argv.slice(2), env: process.env, pid: process.pid, ttys: [0, 1, 2].map((each) => require('tty').isatty(each)) }));`;
  write(join(folder, 'claude'), `#!${process.execPath}\n${report}\n${behaviour}\n`);
  return folder;
}

interface Report {
  readonly at: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly pid: number;
  readonly ttys: readonly boolean[];
}

interface Ran {
  readonly report: Report | undefined;
  readonly code: number | null;
  readonly text: string;
}

/** Runs a line in a shell in a terminal. */
function type(line: string, env: Record<string, string>, { shell = 'sh' } = {}): Ran {
  const file = join(root, 'report');
  rmSync(file, { force: true });
  const command = `${shell} -c ${shellWord(line)}`;
  const { status, stdout } = spawnSync('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { REPORT: file, SHELL: '/bin/sh', HOME: root, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  return { report, code: status, text: stdout };
}

const path = (...folders: readonly string[]): string => [...folders, process.env.PATH].join(':');
/** The shells of this machine. */
const shells = ['dash', 'bash', 'zsh', 'ksh', 'busybox'].filter(
  (name) => spawnSync(name, ['-c', ':']).error === undefined,
);

describe('a launcher', () => {
  it.each(shells)(
    'adds arguments and variables to the program that follows on the PATH, with %s as the shell',
    (shell) => {
      const [launchers, bin] = [place(), install()];
      const run = shell === 'busybox' ? 'busybox sh' : shell;
      const line = `exec ${run} ${join(launchers, 'claude')} --model "x y" '*' ''`;
      const { report, code } = type(line, { ...hookEnv, PATH: path(launchers, bin) });
      expect(code).toBe(0);
      expect(report?.at).toBe(join(bin, 'claude'));
      expect(report?.args).toEqual([...ours, '--model', 'x y', '*', '']);
      expect(report?.env).toMatchObject({
        ...hookEnv,
        TANDEM_HOOK_AGENT: 'claude',
        TANDEM_HOOK_MODE: 'follow',
        TANDEM_TEST_CONFIG: '{"ours": true}',
      });
      expect(Object.keys(report?.env ?? {}).filter((name) => name.startsWith('tandem'))).toEqual([]);
    },
  );

  it('contains no token', () => {
    expect(launcherText(launcher())).not.toContain(hookEnv.TANDEM_HOOK_TOKEN);
  });

  const unchanged: readonly [reason: string, changes: Partial<Launcher>, env: Record<string, string>][] = [
    ['an agent has started it', {}, { TANDEM_HOOK_AGENT: 'codex' }],
    ['it has no token', {}, { TANDEM_HOOK_TOKEN: '' }],
    ['the terminal belongs to another companion', {}, { TANDEM_HOOK_PORT: '4712' }],
    ['the user has set a variable that it would replace', {}, { TANDEM_TEST_CONFIG: '{"mine": true}' }],
    ['its companion has ended', { companion: 2 ** 22 + 1 }, {}],
    ['its first word is a command of the agent', { firstWords: ['install', '-p'] }, {}],
    ['Node.js is gone', { needed: ['/nowhere/node'] }, {}],
  ];
  it.each(unchanged)('changes nothing if %s', (_reason, changes, env) => {
    const [launchers, bin] = [place(changes), install()];
    const { report } = type('claude -p "a b"', { ...hookEnv, ...env, PATH: path(launchers, bin) });
    expect(report?.args).toEqual(['-p', 'a b']);
    expect(report?.env.TANDEM_HOOK_AGENT).toBe(env.TANDEM_HOOK_AGENT);
    expect(report?.env.TANDEM_TEST_CONFIG).toBe(env.TANDEM_TEST_CONFIG);
  });

  it('changes nothing if the file has changed from which its own was made', () => {
    const of = write(join(root, 'system.json'), '{}');
    const file = write(join(root, 'made.json'), '{}');
    const [launchers, bin] = [place({ made: { of, file } }), install()];
    const env = { ...hookEnv, PATH: path(launchers, bin) };
    utimesSync(of, 100, 100);
    expect(type('claude', env).report?.args).toEqual(ours);
    utimesSync(file, 99, 99);
    expect(type('claude', env).report?.args).toEqual([]);
  });

  it('changes nothing for a program that another program starts without a terminal', () => {
    const [launchers, bin] = [place(), install()];
    const env = { ...hookEnv, PATH: path(launchers, bin) };
    expect(type('claude </dev/null >/dev/null 2>&1', env).report?.args).toEqual([]);
    expect(type('echo x | claude -p | cat', env).report?.args).toEqual([...ours, '-p']);
  });

  it('leaves the terminal, the process and the exit code to the agent, and its signals', async () => {
    const [launchers, bin] = [place(), install('bin', 'process.exit(42)')];
    const env = { ...hookEnv, PATH: path(launchers, bin) };
    const { report, code } = type('echo $$ >"$HOME/pid"; exec claude', env);
    expect(report?.pid).toBe(Number(readFileSync(join(root, 'pid'), 'utf8')));
    expect(report?.ttys).toEqual([true, true, true]);
    expect(code).toBe(42);
    install(
      'bin',
      'setInterval(() => {}, 1000); process.on("SIGINT", () => process.exit(7)); console.log("ready")',
    );
    const child = spawn(join(launchers, 'claude'), [], {
      env: { ...env, REPORT: join(root, 'report') },
      stdio: 'pipe',
    });
    child.stdout.once('data', () => child.kill('SIGINT'));
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(7);
  });

  it('finds the program behind other launchers, in folders with strange names, and in the current one', () => {
    const first = place();
    const second = place({ mode: 'before' }, 'launchers of another');
    const odd = install("o'dd * $HOME");
    const env = { ...hookEnv, PATH: [first, second, first, '/nowhere', odd, process.env.PATH].join(':') };
    expect(type('claude', env).report).toMatchObject({ at: join(odd, 'claude'), args: ours });
    expect(type('claude', env).report?.env.TANDEM_HOOK_MODE).toBe('follow');
    const here = { ...hookEnv, PATH: `${first}:${process.env.PATH}:` };
    expect(type(`cd ${shellWord(odd)} && claude`, here).report?.at).toBe(join(odd, 'claude'));
  });

  it('passes over what cannot be executed, and reports a program that is not installed', () => {
    const launchers = place();
    write(join(root, 'text/claude'), 'not a program', 0o644);
    mkdirSync(join(root, 'folder/claude'), { recursive: true });
    const env = { ...hookEnv, PATH: path(launchers, join(root, 'text'), join(root, 'folder')) };
    const { code, text } = type('claude', env);
    expect(code).toBe(127);
    expect(text).toContain('claude: command not found');
  });
});
