import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endsWithin } from '../../../test/machineTime.js';
import { diagnosis } from '../src/codex/diagnosis.js';
import { socketPath } from '../src/codex/discovery.js';
import { frameLimitMs } from '../src/codex/peer.js';
import { maxPeers } from '../src/codex/router.js';
import { rejoinMs } from '../src/codex/sharedSocket.js';
import { maxFrameBytes, maxSkippedBytes } from '../src/codex/wire.js';
import { agents, type RunningProtocol } from '../src/index.js';
import { CodexClient } from './support/codexClient.js';
import { createSignals } from './support/signals.js';
import { Stage } from './support/stage.js';

let home: string;
let path: string;
const stages: Stage[] = [];
const closing: (() => void)[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'h-'));
  path = join(home, '.codex/ipc/ipc.sock');
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0)) close();
  for (const stage of stages.splice(0)) await stage.close();
});

interface Served {
  readonly stage: Stage;
  readonly running: RunningProtocol;
}

/** A companion whose only open file is named after its folder. */
async function serve(folder: string, env: Record<string, string> = {}): Promise<Served> {
  const file = join(folder, 'file.ts');
  const stage = await Stage.create({
    files: { [file]: '' },
    editor: { folders: [folder] },
    machine: { home, env },
  });
  stages.push(stage);
  stage.editor.user.focus(file);
  return { stage, running: await stage.start(agents.codex) };
}

/** The file that the answer for a folder names, or the error. */
async function fileFor(folder: string): Promise<string> {
  const { error, result } = await CodexClient.ask(path, folder);
  return error ?? result.ideContext.activeFile.fsPath;
}

/** Asks again until the answer is this one: a companion is taking over. */
async function whenAnswered(folder: string, expected: string): Promise<void> {
  for (;;) {
    const answer = await fileFor(folder).catch(() => undefined);
    if (answer === expected) return;
    await new Promise(setImmediate);
  }
}

/** From now on, no limit of time passes by itself. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  closing.push(() => vi.useRealTimers());
}

async function client(): Promise<CodexClient> {
  const made = await CodexClient.connect(path);
  closing.push(() => made.close());
  return made;
}

/** Listens at the socket like a program of OpenAI. */
async function foreignRouter(): Promise<{ server: Server; next: () => Promise<CodexClient> }> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const clients: CodexClient[] = [];
  const signals = createSignals();
  const server = createServer((socket) => {
    clients.push(CodexClient.of(socket));
    closing.push(() => socket.destroy());
    signals.changed();
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  closing.push(() => server.close());
  return {
    server,
    async next() {
      await signals.until(() => clients.length > 0);
      return clients.shift() as CodexClient;
    },
  };
}

/** Leaves a socket at which no process listens, as one that was killed does. */
async function leaveDeadSocket(): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const server = createServer();
  const name = join(home, 'name');
  await new Promise<void>((resolve) => server.listen(name, resolve));
  // Node removes a socket under the name with which it was made.
  renameSync(name, path);
  await new Promise((resolve) => server.close(resolve));
  expect(existsSync(path)).toBe(true);
}

