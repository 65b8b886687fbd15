import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CodexClient } from '../../../packages/agents/test/support/codexClient.js';
import { EditorProcess } from './support/editorProcess.js';
import { Scratch, type TandemProcess } from './support/tandemProcess.js';

let scratch: Scratch;
let path: string;
let one: string;
let other: string;
const clients: CodexClient[] = [];

beforeEach(() => {
  scratch = new Scratch();
  path = join(scratch.home, '.codex/ipc/ipc.sock');
  [one, other] = [scratch.folder('one'), scratch.folder('other')];
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await scratch.dispose();
});

async function serve(cwd: string): Promise<TandemProcess> {
  const companion = scratch.start(['serve', '--json'], { cwd });
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

async function stop(companion: TandemProcess): Promise<void> {
  companion.child.kill('SIGSTOP');
  await vi.waitFor(() => expect(readFileSync(`/proc/${companion.pid}/stat`, 'utf8')).toMatch(/\) T /));
}

describe('companions that share the socket of Codex CLI', () => {
  test('the owner is killed: another takes over within a second, and the next one connects to it [CDX-21]', async () => {
    const owner = await serve(one);
    await serve(other);
    await whenServed(other);
    const since = performance.now();
    owner.child.kill('SIGKILL');
    await whenServed(other);
    expect(performance.now() - since).toBeLessThan(1_000);
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
    const since = performance.now();
    // The owner asks the others for a folder that is not exactly its own.
    await whenServed(join(one, 'src'));
    expect(performance.now() - since).toBeLessThan(2_000);
    stopped.child.kill('SIGCONT');
    await whenServed(other);
  });

  test('the owner is stopped: it keeps its socket, and all continue when it does [CDX-5 CDX-28]', async () => {
    const owner = await serve(one);
    await serve(other);
    await whenServed(other);
    const before = statSync(path).ino;
    await stop(owner);
    const waiting = await CodexClient.connect(path);
    clients.push(waiting);
    const answer = waiting.ask(other);
    // A companion that starts meanwhile serves its other agents.
    const late = await serve(scratch.folder('late'));
    const status = scratch.run(['status', '--companion', String(late.pid)]);
    expect((await status).stdout).toContain('Codex CLI');
    expect(statSync(path).ino).toBe(before);
    owner.child.kill('SIGCONT');
    expect((await answer).resultType).toBe('success');
    await whenServed(join(scratch.root, 'late'));
  });
});

describe.each(['CODEX_HOME', 'HOME'])('a %s so long that the path of the socket is', (name) => {
  const env = () => ({ [name]: scratch.folder('x'.repeat(120)) });

  test('leaves the other agents, the status and the end as they are', async () => {
    const companion = await scratch.serve([], { env: env() });
    expect(companion.stderr).toMatch(/warning: Codex CLI cannot be served: .*too long/);
    const status = await scratch.run(['status'], { env: env() });
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
