/** @module-tag exhaustive */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { ClaudeClient } from '../../../packages/agents/test/support/claudeClient.js';
import {
  CompanionClient,
  geminiManner,
  qwenManner,
} from '../../../packages/agents/test/support/companionClient.js';
import { CopilotClient } from '../../../packages/agents/test/support/copilotClient.js';
import { jsonOf } from '../../../packages/agents/test/support/rpc.js';
import { receivesSelection, startGuest } from './support/guestProcess.js';
import { Scratch, type TandemProcess } from './support/tandemProcess.js';

const quickTime = fileURLToPath(new URL('./support/quickTime.mjs', import.meta.url));
const agentProcess = fileURLToPath(new URL('./support/agentProcess.mjs', import.meta.url));
const original = 'one\ntwo\nthree\n';
const proposed = 'ONE\ntwo\nthree\n';
const typed = 'ONE\ntwo\nTHREE\n';
/** In the test's time; 18 s for a companion with quick time, longer than every grace period of a session. */
const pauseMs = 3_000;

type Client = CompanionClient | ClaudeClient | CopilotClient;

/** What one test works with, so that the tests can wait at the same time. */
const withScratch = test.extend<{ scratch: Scratch; clients: Client[] }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of other fixtures from this pattern.
  scratch: async ({}, use) => {
    const scratch = new Scratch();
    await use(scratch);
    await scratch.dispose();
  },
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of other fixtures from this pattern.
  clients: async ({}, use) => {
    const clients: Client[] = [];
    await use(clients);
    for (const client of clients) {
      if (client instanceof ClaudeClient) client.socket.terminate();
      else client.hangUp();
    }
  },
});