describe('the socket', () => {
  it('is in CODEX_HOME, only for its user, and goes with the companion [CDX-1 CDX-2 CDX-3]', async () => {
    const { running } = await serve('/w');
    expect(running.url).toBe(path);
    expect([statSync(dirname(path)).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readdirSync(dirname(path)).sort()).toEqual(['ipc.sock', 'ipc.sock.owner']);
    expect([running.environment(), running.discovery()]).toEqual([{}, []]);
    running.stop();
    expect(readdirSync(dirname(path))).toEqual([]);
    const moved = join(home, 'moved');
    const { running: other } = await serve('/w', { CODEX_HOME: moved });
    expect(other.url).toBe(join(moved, 'ipc/ipc.sock'));
  });

  it('is answered by the one used last of several companions in one folder [CDX-20]', async () => {
    const [first, second] = [await serve('/w'), await serve('/w')];
    let uses = 0;
    for (const { stage } of [first, second, first]) {
      const use = ++uses;
      const file = `/w/${use}.ts`;
      stage.files.write(file, '');
      stage.editor.user.focus(file);
      stage.host.usedAt = () => use;
      expect(await fileFor('/w')).toBe(file);
    }
  });

  it('is a named pipe on Windows [CDX-1]', () => {
    const machine = { platform: 'win32', home: 'C:\\Users\\x', tmpdir: 'C:\\t', env: {} } as const;
    expect(socketPath(machine)).toBe('\\\\.\\pipe\\codex-ipc');
  });

  it('is not made where its path is too long, and the reason names the variable [CDX-1]', async () => {
    const long = join(home, 'x'.repeat(100));
    const { running, stage } = await serve('/w', { CODEX_HOME: long });
    expect(running.problem?.()).toContain('too long');
    expect(running.problem?.()).toContain('CODEX_HOME');
    expect(stage.problems).toEqual(['Codex CLI cannot be served']);
    expect(existsSync(long)).toBe(false);
  });

  it('is not made in a folder that is a link, until the user removes it [CDX-4]', async () => {
    mkdirSync(join(home, '.codex'));
    mkdirSync(join(home, 'other'), { mode: 0o700 });
    symlinkSync(join(home, 'other'), dirname(path));
    const { running, stage } = await serve('/w');
    expect(running.problem?.()).toContain('is a symbolic link');
    expect(stage.problems).toEqual(['Codex CLI cannot be served']);
    expect(readdirSync(join(home, 'other'))).toEqual([]);
    unlinkSync(dirname(path));
    await whenAnswered('/w', '/w/file.ts');
    expect(running.problem?.()).toBeUndefined();
  });

  it.each([
    ['its folder', () => dirname(path), 'belongs to another user'],
    ['the socket', () => path, 'is not a socket of your user'],
  ])('is not used if %s belongs to another user [CDX-4]', async (_what, of, problem) => {
    await leaveDeadSocket();
    // Only root can change an owner; otherwise this process takes itself for another user, and so all belongs to others.
    if (process.getuid?.() === 0) chownSync(of(), 65_534, 65_534);
    else vi.spyOn(process, 'geteuid').mockReturnValue(65_534);
    const { running, stage } = await serve('/w');
    expect(running.problem?.()).toContain(process.getuid?.() === 0 ? problem : 'belongs to another user');
    expect(stage.problems).toEqual(['Codex CLI cannot be served']);
    expect(existsSync(path)).toBe(true);
    await expect(CodexClient.connect(path)).rejects.toThrow('ECONNREFUSED');
  });

  it('makes its folder private [CDX-3]', async () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o777 });
    await serve('/w');
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  it('replaces one at which no process listens [CDX-18]', async () => {
    await leaveDeadSocket();
    await serve('/w');
    expect(await fileFor('/w')).toBe('/w/file.ts');
  });

  it('is made again if it is removed or replaced [CDX-19]', async () => {
    await serve('/w');
    unlinkSync(path);
    await whenAnswered('/w', '/w/file.ts');
  });
});

describe('several companions', () => {
  it('share one socket: the innermost folder answers [CDX-20]', async () => {
    await serve('/w');
    await serve('/w/inner');
    await serve('/other');
    for (const [folder, file] of [
      ['/w', '/w/file.ts'],
      ['/w/src', '/w/file.ts'],
      ['/w/inner', '/w/inner/file.ts'],
      ['/w/inner/src', '/w/inner/file.ts'],
      ['/other/x', '/other/file.ts'],
      ['/nowhere', 'no-client-found'],
    ] as const) {
      await whenAnswered(folder, file);
    }
  });

  it('continue when the owner ends: another takes over within a second [CDX-21]', async () => {
    const first = await serve('/w');
    const others = await Promise.all(['/x', '/y', '/z'].map((folder) => serve(folder)));
    for (const next of [first, ...others.slice(0, 2)]) {
      next.running.stop();
      expect(await endsWithin(1_000, whenAnswered('/z', '/z/file.ts'))).toBe(true);
    }
    expect(readdirSync(dirname(path)).sort()).toEqual(['ipc.sock', 'ipc.sock.owner']);
  });

  it('that start at once at a dead socket agree on one owner [CDX-18 CDX-20]', async () => {
    await leaveDeadSocket();
    const folders = Array.from({ length: 12 }, (_each, index) => `/w${index}`);
    await Promise.all(folders.map((folder) => serve(folder)));
    for (const folder of folders) await whenAnswered(folder, `${folder}/file.ts`);
    expect(readdirSync(dirname(path)).sort()).toEqual(['ipc.sock', 'ipc.sock.owner']);
  });
});

