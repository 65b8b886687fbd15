import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentIds } from '@tandem/companion/agents';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ScriptedAgent } from './support/scriptedAgent.js';
import { Scratch, type TandemProcess } from './support/tandemProcess.js';

let scratch: Scratch;
const agents: ScriptedAgent[] = [];
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.end()));
  await scratch.dispose();
});

async function connect(
  companion: TandemProcess,
  agent: 'gemini' | 'qwen' = 'gemini',
): Promise<ScriptedAgent> {
  const connected = await ScriptedAgent.connect((await companion.event('ready')).agents[agent].discovery[0]);
  agents.push(connected);
  return connected;
}

/** Loaded first into the companion: throws an uncaught error on SIGUSR2. */
const failOnSignal = `data:text/javascript,${encodeURIComponent(
  "process.on('SIGUSR2', () => setImmediate(() => { throw new Error('it broke'); }));",
)}`;

describe('tandem serve --json', () => {
  test('prints how to connect each agent, then events, and nothing else', async () => {
    const path = scratch.write('a.txt', 'one\n');
    const companion = await scratch.serve();
    const ready = JSON.parse(companion.lines[0] ?? '');
    expect(Object.keys(ready)).toEqual(['event', 'pid', 'workspaceFolders', 'agents', 'page']);
    expect(ready).toMatchObject({
      event: 'ready',
      pid: companion.pid,
      workspaceFolders: [scratch.workspace],
    });
    expect(Object.keys(ready.agents)).toEqual(agentIds);
    const ports = new Set<string>();
    for (const [id, agent] of Object.entries<Record<string, unknown>>(ready.agents)) {
      // They have neither a token nor a file of their own.
      if (['codex', 'kilo', 'opencode', 'pi'].includes(id)) continue;
      expect(Object.keys(agent)).toEqual(['url', 'token', 'discovery', 'env']);
      if (id === 'copilot') {
        const [file = ''] = agent.discovery as string[];
        const { socketPath, headers } = JSON.parse(readFileSync(file, 'utf8'));
        expect(socketPath).toBe(agent.url);
        expect(headers.Authorization).toBe(`Nonce ${agent.token}`);
        continue;
      }
      const url = new URL(String(agent.url));
      ports.add(url.port);
      expect(String(agent.url)).toBe(
        id === 'claude' ? `ws://127.0.0.1:${url.port}/` : `http://127.0.0.1:${url.port}/mcp`,
      );
      expect(String(agent.token)).toMatch(id === 'claude' ? /^[\w-]{86}$/ : /^[\w-]{43}$/);
      for (const file of agent.discovery as string[]) {
        expect(JSON.parse(readFileSync(file, 'utf8')).authToken).toBe(agent.token);
        expect(statSync(file).mode & 0o777).toBe(0o600);
      }
      expect(Object.values(agent.env as object).every((value) => typeof value === 'string')).toBe(true);
    }
    expect(ports.size).toBe(1);

    const agent = await connect(companion);
    const { session, ...connected } = await companion.event('session.connected');
    expect(connected).toEqual({
      event: 'session.connected',
      agent: 'gemini',
      client: { name: 'streamable-http-client', version: '0.61.0' },
    });
    await agent.propose(path, 'two\n');
    expect(await companion.event('review.opened')).toEqual({
      event: 'review.opened',
      id: '1',
      path,
      agent: 'gemini',
      session,
    });
    await scratch.command(['share', 'pause']);
    await scratch.command(['review', 'reject']);
    expect(await companion.event('review.decided')).toEqual({
      event: 'review.decided',
      id: '1',
      outcome: 'rejected',
    });
    expect((await scratch.run(['stop'])).code).toBe(0);
    const { code, stdout, stderr } = await companion.ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).event),
    ).toEqual(['ready', 'session.connected', 'review.opened', 'review.decided', 'session.closed']);
    expect(scratch.discoveryFiles()).toEqual([]);
  });

  test('names each folder once, by its real path, with any name', async () => {
    const name = 'sp ace é "q" \n\u001b[2J';
    const folder = join(scratch.workspace, name);
    mkdirSync(folder);
    symlinkSync(folder, join(scratch.workspace, 'link'));
    const companion = await scratch.serve([name, 'link', join(folder, '..', name), '.']);
    const ready = await companion.event('ready');
    expect(ready.workspaceFolders).toEqual([folder, scratch.workspace]);
    expect(companion.lines[0]).not.toMatch(/\p{Cc}/u);
    const status = await scratch.command(['status']);
    expect(status.stdout).toContain('sp ace é "q" ␊␛[2J');
    expect(status.stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  test('serves only the agents that are named', async () => {
    const companion = await scratch.serve(['--agents', 'claude,gemini,claude']);
    const ready = await companion.event('ready');
    expect(Object.keys(ready.agents)).toEqual(['claude', 'gemini']);
    expect(existsSync(join(scratch.home, '.qwen'))).toBe(false);
    const { code, stderr } = await scratch.run(['run', 'qwen'], { env: { PATH: fakePath('qwen') } });
    expect([code, stderr]).toEqual([1, expect.stringContaining('does not serve Qwen Code')]);
  });

  test('writes the lock file of Claude Code where an option says, whatever the environment says [CLA-2 CLA-101]', async () => {
    const env = { CLAUDE_CONFIG_DIR: join(scratch.root, 'by environment') };
    const folder = join(scratch.root, 'by option');
    const companion = await scratch.serve(['--claude-config-dir', folder], { env });
    const { claude } = (await companion.event('ready')).agents;
    expect(claude.discovery).toEqual([expect.stringMatching(/\/by option\/ide\/\d+\.lock$/)]);
    expect(existsSync(claude.discovery[0])).toBe(true);
    expect(existsSync(env.CLAUDE_CONFIG_DIR)).toBe(false);
    // Agents that are started by the command look there.
    expect((await scratch.command(['env', '--shell', 'bash'])).stdout).toContain(
      `CLAUDE_CONFIG_DIR='${folder}'`,
    );
  });

  test('refuses other values of --when-closed', async () => {
    const { code, stderr } = await scratch.run(['serve', '--when-closed', 'forget']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Choose one of: reject, ask, keep')]);
  });

  test('honours CLAUDE_CONFIG_DIR and QWEN_HOME, and passes them on [CLA-2]', async () => {
    const env = { CLAUDE_CONFIG_DIR: join(scratch.root, 'c'), QWEN_HOME: join(scratch.root, 'q') };
    const companion = await scratch.serve([], { env });
    const { agents: served } = await companion.event('ready');
    expect(served.claude.discovery[0]).toMatch(`${env.CLAUDE_CONFIG_DIR}/ide/`);
    expect(served.qwen.discovery[0]).toMatch(`${env.QWEN_HOME}/ide/`);
    expect(served.claude.env.CLAUDE_CONFIG_DIR).toBe(env.CLAUDE_CONFIG_DIR);
    await companion.signal('SIGTERM');
    for (const file of [...served.claude.discovery, ...served.qwen.discovery])
      expect(existsSync(file)).toBe(false);
  });
});

describe('a companion that ends', () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    test(`on ${signal} withdraws pending reviews, and removes its files`, async () => {
      const companion = await scratch.serve();
      expect(scratch.discoveryFiles()).toHaveLength(8);
      const agent = await connect(companion);
      await agent.propose(scratch.write('a.txt', 'x'), 'y');
      const ended = await companion.signal(signal);
      expect([ended.code, ended.signal]).toEqual([code, null]);
      expect(await companion.event('review.decided')).toMatchObject({ outcome: 'withdrawn' });
      expect(scratch.discoveryFiles()).toEqual([]);
      expect(agent.client.received).not.toContain('ide/diffRejected');
    });
  }

  test('because of an uncaught error removes its files, and reports the error', async () => {
    const companion = await scratch.serve([], { env: { NODE_OPTIONS: `--import=${failOnSignal}` } });
    const { code, stderr } = await companion.signal('SIGUSR2');
    expect([code, stderr]).toEqual([1, 'tandem: it broke\n']);
    expect(scratch.discoveryFiles()).toEqual([]);
  });

  test('because its output is closed removes its files', async () => {
    const companion = await scratch.serve();
    const discovery = (await companion.event('ready')).agents.gemini.discovery[0];
    companion.child.stdout?.destroy();
    // Its coming is what would be written. It may lose the companion while it connects.
    await ScriptedAgent.connect(discovery).catch(() => undefined);
    const { code, stderr } = await companion.ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(scratch.discoveryFiles()).toEqual([]);
  });

  test('continues if its standard error is closed', async () => {
    writeFileSync(join(scratch.tmpdir, 'gemini'), 'in the way of a folder');
    const companion = scratch.start(['serve', '--json']);
    companion.child.stderr?.destroy();
    await companion.event('ready');
    expect((await scratch.command(['status'])).code).toBe(0);
  });

  test('while it starts leaves nothing behind', async () => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const companion = scratch.start(['serve', '--json']);
      await expect
        .poll(() => scratch.discoveryFiles().length, { interval: 1, timeout: 10_000 })
        .toBeGreaterThan(0);
      await companion.signal('SIGTERM');
      expect(scratch.discoveryFiles()).toEqual([]);
    }
  });

  test('while its start hangs ends within the limit, and says so', async () => {
    const [program, ...args] = scratch.commandLine(['serve', '--json']);
    const preloads = ['quickTime', 'neverReady'].flatMap((name) => [
      '--import',
      fileURLToPath(new URL(`./support/${name}.mjs`, import.meta.url)),
    ]);
    const companion = scratch.startProgram(program, [...preloads, ...args]);
    await companion.complained('never ready');
    const { code, stderr } = await companion.signal('SIGTERM');
    expect(code).toBe(143);
    expect(stderr).toContain('could not end in order within 10 s');
  });

  test('by SIGKILL leaves files that every command ignores and the next companion removes', async () => {
    const killed = await scratch.serve();
    await killed.signal('SIGKILL');
    expect(scratch.discoveryFiles()).toHaveLength(8);
    expect(await scratch.command(['status'])).toMatchObject({
      code: 3,
      stdout: 'No companion is running. Start one: tandem\n',
    });
    expect((await scratch.command(['review', 'list'])).code).toBe(3);
    await scratch.serve();
    for (const file of scratch.discoveryFiles()) {
      expect(JSON.parse(readFileSync(file, 'utf8')).tandem.pid).not.toBe(killed.pid);
    }
    expect(scratch.discoveryFiles()).toHaveLength(8);
  });

  test('ends only when it is idle', async () => {
    const companion = await scratch.serve(['--until-idle', '1']);
    const agent = await connect(companion);
    const following = scratch.start(['trace', '--follow']);
    await following.said('initialize');
    await agent.end();
    await companion.event('session.closed');
    const startedAt = Date.now();
    await following.signal('SIGTERM');
    expect((await companion.ended).code).toBe(0);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_000);
    expect(scratch.discoveryFiles()).toEqual([]);
  });
});