/** A companion whose time runs six times as fast. */
async function serveQuickly(scratch: Scratch): Promise<TandemProcess> {
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

async function type(scratch: Scratch): Promise<void> {
  await scratch.call('review.edit', { id: '1', content: typed });
}

async function journaled(scratch: Scratch, text: string): Promise<void> {
  const folder = join(scratch.state, 'tandem/journal');
  const read = (): string =>
    (existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [])
      .filter((name) => name.endsWith('.json'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
  await vi.waitFor(() => expect(read()).toContain(JSON.stringify(text)), { timeout: 5_000 });
}

async function acceptWhatWasTyped(scratch: Scratch): Promise<void> {
  expect((await scratch.call('review.show', { id: '1' })).content).toBe(typed);
  await scratch.call('review.accept', { id: '1' });
}

describe.concurrent('a companion that was stopped longer than every grace period', () => {
  withScratch.for([
    ['gemini', geminiManner],
    ['qwen', qwenManner],
  ] as const)(
    'goes on with the session of %s that it had just taken over',
    async ([agent, manner], { scratch, clients }) => {
      const path = scratch.write('a.txt', original);
      const first = await scratch.serve();
      const client = await CompanionClient.connect((await first.event('ready')).agents[agent], manner);
      clients.push(client);
      await client.openDiff(path, proposed);
      await type(scratch);
      await journaled(scratch, typed);
      await first.signal('SIGKILL');

      const second = await serveQuickly(scratch);
      await second.event('review.opened');
      let stream: Promise<Response> | undefined;
      await pause([second], () => {
        stream = client.openStream();
      });
      expect((await stream)?.status).toBe(200);
      await acceptWhatWasTyped(scratch);
      expect((await client.next('ide/diffAccepted')).params.content).toBe(typed);
      expect(second.stdout).not.toContain('session.closed');
    },
  );

  withScratch(
    'goes on with the session of copilot that it had just taken over',
    async ({ scratch, clients }) => {
      const path = scratch.write('a.txt', original);
      const first = await scratch.serve();
      const client = await CopilotClient.connect((await first.event('ready')).agents.copilot);
      clients.push(client);
      client.openDiff(path, proposed, 'one').catch(() => undefined);
      await first.event('review.opened');
      await type(scratch);
      await journaled(scratch, typed);
      await first.signal('SIGKILL');

      const second = await serveQuickly(scratch);
      let connected: Promise<void> | undefined;
      await pause([second], () => {
        connected = client.connect();
      });
      await connected;
      const answer = client.openDiff(path, proposed, 'two');
      await second.event('review.opened');
      await acceptWhatWasTyped(scratch);
      expect(jsonOf(await answer).result).toBe('SAVED');
      expect(second.stdout).not.toContain('session.closed');
    },
  );

  withScratch('continues with Claude Code, which was pinged all the time', async ({ scratch, clients }) => {
    const path = scratch.write('a.txt', original);
    const companion = await serveQuickly(scratch);
    const client = await ClaudeClient.connect((await companion.event('ready')).agents.claude);
    clients.push(client);
    const call = client.beginOpenDiff(path, proposed);
    await companion.event('review.opened');
    await type(scratch);
    await client.pinged(1);
    await pause([companion]);
    await client.pinged(3);
    await acceptWhatWasTyped(scratch);
    expect((await client.answer(call)).result.content[1].text).toBe(typed);
    expect(companion.stdout).not.toContain('session.closed');
  });

  withScratch.for(['gemini', 'claude', 'copilot'] as const)(
    'continues with %s, which was also stopped',
    async (agent, { scratch }) => {
      const path = scratch.write('a.txt', original);
      const companion = await serveQuickly(scratch);
      const { url, token } = (await companion.event('ready')).agents[agent];
      const args = [agentProcess, agent, url, token, path, proposed];
      const client = scratch.startProgram(process.execPath, args);
      await companion.event('review.opened');
      await type(scratch);
      await pause([companion, client]);
      await acceptWhatWasTyped(scratch);
      expect((await client.event('answered')).content).toBe(agent === 'copilot' ? proposed : typed);
      expect([companion.stdout, client.stdout].join()).not.toMatch(/session\.closed|"closed"/);
    },
  );
});

describe.concurrent('an agent that receives the context only', () => {
  withScratch.for(['opencode', 'kilo'] as const)(
    'continues as %s after a pause of both sides',
    async (agent, { scratch }) => {
      const path = scratch.write('a.txt', original);
      const companion = await serveQuickly(scratch);
      const client = await startGuest(scratch, companion, agent);
      await receivesSelection(scratch, client, path, 'one');
      await pause([companion, client]);
      await receivesSelection(scratch, client, path, 'on');
      expect([companion.stdout, client.stdout].join()).not.toMatch(/session\.closed|"closed"/);
    },
  );

  withScratch.for([
    ['opencode', 'kilo'],
    ['kilo', 'opencode'],
  ] as const)(
    'is disconnected as %s when it does not read for too long, and %s continues',
    async ([agent, other], { scratch }) => {
      const path = scratch.write('a.txt', original);
      const companion = await serveQuickly(scratch);
      const stopped = await startGuest(scratch, companion, agent);
      const reading = await startGuest(scratch, companion, other);
      stopped.child.kill('SIGSTOP');
      await vi.waitFor(() => expect(stateOf(stopped.pid)).toBe('T'));
      await receivesSelection(scratch, reading, path, 'one');
      expect((await companion.event('session.closed')).agent).toBe(agent);
      await receivesSelection(scratch, reading, path, 'on');
      stopped.child.kill('SIGCONT');
      await stopped.event('closed');
    },
  );
});

describe.concurrent('a companion that was stopped while another one started', () => {
  withScratch(
    'can be found again when it continues, and reports the other companion',
    async ({ scratch, clients }) => {
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
      await vi.waitFor(() => expect(ofFirst().sort()).toEqual(own), { timeout: 15_000 });
      await first.complained(`Process ${second.pid} now serves the same folder`);
      expect(first.stderr.match(/\n/g)).toHaveLength(1);
      expect(port).toBe(String(new URL((await first.event('ready')).agents.gemini.url).port));

      await second.signal('SIGTERM');
      expect(scratch.discoveryFiles().sort()).toEqual(own);
      await scratch.call('review.accept', { id: '1' });
      expect((await client.next('ide/diffAccepted')).params.content).toBe(proposed);
      await first.signal('SIGTERM');
      expect(scratch.discoveryFiles()).toEqual([]);
    },
  );
});
