import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Scratch } from './support/tandemProcess.js';

let scratch: Scratch;
let settings: string;
beforeEach(() => {
  scratch = new Scratch();
  settings = join(scratch.home, '.claude/settings.json');
  mkdirSync(dirname(settings));
});
afterEach(() => scratch.dispose());

const read = (): string => readFileSync(settings, 'utf8');
const hook = (words: string, env = {}) => scratch.command(['hook', ...words.split(' ')], { env });
const commandIn = (text: string): string =>
  JSON.parse(text).hooks.PermissionRequest.at(-1).hooks.at(-1).command;

describe('tandem hook', () => {
  test('adds the hook once, shows it first, and removes it without a trace', async () => {
    const before = '{\n    "model": "x",\n    "hooks": {\n        "Stop": []\n    }\n}';
    const target = join(scratch.root, 'dotfiles.json');
    writeFileSync(target, before, { mode: 0o640 });
    symlinkSync(target, settings);
    const asked = await hook('install claude');
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(asked.stdout).toContain(settings);
    expect(asked.stdout).toContain('"PermissionRequest"');
    expect(read()).toBe(before);
    const { code, stdout } = await hook('install claude --yes');
    expect([code, stdout]).toEqual([0, expect.stringContaining('tandem hook remove claude')]);
    const added = read();
    expect(added).toContain('\n    "model": "x"');
    expect(asked.stdout).toContain(JSON.stringify(commandIn(added)));
    expect(JSON.parse(added).hooks.PermissionRequest).toEqual([
      {
        matcher: 'Edit|Write',
        hooks: [{ type: 'command', command: commandIn(added), timeout: 86_400 }],
      },
    ]);
    expect([readlinkSync(settings), statSync(target).mode & 0o777]).toEqual([target, 0o640]);
    expect((await hook('install claude')).stdout).toContain('already');
    expect(read()).toBe(added);
    expect((await hook('remove claude --yes')).code).toBe(0);
    expect(read()).toBe(before);
    expect((await hook('remove claude')).stdout).toContain('is not in');
  });

  test('replaces its hook of another installation, in the folder that Claude Code uses', async () => {
    const folder = scratch.folder('config');
    const env = { CLAUDE_CONFIG_DIR: folder };
    settings = join(folder, 'settings.json');
    expect((await hook('install claude --yes', env)).code).toBe(0);
    const added = read();
    expect(added.endsWith('}\n')).toBe(true);
    writeFileSync(settings, added.replace(/ \S+tandem\.js/, ' /elsewhere/tandem.js'));
    expect((await hook('install claude --yes', env)).code).toBe(0);
    expect(read()).toBe(added);
  });

  test.each([
    ['not JSON', () => writeFileSync(settings, '{"secret": 1')],
    ['JSON with comments', () => writeFileSync(settings, '// secret\n{}')],
    ['of another form', () => writeFileSync(settings, '{"hooks": ["secret"]}')],
    ['not text', () => writeFileSync(settings, Buffer.from([0xff, 0xfe, 0]))],
    ['a named pipe', () => void execFileSync('mkfifo', [settings])],
    ['a folder', () => mkdirSync(settings)],
    ['endless', () => symlinkSync('/dev/zero', settings)],
  ])('leaves settings alone that are %s', async (_case, make) => {
    make();
    const isFile = statSync(settings).isFile();
    const before = isFile ? readFileSync(settings) : undefined;
    for (const change of ['install', 'remove']) {
      const { code, stdout, stderr } = await hook(`${change} claude --yes`);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`${settings} cannot be changed: `);
      expect(stderr).not.toContain('secret');
    }
    if (isFile) expect(readFileSync(settings)).toEqual(before);
  });

  test('knows only agents with such a hook', async () => {
    expect((await hook('install gemini')).code).toBe(2);
    expect(existsSync(join(scratch.home, '.gemini'))).toBe(false);
  });
});

describe('the hook', () => {
  const request = {
    hook_event_name: 'PermissionRequest',
    tool_name: 'Write',
    tool_input: { file_path: '/w/a.txt', content: 'x' },
  };
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  /** The command that Claude Code runs. */
  async function command(): Promise<string> {
    if (!existsSync(settings)) await hook('install claude --yes');
    return commandIn(read());
  }
  /** Runs it as Claude Code does: in a shell that is a child of this process. */
  const start = (line: string, input: string | undefined) =>
    scratch.startProgram('/bin/sh', ['-c', line], input === undefined ? {} : { input });
  const run = async (input = JSON.stringify(request)) => start(await command(), input).ended;

  /** A companion that answers the question of the hook in a way of its own. */
  async function companion(answer: (response: ServerResponse, body: string) => void): Promise<Server> {
    const server = createServer(async (incoming, response) => {
      let body = '';
      for await (const chunk of incoming) body += chunk;
      if (incoming.url === '/identity') response.end(JSON.stringify({ pid: process.pid }));
      else answer(response, body);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('It does not listen.');
    const folder = join(scratch.state, 'tandem/companions');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const registration = { token: 't', version: '1', editor: 'x', workspaceFolders: [], pid: process.pid };
    const name = `${servers.length}-${process.pid}-abc123.json`;
    writeFileSync(join(folder, name), JSON.stringify({ ...registration, port: address.port }), {
      mode: 0o600,
    });
    return server;
  }
  const nothing = { code: 0, stdout: '' };

  test('rejects with the text of the companion that serves its agent, and sends it the question', async () => {
    const bodies: string[] = [];
    await companion((response) => response.end(JSON.stringify({ result: {} })));
    await companion((response, body) => {
      bodies.push(body);
      response.end(JSON.stringify({ result: { text: 'No.\nKeep it.' } }));
    });
    const { code, stdout } = await run();
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: { behavior: 'deny', message: 'No.\nKeep it.' },
      },
    });
    expect(bodies.map((body) => JSON.parse(body))).toEqual([{ agent: 'claude', pid: process.pid, request }]);
  });

  test.each([
    ['nothing', (response: ServerResponse) => response.end('{"result":{}}')],
    ['garbage', (response: ServerResponse) => response.end('{"result":{"text":7}}')],
    ['that it does not know the question', (response: ServerResponse) => response.writeHead(404).end('{}')],
    ['half of an answer', (response: ServerResponse) => void response.write('{', () => response.destroy())],
  ])('does nothing if the companion answers %s', async (_case, answer) => {
    await companion(answer);
    expect(await run()).toMatchObject(nothing);
  });

  test('does nothing if the companion ends while it waits', async () => {
    const asked = new Promise<void>((resolve) => void companion(() => resolve()));
    const running = start(await command(), JSON.stringify(request));
    await asked;
    servers[0]?.closeAllConnections();
    expect(await running.ended).toMatchObject(nothing);
  });

  test('does nothing without a companion, with a silent one, or without a question', async () => {
    expect(await run()).toMatchObject(nothing);
    const silent = await scratch.serve();
    silent.child.kill('SIGSTOP');
    expect(await run()).toMatchObject(nothing);
    for (const input of ['', 'not JSON', '7', 'null']) expect(await run(input)).toMatchObject(nothing);
  });

  test('does nothing if Tandem is removed, or does not know the hook any more', async () => {
    const line = await command();
    const [, installed = ''] = /(\S+tandem\.js)/.exec(line) ?? [];
    const removed = start(line.replace(installed, '/gone/tandem.js'), '').ended;
    const unknown = start(line.replace(' hook run ', ' no-hook run '), '').ended;
    expect([await removed, await unknown]).toMatchObject([nothing, nothing]);
  });
});