describe('tandem serve for users', () => {
  test('prints how to connect, then one line per event, without colours on a pipe', async () => {
    scratch.write('a.txt', 'one\n');
    // The project has one of the agents.
    scratch.write('node_modules/.bin/gemini', '');
    chmodSync(join(scratch.workspace, 'node_modules/.bin/gemini'), 0o755);
    const companion = scratch.start(['serve'], { env: { PATH: join(scratch.root, 'bin') } });
    await companion.said('Review their changes:');
    expect(companion.stdout).toContain(
      `Tandem ${(await scratch.run(['--version'])).stdout.trim()} serves ${scratch.workspace}`,
    );
    expect(companion.stdout).toMatch(/ {2}Gemini CLI +tandem run gemini\n/);
    expect(companion.stdout).toMatch(/ {2}Not installed: .*Qwen Code/);
    const [file = ''] = scratch.discoveryFiles().filter((path) => path.includes('gemini-ide-server'));
    const agent = await ScriptedAgent.connect(file);
    agents.push(agent);
    await companion.said('connected     gemini  streamable-http-client 0.61.0');
    await agent.propose(join(scratch.workspace, 'a.txt'), 'two\n');
    await companion.said('review 1      gemini  a.txt  tandem review show 1');
    await scratch.command(['review', 'accept']);
    await companion.said('review 1      accepted');
    await scratch.command(['share', 'pause']);
    await companion.said('sharing is paused');
    const { stdout, stderr } = await companion.signal('SIGINT');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('Stopped. Discovery files are removed.');
    expect([stderr, stdout.replaceAll('\n', '').match(/\p{Cc}/u)]).toEqual(['', null]);
  });

  test('reports that edited text is kept when the agent disconnects', async () => {
    const companion = scratch.start(['serve']);
    await companion.said('Review their changes:');
    const [file = ''] = scratch.discoveryFiles().filter((path) => path.includes('gemini-ide-server'));
    const agent = await ScriptedAgent.connect(file);
    await agent.propose(scratch.write('a.txt', 'one\n'), 'two\n');
    await scratch.command(['review', 'edit'], { env: { EDITOR: 'printf mine >' } });
    await agent.end();
    await companion.said('review 1      withdrawn  your text is kept: tandem review show 1 --content');
    expect((await scratch.command(['review', 'show', '1', '--content'])).stdout).toBe('mine\n');
  });

  test('reports a discovery folder that is a link, and serves the other agents', async () => {
    const elsewhere = join(scratch.root, 'elsewhere');
    for (const folder of [elsewhere, join(scratch.home, '.claude')]) mkdirSync(folder);
    symlinkSync(elsewhere, join(scratch.home, '.claude', 'ide'));
    const companion = scratch.start(['serve']);
    await companion.said('Review their changes:');
    expect(companion.stdout).toContain(`${join(scratch.home, '.claude/ide')} is a symbolic link.`);
    expect((await scratch.command(['status'])).stdout).toContain('is a symbolic link.');
    expect(scratch.discoveryFiles()).toHaveLength(7);
  });

  test('names the companion that already serves the folder, and starts a second one only with --another', async () => {
    const first = await scratch.serve();
    const { code, stdout, stderr } = await scratch.run(['serve']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(
      `A companion already serves ${scratch.workspace} (process ${first.pid}, Tandem).`,
    );
    expect(stderr).toMatch(/tandem page --open\n(.*\n)*.*tandem serve --another\n$/);
    const second = scratch.start(['serve', '--another']);
    await second.said(`Another companion (process ${first.pid}) serves ${scratch.workspace}.`);
  });

  test('reports another companion of the same folders', async () => {
    mkdirSync(join(scratch.workspace, 'sub'));
    const outer = await scratch.serve();
    const inner = scratch.start(['serve', 'sub']);
    await inner.said(`Another companion (process ${outer.pid}) serves ${scratch.workspace}.`);
  });
});

describe('a folder that cannot be served', () => {
  test('is reported as wrong usage', async () => {
    scratch.write('a.txt');
    for (const [args, words] of [
      [['none'], `${join(scratch.workspace, 'none')} does not exist or cannot be read.`],
      [['a.txt'], 'a.txt is not a folder. Name its folder.'],
      [['.', '--agents', 'cursor'], `There is no agent "cursor". Choose from ${agentIds.join(', ')}.`],
      [['.', '--record', 'none/here'], 'none/here cannot be written'],
      [['.', '--until-idle', '-3'], 'It must be a whole number of at least 1.'],
    ] as const) {
      const { code, stdout, stderr } = await scratch.run(['serve', ...args]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(words);
    }
    expect(scratch.discoveryFiles()).toEqual([]);
  });

  test('because the state folder cannot be created ends with 1, and says what to do', async () => {
    writeFileSync(join(scratch.state, 'tandem'), '');
    const { code, stderr } = await scratch.run(['serve', '--json']);
    expect(code).toBe(1);
    expect(stderr).toContain(join(scratch.state, 'tandem'));
    expect(scratch.discoveryFiles()).toEqual([]);
  });
});

describe('what agents receive', () => {
  test('can be narrowed and widened with --deny, --gitignore and --untrusted', async () => {
    for (const name of ['.env', '.env.example', 'private.txt', 'ignored.txt', 'open.txt'])
      scratch.write(name, 'x\n');
    scratch.write('.gitignore', 'ignored.txt\n');
    const companion = await scratch.serve([
      '--deny',
      'private.*',
      '--deny',
      '!.env.example',
      '--gitignore',
      '--untrusted',
    ]);
    const agent = await connect(companion);
    const { params } = await agent.client.next('ide/contextUpdate');
    expect(params.workspaceState.isTrusted).toBe(false);
    const focus = async (name: string) => (await scratch.command(['focus', name])).stdout;
    expect(await focus('.env')).toContain('Hidden from all agents: .env, because it matches the deny list');
    expect(await focus('private.txt')).toContain('because it matches the deny list (private.*)');
    expect(await focus('ignored.txt')).toContain('because .gitignore excludes it');
    expect(await focus('.env.example')).toBe('Shared: .env.example\n');
    expect(await focus('open.txt')).toBe('Shared: open.txt\n');
    await agent.client.until(() => agent.client.received.includes('open.txt'));
    for (const secret of ['.env"', 'private.txt', 'ignored.txt']) {
      expect(agent.client.received).not.toContain(secret);
    }
  });

  test('is recorded in a file private to this user, without tokens, and without contents unless requested', async () => {
    const path = scratch.write('a.txt', 'the-original\n');
    for (const [args, holdsContent] of [
      [['--record', 'r1.jsonl'], false],
      [['--record', 'r2.jsonl', '--record-contents'], true],
    ] as const) {
      const companion = await scratch.serve(args);
      const agent = await connect(companion);
      await agent.propose(path, 'the-proposal\n');
      const ready = await companion.event('ready');
      const file = join(scratch.workspace, args[1]);
      const text = readFileSync(file, 'utf8');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).message.method),
      ).toContain('tools/call');
      expect(text.includes('the-proposal')).toBe(holdsContent);
      for (const { token } of Object.values<{ token: string }>(ready.agents))
        expect(text).not.toContain(token);
      await agent.end();
      await companion.signal('SIGTERM');
    }
  });
});

/** A search path with a program of this name, and Node. */
function fakePath(program: string): string {
  const bin = join(scratch.root, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, program), '#!/bin/sh\n', { mode: 0o755 });
  return `${bin}:${process.env.PATH}`;
}

test.each([
  ['--history-reviews', '1', 'It has: 2.'],
  ['--history-days', '0', 'It has: none.'],
])('%s %s limits the history', async (option, value, kept) => {
  const companion = await scratch.serve([option, value]);
  const agent = await connect(companion);
  for (const [id, content] of ['1\n', '2\n'].entries()) {
    await agent.propose(scratch.write('a.txt', 'one\n'), content);
    await scratch.command(['review', 'accept', String(id + 1)]);
  }
  expect(await scratch.command(['restore', '1'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(kept),
  });
});
