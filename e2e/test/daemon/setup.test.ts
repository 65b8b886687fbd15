import { mkdir, readFile, symlink } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DaemonChat, DaemonIdeConnection, startDaemon } from '@tandem/chat';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { DaemonStage, startOptions } from '../../src/daemon/daemonStage.js';
import { say } from '../../src/model/turn.js';
import { pinned } from '../../src/pinnedPrograms.js';

/** Setup errors: each is reported with a solution and not retried. */
let stage: DaemonStage;
beforeAll(async () => {
  stage = await DaemonStage.open();
});
afterAll(() => stage.dispose());

async function problemOf(options: {
  readonly baseUrl?: string;
  readonly token?: string;
  readonly folder?: string;
}) {
  const { url, token } = stage.daemon;
  const chat = new DaemonChat({ baseUrl: url, token, folder: stage.workspace, ...options });
  onTestFinished(() => chat.dispose());
  const error: unknown = await chat.connect().catch((thrown: unknown) => thrown);
  expect(chat.model.connection).toMatchObject({ state: 'disconnected', problem: { kind: kindOf(error) } });
  expect(String(error)).not.toContain(token);
  return error;
}

describe('a setup error', () => {
  it('is a wrong token', async () => {
    const error = await problemOf({ token: 'a-wrong-one' });
    expect(error).toMatchObject({ kind: 'unauthorized', isSetup: true });
    expect(String(error)).not.toContain('a-wrong-one');
  });

  it('is a missing token, even if the environment contains one [DMN-22]', async () => {
    vi.stubEnv('QWEN_SERVER_TOKEN', stage.daemon.token);
    onTestFinished(() => void vi.unstubAllEnvs());
    const connection = new DaemonIdeConnection();
    await expect(connection.connect({ baseUrl: stage.daemon.url })).rejects.toMatchObject({
      kind: 'unauthorized',
    });
  });

  it('is another folder [DMN-10]', async () => {
    const folder = await stage.sandbox.folder('another');
    const error = await problemOf({ folder });
    expect(error).toMatchObject({ kind: 'workspace_mismatch', isSetup: true });
    expect(String(error)).toContain(folder);
    expect(String(error)).toContain(stage.workspace);
    const connection = new DaemonIdeConnection();
    await expect(connection.connect({ ...stage.ideOptions(), workspaceCwd: folder })).rejects.toMatchObject({
      kind: 'workspace_mismatch',
    });
  });

  it('is a subfolder', exhaustive, async () => {
    const folder = stage.path('below');
    await mkdir(folder);
    expect(await problemOf({ folder })).toMatchObject({ kind: 'workspace_mismatch' });
  });

  it('is a missing daemon', exhaustive, async () => {
    const port = await freePort();
    const error = await problemOf({ baseUrl: `http://127.0.0.1:${port}` });
    expect(error).toMatchObject({ kind: 'unreachable' });
    expect(String(error)).toContain('qwen serve');
  });

  it('is another program', exhaustive, async () => {
    const url = await serve((response) => response.writeHead(404).end());
    expect(await problemOf({ baseUrl: url })).toMatchObject({ kind: 'incompatible', isSetup: true });
  });

  it('is a redirect, which is not followed', async () => {
    const url = await serve((response) => response.writeHead(307, { location: stage.daemon.url }).end());
    expect(await problemOf({ baseUrl: url })).toMatchObject({ kind: 'incompatible', isSetup: true });
  });

  it('is a daemon without a model provider', exhaustive, async () => {
    const bare = await DaemonStage.open({ hasAuth: false });
    onTestFinished(() => bare.dispose());
    const error: unknown = await bare
      .chat()
      .chat.connect()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'no_auth_configured', isSetup: true });
    expect(String(error)).toContain('/auth');
  });
});

describe('a folder', () => {
  it('may be a symlink', exhaustive, async () => {
    const link = `${stage.sandbox.root}/link`;
    await symlink(stage.workspace, link);
    const user = stage.chat({ folder: link });
    await user.chat.connect();
    expect(user.model.session?.folder).toBe(stage.workspace);
  });
});

describe('startDaemon', () => {
  it('listens on IPv6, where a chat works, and leaves no process behind', exhaustive, async () => {
    const { token, url, pid, stop } = await startDaemon({
      ...startOptions(stage.sandbox, stage.workspace),
      hostname: '::1',
    });
    onTestFinished(stop);
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    const chat = new DaemonChat({ baseUrl: url, token, folder: stage.workspace });
    onTestFinished(() => chat.dispose());
    stage.model.script(say('By six.'));
    await chat.connect();
    await chat.send('Hello');
    await new Promise<void>((resolve) => {
      chat.onDidChange(({ model }) => {
        if (model.items.at(-1)?.kind === 'assistant') resolve();
      });
    });
    expect(chat.model.items.at(-1)).toMatchObject({ text: 'By six.' });
    await stop();
    expect(() => process.kill(-pid, 0)).toThrow(/ESRCH/);
  });

  it('passes the token in no argument', async () => {
    const { pid, token } = stage.daemon;
    expect(await readFile(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(token);
  });

  it.each([
    ['a program that is missing', ['no-such-program'], /npm install -g @qwen-code\/qwen-code/],
    ['a version that is too old', [process.execPath, pinned.qwen015], /Update it to 0\.24 or later/],
    [
      'a program that fails',
      [process.execPath, '-e', 'console.error("on purpose"); process.exit(3)'],
      /on purpose/,
    ],
  ])('reports %s', exhaustive, async (_name, command, message) => {
    const options = { ...startOptions(stage.sandbox, stage.workspace), command };
    const error: unknown = await startDaemon(options).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'not_started', message: expect.stringMatching(message) });
  });
});

function kindOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'kind' in error ? error.kind : error;
}

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => answer(response));
  onTestFinished(() => close(server));
  return `http://127.0.0.1:${await listen(server)}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await close(server);
  return port;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
