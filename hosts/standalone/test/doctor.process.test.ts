import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DoctorScratch, named } from './support/doctorScratch.js';
import { ScriptedAgent } from './support/scriptedAgent.js';
import type { TandemProcess } from './support/tandemProcess.js';

let scratch: DoctorScratch;
const servers: Server[] = [];

beforeEach(() => {
  scratch = new DoctorScratch();
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await scratch.dispose();
});

/** The variables that a companion gives to terminals. */
async function environmentOf(companion: TandemProcess): Promise<Record<string, string>> {
  const { stdout } = await scratch.command(['env', '--shell', 'json', '--companion', String(companion.pid)]);
  return JSON.parse(stdout);
}

/** The discovery file of one agent. */
async function fileOf(companion: TandemProcess, agent: string): Promise<string> {
  return (await companion.event('ready')).agents[agent].discovery[0];
}

/** The companion of another user: listens, records requests, and answers with one status. */
async function serveElse(status: number): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(status).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It does not listen.');
  return { port: address.port, asked };
}

const claudeLock = (port: number, folders: readonly string[], more: object = {}) =>
  scratch.put(join(scratch.home, '.claude/ide', `${port}.lock`), {
    workspaceFolders: folders,
    pid: process.pid,
    ideName: 'Other IDE',
    transport: 'ws',
    authToken: 'a-token-of-another',
    ...more,
  });

