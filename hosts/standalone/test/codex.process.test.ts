import { readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CodexClient } from '../../../packages/agents/test/support/codexClient.js';
import { describeMatrix } from '../../../test/describeMatrix.js';
import { endsWithin } from '../../../test/machineTime.js';
import { EditorProcess } from './support/editorProcess.js';
import { Scratch, type TandemProcess } from './support/tandemProcess.js';

const quickTime = fileURLToPath(new URL('./support/quickTime.mjs', import.meta.url));
const hanging = fileURLToPath(new URL('./support/hanging.mjs', import.meta.url));

let scratch: Scratch;
let path: string;
let one: string;
let other: string;
let third: string;
const clients: CodexClient[] = [];

beforeEach(() => {
  scratch = new Scratch();
  path = join(scratch.home, '.codex/ipc/ipc.sock');
  [one, other, third] = [scratch.folder('one'), scratch.folder('other'), scratch.folder('third')];
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await scratch.dispose();
});

async function serve(cwd: string, modules: readonly string[] = []): Promise<TandemProcess> {
  const [program, ...args] = scratch.commandLine(['serve', '--json']);
  const imports = modules.flatMap((module) => ['--import', module]);
  const env = { HANGS_WHILE: join(cwd, 'hangs') };
  const companion = scratch.startProgram(program, [...imports, ...args], { cwd, env });
  await companion.event('ready');
  return companion;
}

/** Whether a companion answers for a folder; asked until it is so. */
async function whenServed(folder: string): Promise<void> {
  await vi.waitFor(async () => expect((await CodexClient.ask(path, folder)).resultType).toBe('success'), {
    interval: 10,
    timeout: 5_000,
  });
}

/** Resolves when another companion has replaced the socket. */
async function whenReplaced(before: number): Promise<void> {
  await vi.waitFor(() => expect(statSync(path).ino).not.toBe(before), { interval: 10, timeout: 20_000 });
}

/** Connects until the owner, which is stopped, has no room for more. */
async function fillBacklog(): Promise<void> {
  for (;;) {
    const client = await CodexClient.connect(path).catch(() => undefined);
    if (client === undefined) return;
    clients.push(client);
  }
}

/** Makes the companion of a folder hang until the result is called. */
async function hang(companion: TandemProcess, folder: string): Promise<() => void> {
  const file = join(folder, 'hangs');
  writeFileSync(file, '');
  companion.child.kill('SIGUSR2');
  await companion.event('hangs');
  return () => unlinkSync(file);
}

async function stop(companion: TandemProcess): Promise<void> {
  companion.child.kill('SIGSTOP');
  await vi.waitFor(() => expect(readFileSync(`/proc/${companion.pid}/stat`, 'utf8')).toMatch(/\) T /));
}