describe('another program that owns the socket', () => {
  it('is asked to register the companion, which answers its discovery and its requests [CDX-22]', async () => {
    const { next } = await foreignRouter();
    await serve('/w');
    const companion = await next();
    const { requestId, method, sourceClientId } = await companion.next(({ type }) => type === 'request');
    expect([method, sourceClientId]).toEqual(['initialize', 'initializing-client']);
    companion.send({
      type: 'response',
      requestId,
      resultType: 'success',
      method,
      result: { clientId: 'me' },
    });
    // What concerns other programs, also if it is large, is ignored.
    companion.send({ type: 'broadcast', method: 'x', params: 'x'.repeat(maxFrameBytes) });
    companion.send({ type: 'unknown' });
    const ask = async (workspaceRoot: string) => {
      const request = {
        type: 'request',
        requestId: workspaceRoot,
        method: 'ide-context',
        params: { workspaceRoot },
      };
      companion.send({ type: 'client-discovery-request', requestId: `can ${workspaceRoot}`, request });
      return (await companion.next((each) => each.requestId === `can ${workspaceRoot}`)).response;
    };
    expect(await ask('/elsewhere')).toEqual({ canHandle: false });
    expect(await ask('/w/src')).toEqual({ canHandle: true, folderDepth: 1, usedAt: 0 });
    expect(await companion.ask('/w/src')).toMatchObject({
      resultType: 'success',
      handledByClientId: 'me',
      result: { ideContext: { activeFile: { fsPath: '/w/file.ts' } } },
    });
    expect(await companion.request({ method: 'thread-follower-start-turn', params: {} })).toMatchObject({
      error: 'no-handler-for-request',
    });
  });

  it('keeps its socket, and a companion takes over when it ends [CDX-5 CDX-21]', async () => {
    const { server, next } = await foreignRouter();
    const before = statSync(path).ino;
    await serve('/w');
    const companion = await next();
    const { requestId } = await companion.next(({ type }) => type === 'request');
    expect(statSync(path).ino).toBe(before);
    companion.send({ type: 'response', requestId, resultType: 'success', result: { clientId: 'me' } });
    await companion.ask('/w');
    server.close();
    companion.close();
    await whenAnswered('/w', '/w/file.ts');
  });

  it('that never answers keeps its socket, and the user is informed once [CDX-5 CDX-23]', async () => {
    const { next } = await foreignRouter();
    const before = statSync(path).ino;
    const { stage, running } = await serve('/w');
    // Closed without an answer, twice.
    (await next()).close();
    (await next()).close();
    await stage.whenProblem();
    expect(running.problem?.()).toContain('does not answer');
    expect(statSync(path).ino).toBe(before);
    await next();
    expect(stage.problems).toEqual(['Codex CLI cannot be served']);
  });

  it('is left for good by a companion that stops', async () => {
    stopTime();
    const { next } = await foreignRouter();
    const { running } = await serve('/w');
    const companion = await next();
    const { requestId } = await companion.next(({ type }) => type === 'request');
    companion.send({ type: 'response', requestId, resultType: 'success', result: { clientId: 'me' } });
    await companion.ask('/w');
    running.stop();
    await companion.whenClosed();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is recognised by the doctor, which disconnects at once', async () => {
    stopTime();
    const { next } = await foreignRouter();
    const probing = diagnosis.socket?.probe(path, '/w', 5_000);
    const doctor = await next();
    const { requestId } = await doctor.next(({ method }) => method === 'ide-context');
    doctor.send({ type: 'response', requestId, resultType: 'success', result: { ideContext: {} } });
    expect(await probing).toEqual({ kind: 'other' });
    await doctor.whenClosed();
  });

  it('that disconnects everyone is not asked in a loop [CDX-26]', async () => {
    const { next } = await foreignRouter();
    await serve('/w');
    const since = performance.now();
    for (let count = 0; count < 10; count += 1) {
      const companion = await next();
      const { requestId } = await companion.next(({ type }) => type === 'request');
      companion.send({ type: 'response', requestId, resultType: 'success', result: { clientId: 'me' } });
      companion.socket.end();
    }
    expect(performance.now() - since).toBeGreaterThan(9 * rejoinMs);
  });

  it('is served by our router, too: its clients reach each other [CDX-24]', async () => {
    await serve('/w');
    const [app, extension] = [await client(), await client()];
    await app.initialize();
    const id = await extension.initialize();
    const broadcast = { type: 'broadcast', method: 'thread-stream-state-changed' };
    app.send({ ...broadcast, params: 'x'.repeat(maxFrameBytes) });
    app.send({ ...broadcast, params: { x: 1 }, targetClientIds: ['another'] });
    app.send({ ...broadcast, params: { x: 2 }, targetClientIds: [id] });
    app.send({ ...broadcast, params: { x: 3 } });
    for (const x of [2, 3])
      expect(await extension.next(({ type }) => type === 'broadcast')).toMatchObject({ params: { x } });
    const answer = app.request({ method: 'thread-owner-discovery', params: {}, targetClientId: id });
    const discovery = await extension.next(({ type }) => type === 'client-discovery-request');
    expect(discovery.request.method).toBe('thread-owner-discovery');
    const { requestId } = discovery;
    extension.send({ type: 'client-discovery-response', requestId, response: { canHandle: true } });
    const forwarded = await extension.next(({ type }) => type === 'request');
    extension.send({
      type: 'response',
      requestId: forwarded.requestId,
      resultType: 'success',
      result: { y: 2 },
    });
    expect(await answer).toMatchObject({ resultType: 'success', result: { y: 2 } });
    expect(await app.request({ method: 'x', params: {}, targetClientId: 'gone' })).toMatchObject({
      error: 'no-client-found',
    });
  });
});

