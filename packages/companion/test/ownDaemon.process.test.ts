import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '@tandem/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { CompanionChat } from '../src/chat/index.js';

const program = fileURLToPath(new URL('support/ownDaemon.mjs', import.meta.url));

/** Why the chats of this file may start no daemon. */
let obstacle: string | undefined;

/** A chat that starts daemons of its own, and the process ids that they print. */
async function ownChat() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'own-daemon-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  const pids: number[] = [];
  const chat = new CompanionChat({
    folder,
    obstacle: () => obstacle,
    command: () => [process.execPath, program],
    onOutput: (line) => {
      const [, pid] = /^process (\d+)$/.exec(line) ?? [];
      if (pid !== undefined) pids.push(Number(pid));
    },
    logger: silentLogger,
  });
  onTestFinished(() => chat.close());
  return { chat, pids };
}

it('does not connect to a daemon that is disconnected during its start, and starts another one on request', async () => {
  const { chat, pids } = await ownChat();
  const first = chat.start();
  await chat.disconnect();
  const second = chat.start();
  await Promise.all([first, second]);
  expect(pids).toHaveLength(2);
  await vi.waitUntil(() => chat.model.connection.state === 'connected', { timeout: 20_000 });
  await vi.waitUntil(() => pids.filter(isRunning).length === 1, { timeout: 20_000 });
  await chat.disconnect();
  expect(chat.setup).toEqual({ isOwn: false, isStarting: false });
  expect(pids.filter(isRunning)).toEqual([]);
});

it('reconnects to its own live daemon, and starts another one in place of a dead one', async () => {
  const { chat, pids } = await ownChat();
  const becomes = (state: string) =>
    vi.waitUntil(() => chat.model.connection.state === state, { timeout: 20_000 });
  await chat.start();
  await becomes('connected');
  await fetch(`${chat.setup.url}/refuse`, { method: 'POST' });
  await becomes('disconnected');
  expect(chat.model.connection.problem?.kind).toBe('unauthorized');
  await fetch(`${chat.setup.url}/heal`, { method: 'POST' });
  await chat.reconnect();
  await becomes('connected');
  expect(pids).toHaveLength(1);
  process.kill(pids[0] ?? Number.NaN, 'SIGKILL');
  await becomes('reconnecting');
  await chat.reconnect();
  await becomes('connected');
  expect(pids).toHaveLength(2);
  expect(chat.setup.isOwn).toBe(true);
});

it('names the setting for a missing daemon program, and keeps its daemon if it may not start another', async () => {
  const { chat } = await ownChat();
  await chat.start();
  const { url } = chat.setup;
  expect(url).toBeDefined();
  obstacle = 'This folder is not trusted.';
  onTestFinished(() => {
    obstacle = undefined;
  });
  await expect(chat.start()).rejects.toThrow('This folder is not trusted.');
  expect(chat.setup).toEqual({ url, isOwn: true, isStarting: false, obstacle });
  const missing = new CompanionChat({
    folder: tmpdir(),
    obstacle: () => undefined,
    command: () => ['no-such-program'],
    commandPlace: 'the setting x.y',
    logger: silentLogger,
  });
  await expect(missing.start()).rejects.toThrow(
    /npm install -g @qwen-code\/qwen-code\), or set its path in the setting x\.y\.$/,
  );
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