describe('companions that share the socket of Codex CLI', () => {
  test('the owner is killed: another takes over within a second, and the next one connects to it [CDX-21]', async () => {
    const owner = await serve(one);
    await serve(other);
    await whenServed(other);
    owner.child.kill('SIGKILL');
    expect(await endsWithin(1_000, whenServed(other))).toBe(true);
    expect((await CodexClient.ask(path, one)).error).toBe('no-client-found');
    await serve(one);
    await whenServed(one);
    await whenServed(other);
  });

  test('one that is stopped does not keep the owner from answering [CDX-28]', async () => {
    await serve(one);
    const stopped = await serve(other);
    await whenServed(other);
    await stop(stopped);
    // The owner asks the others for a folder that is not exactly its own.
    expect(await endsWithin(2_000, whenServed(join(one, 'src')))).toBe(true);
    stopped.child.kill('SIGCONT');
    await whenServed(other);
  });

  test('the owner is stopped: another takes over, and the owner becomes its client when it continues [CDX-29 CDX-30]', async () => {
    const owner = await serve(one);
    await serve(other);
    await serve(third);
    for (const folder of [one, other, third]) await whenServed(folder);
    const before = statSync(path).ino;
    await stop(owner);
    const waiting = await CodexClient.connect(path);
    clients.push(waiting);
    waiting.ask(other).catch(() => undefined);
    // One that hangs is replaced after 8 s.
    expect(await endsWithin(4_000, whenReplaced(before))).toBe(true);
    expect(await endsWithin(4_000, Promise.all([other, third].map(whenServed)))).toBe(true);
    expect((await CodexClient.ask(path, one)).error).toBe('no-client-found');
    const { ino } = statSync(path);
    owner.child.kill('SIGCONT');
    // Who waited at the old socket is disconnected, and asks at the new one.
    await waiting.whenClosed();
    for (const folder of [one, other, third]) await whenServed(folder);
    expect(statSync(path).ino).toBe(ino);
    expect((await owner.signal('SIGTERM')).stderr).toBe('');
    await whenServed(third);
    expect(statSync(path).ino).toBe(ino);
    expect(readdirSync(dirname(path)).sort()).toEqual(['ipc.sock', 'ipc.sock.owner']);
  });

  test('the owner is stopped: a companion that starts takes over, also if no connection is accepted any more [CDX-29]', async () => {
    const owner = await serve(one);
    const before = statSync(path).ino;
    await stop(owner);
    await fillBacklog();
    const late = await serve(other);
    const status = scratch.command(['status', '--companion', String(late.pid)]);
    expect((await status).stdout).toContain('Codex CLI');
    await whenReplaced(before);
    await whenServed(other);
    const { ino } = statSync(path);
    await stop(late);
    owner.child.kill('SIGCONT');
    await whenReplaced(ino);
    await whenServed(one);
    late.child.kill('SIGCONT');
    for (const folder of [one, other]) await whenServed(folder);
  });

  test('the owner hangs: another takes over [CDX-29 CDX-30]', async () => {
    const owner = await serve(one, [hanging]);
    await serve(other, [quickTime]);
    await whenServed(other);
    const before = statSync(path).ino;
    const end = await hang(owner, one);
    await whenReplaced(before);
    await whenServed(other);
    end();
    for (const folder of [one, other]) await whenServed(folder);
  });

  test('the owner is slow: it keeps its socket [CDX-29]', async () => {
    const owner = await serve(one, [hanging]);
    await serve(other);
    await whenServed(other);
    const before = statSync(path).ino;
    const end = await hang(owner, one);
    const waiting = await CodexClient.connect(path);
    clients.push(waiting);
    const answer = waiting.ask(other);
    // A fixed wait: the other companion asks every 2 s, and a stopped owner would be replaced after one more.
    await passed(4_000);
    end();
    expect((await answer).resultType).toBe('success');
    expect(statSync(path).ino).toBe(before);
  });
});

describeMatrix(['CODEX_HOME', 'HOME'], ['HOME'], 'a %s so long that the path of the socket is', (name) => {
  const env = () => ({ [name]: scratch.folder('x'.repeat(120)) });

  test('leaves the other agents, the status and the end as they are', async () => {
    const companion = await scratch.serve([], { env: env() });
    expect(companion.stderr).toMatch(/warning: Codex CLI cannot be served: .*too long/);
    const status = await scratch.command(['status'], { env: env() });
    expect(status.stdout).toMatch(/Codex CLI cannot be served: .*too long/);
    expect(status.stdout).not.toMatch(/Copilot CLI cannot be served/);
    expect(await companion.signal('SIGTERM')).toMatchObject({ code: 143 });
    const left = readdirSync(scratch.root, { recursive: true, encoding: 'utf8' });
    expect(left.filter((each) => statSync(join(scratch.root, each)).isSocket())).toEqual([]);
  });

  test('lets `tandem run` start an agent', async () => {
    writeFileSync(
      join(scratch.folder('bin'), 'gemini'),
      '#!/bin/sh\necho started $GEMINI_CLI_IDE_SERVER_PORT\n',
      {
        mode: 0o755,
      },
    );
    const PATH = `${scratch.folder('bin')}:${process.env.PATH}`;
    const { code, stdout } = await scratch.run(['run', 'gemini'], { env: { ...env(), PATH } });
    expect(stdout).toMatch(/started \d+/);
    expect(code).toBe(0);
    expect((await scratch.run(['stop'], { env: env() })).code).toBe(0);
  });

  test('lets an editor start', async () => {
    const editor = await EditorProcess.start(scratch, { env: env() });
    expect(editor.environment).toHaveProperty('GEMINI_CLI_IDE_SERVER_PORT');
    editor.child.kill('SIGTERM');
    expect(await editor.ended).toBe(143);
  });
});