describe('tandem doctor', () => {
  test('finds nothing wrong where a companion serves the folder, after a handshake with each protocol', async () => {
    const companion = await scratch.serve();
    const report = await scratch.report({ env: await environmentOf(companion) });
    expect(report.findings).toEqual([]);
    expect(report.isHealthy).toBe(true);
    expect(report.companions).toMatchObject([{ pid: companion.pid, servesFolder: true }]);
    const used = report.agents.filter(({ isUsed }) => isUsed);
    expect(used.map(({ id, connection }) => [id, connection.kind, connection.answer])).toEqual([
      ['claude', 'connects', 'tandem'],
      ['copilot', 'connects', 'tandem'],
      ['gemini', 'connects', 'tandem'],
      ['qwen', 'connects', 'tandem'],
    ]);
    expect(used.map(({ program }) => [program?.version, program?.isTested])).toEqual([
      ['2.1.332', true],
      ['1.0.102', true],
      ['0.61.0', true],
      ['0.15.10', true],
    ]);
  });

  test('does not affect existing sessions, and leaves none behind', async () => {
    const companion = await scratch.serve();
    const agent = await ScriptedAgent.connect(await fileOf(companion, 'gemini'));
    await scratch.report();
    const { stdout } = await scratch.command(['status', '--json']);
    const [status] = JSON.parse(stdout);
    const names = status.agents.flatMap((each: { sessions: { client: { name: string } }[] }) =>
      each.sessions.map(({ client }) => client.name),
    );
    expect(names).toEqual(['Gemini CLI']);
    await agent.propose(scratch.write('a.txt', 'one\n'), 'two\n');
    await scratch.command(['review', 'accept']);
    expect(await agent.accepted()).toBe('two\n');
    await agent.end();
  });

  test('reports no settings of a connected agent', async () => {
    const companion = await scratch.serve();
    scratch.put(join(scratch.home, '.gemini/settings.json'), {});
    const agent = await ScriptedAgent.connect(await fileOf(companion, 'gemini'));
    expect(named(await scratch.report(), 'ide-mode-off')).toEqual([]);
    await agent.end();
    await companion.event('session.closed', ({ client }) => client.name !== 'tandem-doctor');
    expect(named(await scratch.report(), 'ide-mode-off')).toHaveLength(1);
  });

  test('starts no session with the companion of another user', async () => {
    const { port, asked } = await serveElse(400);
    const pid = process.pid;
    scratch.put(join(scratch.tmpdir, 'gemini/ide', `gemini-ide-server-${pid}-${port}.json`), {
      port,
      workspacePath: scratch.workspace,
      authToken: 'a-token-of-another',
      ideInfo: { name: 'other', displayName: 'Other IDE' },
    });
    const report = await scratch.report();
    expect(report.agents.find(({ id }) => id === 'gemini')?.connection).toMatchObject({
      kind: 'connects',
      ideName: 'Other IDE',
      answer: 'accepted',
    });
    expect(asked).toEqual(['GET /identity', 'GET /mcp']);
  });

  test('prints no token in any output', async () => {
    const companion = await scratch.serve();
    const stale = claudeLock(1, [scratch.workspace], { pid: 2 ** 22 - 1 });
    const secrets = [companion.stdout, ...scratch.discoveryFiles().map((file) => readFileSync(file, 'utf8'))]
      .flatMap((text) => [...text.matchAll(/"(?:authToken|token)": ?"([^"]+)"/g)])
      .map(([, secret]) => secret ?? '');
    expect(secrets.length).toBeGreaterThan(4);
    const env = { ...(await environmentOf(companion)), GEMINI_CLI_IDE_AUTH_TOKEN: 'an-old-token' };
    for (const flags of [['doctor'], ['doctor', '--json'], ['doctor', '--fix']]) {
      const { stdout, stderr } = await scratch.command(flags, { env });
      for (const secret of [...secrets, 'an-old-token']) expect(stdout + stderr).not.toContain(secret);
    }
    expect(existsSync(stale)).toBe(false);
  });

  test('says where each agent finds its companion: at a port, or at a socket', async () => {
    scratch.install('codex', '0.171.0');
    const { agents } = await (await scratch.serve()).event('ready');
    const { stdout } = await scratch.command(['doctor']);
    expect(stdout).toContain(
      `would connect to Tandem at port ${new URL(agents.gemini.url).port}; a test connection succeeded`,
    );
    expect(stdout).toContain(`would connect to Tandem at ${agents.copilot.url}; a test connection succeeded`);
    expect(stdout).toContain(`would find a companion at ${agents.codex.url}; a test connection succeeded`);
  });

  test('writes lines of at most 80 columns, commands and paths apart, and no colours into a pipe', async () => {
    await scratch.serve();
    scratch.put(join(scratch.home, '.gemini/settings.json'), {});
    const { stdout, code } = await scratch.command(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toContain('  ✗ error   The IDE mode of Gemini CLI is off\n');
    expect(stdout).toContain('            → type in the agent: /ide enable\n');
    expect(stdout).toMatch(/^Claude Code {2}2\.1\.332$/m);
    expect(stdout).toMatch(/^1 error, 1 note\.$/m);
    expect(stdout).not.toMatch(/\p{Cc}(?<!\n)/u);
    const long = stdout.split('\n').filter((line) => line.length > 80);
    expect(long.filter((line) => !line.includes('→') && !line.includes(scratch.root))).toEqual([]);
  });
});

describe('tandem doctor --fix', () => {
  test('removes files of a killed companion, but not of a running one', async () => {
    const killed = await scratch.serve();
    const left = scratch.discoveryFiles().filter((file) => !file.endsWith('settings.json'));
    await killed.signal('SIGKILL');
    const stale = await scratch.report();
    const files = named(stale, 'stale-file').flatMap((each) => each.files ?? []);
    expect(files.sort()).toEqual(left.sort());
    expect(named(stale, 'stale-file').every(({ fix }) => fix.isAutomatic)).toBe(true);
    const report = await scratch.report({}, '--fix');
    expect(report.removed?.map(({ file }) => file).sort()).toEqual(left.sort());
    expect(scratch.discoveryFiles().filter((file) => left.includes(file))).toEqual([]);
    const living = await scratch.serve();
    const standing = scratch.discoveryFiles();
    expect((await scratch.report({}, '--fix')).removed).toEqual([]);
    expect(scratch.discoveryFiles()).toEqual(standing);
    await living.signal('SIGTERM');
  });

  test('leaves a file whose process runs or whose port answers, and unknown files', async () => {
    const { port } = await serveElse(404);
    const dead = 2 ** 22 - 1;
    const [silent, answering] = [claudeLock(1, []), claudeLock(port, [], { pid: dead })];
    const broken = join(scratch.home, '.claude/ide/2.lock');
    writeFileSync(broken, 'no JSON');
    const report = await scratch.report({}, '--fix');
    expect(report.removed).toEqual([]);
    expect([silent, answering, broken].map((file) => existsSync(file))).toEqual([true, true, true]);
    expect(report.findings.flatMap(({ id, files = [] }) => files.map((file) => [id, file]))).toEqual(
      expect.arrayContaining([
        ['silent-port', silent],
        ['dead-pid', answering],
        ['broken-file', broken],
      ]),
    );
  });
});

describe('tandem doctor reports the cause', () => {
  test('tmux: the variables of an ended companion', async () => {
    const before = await scratch.serve();
    const env = { ...(await environmentOf(before)), TMUX: '/tmp/tmux-0/default,1,0' };
    await before.signal('SIGTERM');
    const alone = await scratch.report({ env });
    expect(named(alone, 'stale-variable')).toMatchObject([
      { agent: 'claude', severity: 'error', fix: { command: 'unset CLAUDE_CODE_SSE_PORT' } },
      { agent: 'gemini', severity: 'error', fix: { command: expect.stringMatching(/^unset GEMINI/) } },
      { agent: 'qwen', severity: 'error' },
    ]);
    scratch.forgetCompanions();
    await scratch.serve();
    const report = await scratch.report({ env });
    expect(named(report, 'stale-variable')).toHaveLength(3);
    expect(named(report, 'stale-variable')[2]).toMatchObject({
      cause: expect.stringContaining('tmux keeps'),
      fix: { command: expect.stringContaining('env)"') },
    });
  });

  test('second terminal: Claude Code connects only on a command', async () => {
    await scratch.serve();
    const report = await scratch.report();
    expect(report.findings).toMatchObject([
      {
        id: 'by-hand',
        agent: 'claude',
        severity: 'note',
        fix: { command: expect.stringContaining('env)"') },
      },
    ]);
    expect(report.agents[0]?.connection.kind).toBe('asks');
  });

  test('two windows on one folder: Claude Code takes none, the others one of them', async () => {
    await scratch.serve();
    const second = await scratch.serve(['--another']);
    const report = await scratch.report();
    expect(named(report, 'two-companions').map(({ agent, severity }) => [agent, severity])).toEqual([
      ['claude', 'error'],
      ['copilot', 'warning'],
      ['gemini', 'warning'],
      ['qwen', 'warning'],
    ]);
    const chosen = await scratch.report({ env: await environmentOf(second) });
    // No variable selects a companion of Copilot CLI.
    expect(named(chosen, 'two-companions').map(({ agent }) => agent)).toEqual(['copilot']);
  });

  test('two companions, one in a folder around the other: Claude Code takes none', async () => {
    await scratch.serve();
    const inner = join(scratch.workspace, 'inner');
    mkdirSync(inner);
    await scratch.serve([], { cwd: inner });
    const report = await scratch.report({ cwd: inner });
    expect(named(report, 'two-companions')).toContainEqual(
      expect.objectContaining({ agent: 'claude', severity: 'error' }),
    );
    expect(named(await scratch.report(), 'two-companions')).toEqual([]);
  });

  test('SSH: no companion on this machine', async () => {
    const report = await scratch.report({ env: { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' } });
    expect(named(report, 'ssh')).toMatchObject([{ severity: 'error' }]);
  });

  test('WSL: the companion is in Windows', async () => {
    claudeLock(4000, ['C:\\work'], { runningInWindows: true });
    const report = await scratch.report({ env: { WSL_DISTRO_NAME: 'Ubuntu' } }, '--fix');
    expect(named(report, 'wsl')).toMatchObject([{ cause: expect.stringContaining('cannot reach the one') }]);
    // Its process and port are not visible from here.
    expect(report.removed).toEqual([]);
    expect(named(report, 'silent-port')).toEqual([]);
  });

  test('a stale file that blocks a living companion', async () => {
    const killed = await scratch.serve();
    const file = await fileOf(killed, 'gemini');
    await killed.signal('SIGKILL');
    const content = readFileSync(file, 'utf8');
    scratch.forgetCompanions();
    await scratch.serve();
    // Gemini CLI prefers what a variable names, even if that companion has ended.
    writeFileSync(file, content, { mode: 0o600 });
    const env = { GEMINI_CLI_IDE_SERVER_PORT: /-(\d+)\.json$/.exec(file)?.[1] ?? '' };
    const report = await scratch.report({ env });
    expect(named(report, 'stale-file')).toMatchObject([
      { severity: 'error', agent: 'gemini', files: [file], fix: { isAutomatic: true } },
    ]);
    const fixed = await scratch.report({ env }, '--fix');
    expect(fixed.removed?.map((each) => each.file)).toEqual([file]);
    expect(fixed.agents.find(({ id }) => id === 'gemini')?.connection).toMatchObject({
      kind: 'connects',
      answer: 'tandem',
    });
  });

  test('wrong folder', async () => {
    await scratch.serve();
    const report = await scratch.report({ cwd: scratch.home });
    expect(named(report, 'wrong-folder')).toMatchObject([
      { severity: 'error', cause: expect.stringContaining(scratch.workspace) },
    ]);
  });

  test('a folder path that differs in upper and lower case', async () => {
    await scratch.serve();
    const other = join(scratch.root, 'Workspace');
    mkdirSync(other, { recursive: true });
    const report = await scratch.report({ cwd: other });
    expect(named(report, 'wrong-folder')).toMatchObject([
      {
        cause: expect.stringContaining('only in upper and lower case'),
        fix: { command: `cd ${scratch.workspace}` },
      },
    ]);
  });

  test('symlink: a companion that serves the folder by the name of a link', async () => {
    const link = join(scratch.root, 'link');
    symlinkSync(scratch.workspace, link);
    const { port } = await serveElse(426);
    claudeLock(port, [link]);
    const report = await scratch.report();
    expect(named(report, 'symlink')).toMatchObject([{ agent: 'claude', severity: 'error' }]);
    // Our companion writes the real path, wherever it was started.
    await scratch.serve([], { cwd: link });
    expect(named(await scratch.report({ cwd: link }), 'symlink')).toEqual([]);
  });

  test('proxy', async () => {
    await scratch.serve();
    const env = { HTTP_PROXY: 'http://user:hidden@proxy:3128' };
    const report = await scratch.report({ env });
    expect(named(report, 'proxy')).toMatchObject([{ severity: 'warning' }]);
    expect(JSON.stringify(report)).not.toContain('hidden');
    expect(named(await scratch.report({ env: { ...env, NO_PROXY: 'a.b,127.0.0.1' } }), 'proxy')).toEqual([]);
  });

  test('wrong token', async () => {
    const companion = await scratch.serve();
    for (const agent of ['gemini', 'claude']) {
      const file = await fileOf(companion, agent);
      const content = JSON.parse(readFileSync(file, 'utf8'));
      scratch.put(file, { ...content, authToken: 'another-token-than-that' });
    }
    const report = await scratch.report();
    expect(named(report, 'wrong-token').map(({ agent, severity }) => [agent, severity])).toEqual([
      ['claude', 'error'],
      ['gemini', 'error'],
    ]);
    expect(report.agents[0]?.connection.kind).toBe('nothing');
  });

  test('gate: a file that does not name the IDE, in a terminal that the CLI does not know', async () => {
    const { port } = await serveElse(400);
    scratch.put(join(scratch.home, '.qwen/ide', `${port}.lock`), {
      port,
      workspacePath: scratch.workspace,
      authToken: 'a-token-of-another',
      ppid: process.pid,
      ideName: 'Other IDE',
    });
    const report = await scratch.report();
    expect(named(report, 'gate')).toMatchObject([{ agent: 'qwen', severity: 'error' }]);
    const known = await scratch.report({ env: { TERM_PROGRAM: 'vscode' } });
    expect(named(known, 'gate')).toEqual([]);
  });

  test('auto mode, by the settings or because they name none', async () => {
    await scratch.serve();
    scratch.put(join(scratch.home, '.gemini/settings.json'), {
      ide: { enabled: true },
      general: { defaultApprovalMode: 'auto_edit' },
    });
    scratch.put(join(scratch.home, '.qwen/settings.json'), { ide: { enabled: true } });
    // 0.15 starts in a mode that asks.
    expect(named(await scratch.report(), 'no-diffs').map(({ agent }) => agent)).toEqual(['gemini']);
    scratch.install('qwen', '0.24.4');
    scratch.put(join(scratch.workspace, '.claude/settings.local.json'), {
      permissions: { defaultMode: 'acceptEdits' },
    });
    const report = await scratch.report();
    expect(named(report, 'no-diffs').map(({ agent, fix }) => [agent, fix.command])).toEqual([
      ['claude', 'claude --permission-mode default'],
      ['gemini', 'gemini --approval-mode default'],
      ['qwen', 'qwen --approval-mode default'],
    ]);
  });

  test('IDE mode is off', async () => {
    await scratch.serve();
    for (const folder of ['.gemini', '.qwen'])
      scratch.put(join(scratch.home, folder, 'settings.json'), { ide: { enabled: false } });
    const report = await scratch.report();
    expect(named(report, 'ide-mode-off').map(({ agent, fix }) => [agent, fix.place])).toEqual([
      ['gemini', 'agent'],
      ['qwen', 'shell'],
    ]);
  });

  test('shell and companion have other temporary folders and homes', async () => {
    await scratch.serve();
    const other = join(scratch.root, 'other');
    mkdirSync(other);
    const inOtherTmp = await scratch.report({ env: { TMPDIR: other } });
    expect(named(inOtherTmp, 'elsewhere')).toMatchObject([
      { agent: 'gemini', fix: { command: `export TMPDIR='${scratch.tmpdir}'` } },
    ]);
    const inOtherHome = await scratch.report({ env: { QWEN_HOME: other } });
    expect(named(inOtherHome, 'elsewhere')).toMatchObject([
      { agent: 'qwen', fix: { command: `export QWEN_HOME='${scratch.home}/.qwen'` } },
    ]);
    const claude = await scratch.serve(['--agents', 'claude'], {
      cwd: other,
      env: { CLAUDE_CONFIG_DIR: other },
    });
    const report = await scratch.report({ cwd: other });
    expect(named(report, 'elsewhere')).toMatchObject([
      { agent: 'claude', fix: { command: `export CLAUDE_CONFIG_DIR='${other}'` } },
    ]);
    expect(named(report, 'not-served').map(({ agent }) => agent)).toEqual(['copilot', 'gemini', 'qwen']);
    await claude.signal('SIGTERM');
  });

  test('a discovery file that was deleted, and one that could not be written', async () => {
    writeFileSync(join(scratch.home, '.claude/ide'), 'no folder');
    const companion = await scratch.serve();
    unlinkSync(await fileOf(companion, 'gemini'));
    const report = await scratch.report();
    expect(named(report, 'file-gone')).toMatchObject([{ agent: 'gemini', severity: 'error' }]);
    expect(named(report, 'not-written')).toMatchObject([
      { agent: 'claude', cause: expect.stringContaining('is not a folder') },
    ]);
  });

  test('files and folders that others may read or write', async () => {
    // Tandem itself would soon make its file private again.
    const { port } = await serveElse(400);
    const file = claudeLock(port, [scratch.workspace]);
    const folder = join(scratch.home, '.claude/ide');
    chmodSync(file, 0o644);
    expect(named(await scratch.report(), 'open-file')).toEqual([]);
    chmodSync(folder, 0o777);
    const report = await scratch.report();
    expect(named(report, 'open-file')).toMatchObject([
      { files: [file], fix: { command: `chmod 600 ${file}` } },
    ]);
    expect(named(report, 'open-folder')).toMatchObject([{ fix: { command: `chmod 700 ${folder}` } }]);
  });

  test('versions that no test runs, and a Node.js that is too old for one', async () => {
    await scratch.serve();
    scratch.install('claude', '9.9.9');
    scratch.install('qwen', '0.24.4');
    scratch.install('node', 'v20.19.0');
    const report = await scratch.report();
    expect(named(report, 'untested-version')).toMatchObject([{ agent: 'claude', severity: 'note' }]);
    expect(named(report, 'old-node')).toMatchObject([{ agent: 'qwen', severity: 'error' }]);
  });

  test('the hook of an installation that is gone, until it is installed again', async () => {
    const settings = join(scratch.home, '.claude/settings.json');
    const missing = async () => named(await scratch.report(), 'missing-hook');
    await scratch.command(['hook', 'install', 'claude', '--yes']);
    expect(await missing()).toEqual([]);
    writeFileSync(settings, readFileSync(settings, 'utf8').replaceAll(/ \S+hook\.sh/g, ' /gone/hook.sh'));
    expect(await missing()).toMatchObject([
      { agent: 'claude', files: ['/gone/hook.sh'], fix: { command: 'tandem hook install claude' } },
    ]);
    await scratch.command(['hook', 'install', 'claude', '--yes']);
    expect(await missing()).toEqual([]);
  });

  test('sharing is paused', async () => {
    await scratch.serve();
    await scratch.command(['share', 'pause']);
    expect(named(await scratch.report(), 'sharing-paused')).toHaveLength(1);
  });
});

test('reports nothing about a folder with only files of other programs', async () => {
  mkdirSync(join(scratch.home, '.claude/ide/5.lock'), { recursive: true });
  symlinkSync('/etc/passwd', join(scratch.home, '.claude/ide/6.lock'));
  const report = await scratch.report({}, '--fix');
  expect(named(report, 'broken-file')).toHaveLength(2);
  expect(readdirSync(join(scratch.home, '.claude/ide'))).toEqual(['5.lock', '6.lock']);
});
