import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ClaudeClient } from '../../../packages/agents/test/support/claudeClient.js';
import {
  CompanionClient,
  geminiManner,
  qwenManner,
} from '../../../packages/agents/test/support/companionClient.js';
import { Scratch, type TandemProcess } from './support/tandemProcess.js';

const quickTime = fileURLToPath(new URL('./support/quickTime.mjs', import.meta.url));
const agentProcess = fileURLToPath(new URL('./support/agentProcess.mjs', import.meta.url));
const original = 'one\ntwo\nthree\n';
const proposed = 'ONE\ntwo\nthree\n';
const typed = 'ONE\ntwo\nTHREE\n';
/** In the test's time; 18 s for a companion with quick time, longer than every grace period of a session. */
const pauseMs = 3_000;

let scratch: Scratch;
const clients: (CompanionClient | ClaudeClient)[] = [];
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(async () => {
  for (const client of clients.splice(0)) {
    if (client instanceof ClaudeClient) client.socket.terminate();
    else client.hangUp();
  }
  await scratch.dispose();
});

/** A companion whose time runs six times as fast. */
async function serveQuickly(): Promise<TandemProcess> {
  const [program, ...args] = scratch.commandLine(['serve', '--json']);
  const companion = scratch.startProgram(program, ['--import', quickTime, ...args]);
  await companion.event('ready');
  return companion;
}

/** As by Ctrl+Z and `fg`. A fixed wait: the pause itself is the fault, and no event reports that a limit has passed. */
async function pause(processes: readonly TandemProcess[], meanwhile: () => void = () => {}): Promise<void> {
  for (const each of processes) each.child.kill('SIGSTOP');
  for (const { pid } of processes) await vi.waitFor(() => expect(stateOf(pid)).toBe('T'));
  meanwhile();
  await passed(pauseMs);
  for (const each of processes) each.child.kill('SIGCONT');
}

/** `T` for a stopped process. */
function stateOf(pid: number): string | undefined {
  return /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
}

async function type(): Promise<void> {
  expect((await scratch.run(['review', 'edit'], { env: { EDITOR: `printf '${typed}' >` } })).code).toBe(0);
}

async function journaled(text: string): Promise<void> {
  const folder = join(scratch.state, 'tandem/journal');
  const read = (): string =>
    (existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [])
      .filter((name) => name.endsWith('.json'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
  await expect.poll(read, { timeout: 5_000 }).toContain(JSON.stringify(text));
}

async function acceptWhatWasTyped(): Promise<void> {
  expect((await scratch.run(['review', 'show', '--content'])).stdout).toBe(typed);
  expect((await scratch.run(['review', 'accept'])).code).toBe(0);
}

describe('a companion that was stopped longer than every grace period', () => {
  test.each([
    ['gemini', geminiManner],
    ['qwen', qwenManner],
  ] as const)('goes on with the session of %s that it had just taken over', async (agent, manner) => {
    const path = scratch.write('a.txt', original);
    const first = await scratch.serve();
    const client = await CompanionClient.connect((await first.event('ready')).agents[agent], manner);
    clients.push(client);
    await client.openDiff(path, proposed);
    await type();
    await journaled(typed);
    await first.signal('SIGKILL');

    const second = await serveQuickly();
    await second.event('review.opened');
    let stream: Promise<Response> | undefined;
    await pause([second], () => {
      stream = client.openStream();
    });
    expect((await stream)?.status).toBe(200);
    await acceptWhatWasTyped();
    expect((await client.next('ide/diffAccepted')).params.content).toBe(typed);
    expect(second.stdout).not.toContain('session.closed');
  });

  test('continues with Claude Code, which was pinged all the time', async () => {
    const path = scratch.write('a.txt', original);
    const companion = await serveQuickly();
    const client = await ClaudeClient.connect((await companion.event('ready')).agents.claude);
    clients.push(client);
    const call = client.beginOpenDiff(path, proposed);
    await companion.event('review.opened');
    await type();
    await client.pinged(1);
    await pause([companion]);
    await client.pinged(3);
    await acceptWhatWasTyped();
    expect((await client.answer(call)).result.content[1].text).toBe(typed);
    expect(companion.stdout).not.toContain('session.closed');
  });

  test.each(['gemini', 'claude'] as const)('continues with %s, which was also stopped', async (agent) => {
    const path = scratch.write('a.txt', original);
    const companion = await serveQuickly();
    const { url, token } = (await companion.event('ready')).agents[agent];
    const args = [agentProcess, agent, url, token, path, proposed];
    const client = scratch.startProgram(process.execPath, args);
    await companion.event('review.opened');
    await type();
    await pause([companion, client]);
    await acceptWhatWasTyped();
    expect((await client.event('told')).content).toBe(typed);
    expect([companion.stdout, client.stdout].join()).not.toMatch(/session\.closed|"closed"/);
  });
});

describe('a companion that was stopped while another one started', () => {
  test('can be found again when it continues, and reports the other companion', async () => {
    const path = scratch.write('a.txt', original);
    const first = await scratch.serve();
    const { agents } = await first.event('ready');
    const client = await CompanionClient.connect(agents.gemini, geminiManner);
    clients.push(client);
    await client.openDiff(path, proposed);
    const own = scratch.discoveryFiles().sort();
    const port = new URL(agents.gemini.url).port;
    const ofFirst = () =>
      scratch
        .discoveryFiles()
        .filter((file) => JSON.parse(readFileSync(file, 'utf8')).tandem.pid === first.pid);
    expect(ofFirst().sort()).toEqual(own);
    first.child.kill('SIGSTOP');
    await vi.waitFor(() => expect(stateOf(first.pid)).toBe('T'));
    const second = await scratch.serve();
    expect(ofFirst()).toEqual([]);
    first.child.kill('SIGCONT');
    await expect.poll(() => ofFirst().sort(), { timeout: 15_000 }).toEqual(own);
    await first.complained(`Process ${second.pid} now serves the same folder`);
    expect(first.stderr.match(/\n/g)).toHaveLength(1);
    expect(port).toBe(String(new URL((await first.event('ready')).agents.gemini.url).port));

    await second.signal('SIGTERM');
    expect(scratch.discoveryFiles().sort()).toEqual(own);
    expect((await scratch.run(['review', 'accept'])).code).toBe(0);
    expect((await client.next('ide/diffAccepted')).params.content).toBe(proposed);
    await first.signal('SIGTERM');
    expect(scratch.discoveryFiles()).toEqual([]);
  });
});