describe('a client of the socket', () => {
  it.each([
    ['no JSON', CodexClient.frame('{')],
    ['no object', CodexClient.frame('1')],
    ['no type', CodexClient.frame('{}')],
    ['a request without an id', CodexClient.frame('{"type":"request","method":"ide-context"}')],
    ['an empty frame', CodexClient.frame('')],
    ['a frame that is too large', CodexClient.frame('', maxSkippedBytes + 1)],
    ['text', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ])('that sends %s is disconnected, and the others are served [CDX-25]', async (_what, bytes) => {
    await serve('/w');
    const bad = await client();
    bad.socket.write(bytes);
    await bad.whenClosed();
    expect(await fileFor('/w')).toBe('/w/file.ts');
  });

  it('may send a frame in pieces [CDX-7]', async () => {
    await serve('/w');
    const slow = await client();
    const request = {
      type: 'request',
      requestId: '1',
      method: 'ide-context',
      params: { workspaceRoot: '/w' },
    };
    for (const byte of CodexClient.frame(JSON.stringify(request))) {
      await new Promise<void>((resolve) => slow.socket.write(Buffer.from([byte]), () => resolve()));
    }
    expect((await slow.next(() => true)).resultType).toBe('success');
  });

  it('that ends does not delay the answers to others', async () => {
    stopTime();
    await serve('/w');
    const [asking, leaving] = [await client(), await client()];
    await leaving.initialize();
    const answer = asking.request({ method: 'x', params: {} });
    await leaving.next(({ type }) => type === 'client-discovery-request');
    leaving.close();
    expect(await answer).toMatchObject({ error: 'no-client-found' });
  });

  it('that floods it with requests is disconnected [CDX-26]', async () => {
    await serve('/w');
    // It never answers, so that the requests stay pending.
    const other = await client();
    await other.initialize();
    const flooding = await client();
    for (let index = 0; index < 40; index++) {
      flooding.send({ type: 'request', requestId: `${index}`, method: 'x', params: {} });
    }
    await flooding.whenClosed();
    expect(await fileFor('/w')).toBe('/w/file.ts');
  });

  it('whose request nests too deep to be passed on is disconnected [CDX-25]', async () => {
    await serve('/w');
    const other = await client();
    await other.initialize();
    const nested = '['.repeat(200_000) + ']'.repeat(200_000);
    for (const message of [
      `{"type":"request","requestId":"1","method":"x","params":${nested}}`,
      `{"type":"broadcast","x":${nested}}`,
    ]) {
      const bad = await client();
      bad.socket.write(CodexClient.frame(message));
      await bad.whenClosed();
    }
    expect(await other.ask('/w')).toMatchObject({ resultType: 'success' });
  });

  it('that does not read is disconnected [CDX-26]', async () => {
    await serve('/w');
    const deaf = await client();
    await deaf.initialize();
    deaf.socket.pause();
    const loud = await client();
    await loud.initialize();
    for (let index = 0; index < 20; index++) loud.send({ type: 'broadcast', text: 'x'.repeat(500_000) });
    await loud.ask('/w');
    deaf.socket.resume();
    await deaf.whenClosed();
    expect(deaf.received.length).toBeLessThan(8_000_000);
  });

  it('that does not complete a frame in time is disconnected, and so is one that sends nothing [CDX-26]', async () => {
    stopTime();
    await serve('/w');
    const [silent, slow, registered] = [await client(), await client(), await client()];
    await registered.initialize();
    await slow.initialize();
    await new Promise<void>((resolve) => slow.socket.write(Buffer.from([9]), () => resolve()));
    // The byte has arrived when a later request is answered.
    await registered.initialize();
    vi.advanceTimersByTime(frameLimitMs);
    await Promise.all([silent.whenClosed(), slow.whenClosed()]);
    expect(await registered.ask('/w')).toMatchObject({ resultType: 'success' });
  });

  it('that is one too many is disconnected, until others have closed their connections', async () => {
    await serve('/w');
    const many: CodexClient[] = [];
    for (let index = 0; index <= maxPeers; index++) many.push(await client());
    await Promise.any(many.map((each) => each.whenClosed()));
    for (const each of many) each.close();
    await whenAnswered('/w', '/w/file.ts');
  });
});
