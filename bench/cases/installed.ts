import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type AgentId, agentIds, hookVariables } from '@tandem/companion/agents';
import { callCompanion } from '../../packages/agents/src/hooks/program/callCompanion.js';
import { CodexClient } from '../../packages/agents/test/support/codexClient.js';
import { CopilotClient } from '../../packages/agents/test/support/copilotClient.js';
import { connectOpencode } from '../../packages/agents/test/support/opencodeClient.js';
import { HttpClient } from '../httpClient.js';
import { InstalledCommand } from '../installedCommand.js';
import { compare, describe, describeValue, takeTurns } from '../measure.js';
import { createScratch, type Scratch } from '../scratch.js';
import { ServerProcess } from '../serverProcess.js';
import type { ProcessorUse } from '../servers/answerMeasures.js';
import type { SdkToolReady } from '../servers/sdkTool.js';
import type { WebSocketEchoReady } from '../servers/webSocketEcho.js';
import { changeText, makeText } from '../texts.js';
import { WebSocketClient } from '../webSocketClient.js';

/** The sizes of the proposed texts, and how often each is measured. */
const sizes = [
  ['3.6 KB', 3_600, 200],
  ['360 KB', 360_000, 60],
  ['1 MB', 1_000_000, 40],
  ['3.6 MB', 3_600_000, 20],
  ['50 MB', 50_000_000, 5],
] as const;

const pendingReviews = 1_000;
/** A session may have 250 pending reviews and propose 200 changes per second. */
const perSession = 100;

/**
 * `openDiff` of the installed command, with its journal and its page, from the first byte of the request to the last
 * byte of the answer, compared with tools on the same SDK: one reads the file, keeps a record and returns the text, one
 * returns the text, one only answers.
 */
export async function benchInstalledOpenDiff(scratch: Scratch): Promise<void> {
  const command = await InstalledCommand.start(scratch);
  const floor = await ServerProcess.start<SdkToolReady>('sdkTool', scratch);
  const ours = await HttpClient.connect(command.target('gemini'));
  const bare = await HttpClient.connect({ port: floor.ready.port, token: '' });
  const processor = {
    ours: () => command.processor(),
    bare: async () => (await floor.ask<ProcessorUse>('processor')).busyMs,
  };
  for (const [label, bytes, rounds] of sizes) {
    const { filePath, next } = proposals(scratch, bytes);
    const busy: Record<string, number[]> = { openDiff: [], record: [], echo: [], answer: [] };
    const call = async (who: keyof typeof processor, client: HttpClient, tool: string): Promise<number> => {
      const prepared = client.prepareCall(tool, next());
      const before = await processor[who]();
      const taken = await client.timeCall(prepared);
      busy[tool]?.push((await processor[who]()) - before);
      return taken;
    };
    const samples = await takeTurns(
      {
        [`openDiff ${label}`]: async () => {
          const taken = await call('ours', ours, 'openDiff');
          await ours.callTool('closeDiff', { filePath, suppressNotification: true });
          return taken;
        },
        'an echo that reads the file and keeps a record': () => call('bare', bare, 'record'),
        'the echo': () => call('bare', bare, 'echo'),
        'a tool that only answers': () => call('bare', bare, 'answer'),
      },
      { rounds, warmUp: Math.ceil(rounds / 5) },
    );
    const [diff, record, echo, answer] = Object.values(samples);
    if (diff === undefined || record === undefined || echo === undefined || answer === undefined) continue;
    console.log(`\nopenDiff of the installed command, ${label}`);
    for (const each of [diff, record, echo, answer]) console.log(describe(each));
    console.log(compare(diff, record, 1.3));
    console.log(compare(diff, echo, 1.5));
    console.log(compare(diff, answer));
    const [mine, kept, theirs] = ['openDiff', 'record', 'echo'].map((name) => ({
      name: `processor time of ${name}`,
      values: (busy[name] ?? []).slice(-rounds),
    }));
    if (mine === undefined || kept === undefined || theirs === undefined) continue;
    for (const each of [mine, kept, theirs]) console.log(describe(each));
    console.log(compare(mine, kept, 1.3));
    console.log(compare(mine, theirs));
  }
  ours.close();
  bare.close();
  await Promise.all([command.stop(), floor.stop()]);
}

/** The same with one pending review and with many, in two commands at the same time. */
export async function benchInstalledPending(scratch: Scratch): Promise<void> {
  const other = createScratch();
  try {
    const few = await proposerBeside(1, scratch);
    const many = await proposerBeside(pendingReviews, other);
    const samples = await takeTurns(
      { [`with ${pendingReviews} pending reviews`]: many.propose, 'with one': few.propose },
      { rounds: 100, warmUp: 20 },
    );
    const [most, one] = Object.values(samples);
    await Promise.all([few.stop(), many.stop()]);
    if (most === undefined || one === undefined) return;
    console.log('\nopenDiff of the installed command beside pending reviews, 3.6 KB');
    for (const each of [most, one]) console.log(describe(each));
    console.log(compare(most, one, 1.3));
  } finally {
    other.remove();
  }
}

/**
 * `openDiff` of Claude Code, whose answer waits for the user: from the request until the review is open, and from the
 * decision to the answer. Compared with a WebSocket that writes the text to a file and returns it, and with a control
 * call that decides nothing.
 */
export async function benchInstalledWebSocket(scratch: Scratch): Promise<void> {
  const command = await InstalledCommand.start(scratch);
  const floor = await ServerProcess.start<WebSocketEchoReady>('webSocketEcho', scratch);
  const { port, token } = command.target('claude');
  const ours = await WebSocketClient.connect(port, token);
  await ours.initialize();
  const bare = await WebSocketClient.connect(floor.ready.port, undefined, undefined, '/written');
  const control = await command.control();
  for (const [label, bytes, rounds] of sizes) {
    // Claude Code refuses answers of more than 16 MiB, so the proposal of 50 MB is rejected, too.
    const { filePath, next } = proposals(scratch, bytes);
    const decisions: number[] = [];
    const samples = await takeTurns(
      {
        [`openDiff ${label}, until the review is open`]: async () => {
          const { newContent } = next();
          const input = {
            old_file_path: filePath,
            new_file_path: filePath,
            new_file_contents: newContent,
            tab_name: `change of ${label}`,
          };
          const text = ours.prepare('tools/call', { name: 'openDiff', arguments: input });
          const opened = command.nextEvent('review.opened');
          const startedAt = performance.now();
          const answer = ours.exchange(text);
          const { id, at } = await opened;
          const decidedAt = performance.now();
          const [receivedAt] = await Promise.all([
            answer.then(() => performance.now()),
            control.call('review.reject', { id }),
          ]);
          decisions.push(receivedAt - decidedAt);
          return at - startedAt;
        },
        'ws echo after one write': async () => {
          const text = JSON.stringify(next());
          const startedAt = performance.now();
          await bare.exchange(text);
          return performance.now() - startedAt;
        },
        'a call of the control interface': async () => {
          const startedAt = performance.now();
          await control.call('connections', {});
          return performance.now() - startedAt;
        },
      },
      { rounds, warmUp: Math.ceil(rounds / 5) },
    );
    const [diff, echo, call] = Object.values(samples);
    if (diff === undefined || echo === undefined || call === undefined) continue;
    console.log(`\nopenDiff over WebSocket of the installed command, ${label}`);
    const decision = { name: 'from the rejection to the answer', values: decisions.slice(-rounds) };
    for (const each of [diff, echo, decision, call]) console.log(describe(each));
    console.log(compare(diff, echo, 1.5));
    console.log(compare(decision, call));
  }
  ours.close();
  bare.close();
  await Promise.all([command.stop(), floor.stop()]);
}

/** Processor time of the installed command for one editor event, with few and many open files. */
export async function benchInstalledContext(scratch: Scratch): Promise<void> {
  console.log('\nan event of the editor, until the agent receives it (with the debounce), by open files');
  const paths = Array.from({ length: 1_000 }, (_, index) => join(scratch.workspace, `open${index}.ts`));
  for (const path of paths) writeFileSync(path, 'one line\n'.repeat(50));
  for (const count of [1, 100, 1_000]) {
    const command = await InstalledCommand.start(scratch);
    const control = await command.control();
    let received = (): void => {};
    const client = await HttpClient.connect(command.target('gemini'), (data) => {
      if (data.includes('ide/contextUpdate')) received();
    });
    const show = (path: string, line: number): Promise<unknown> => {
      const position = { line, character: 0 };
      return control.call('focus', { path, range: { start: position, end: position } });
    };
    for (const path of paths.slice(0, count)) await show(path, 0);
    const path = paths[count - 1] ?? '';
    const values: number[] = [];
    const busy: number[] = [];
    for (let line = 1; line <= 40; line += 1) {
      const before = await command.processor();
      const arrived = new Promise<void>((resolve) => {
        received = resolve;
      });
      const startedAt = performance.now();
      await show(path, line);
      await arrived;
      if (line <= 10) continue;
      values.push(performance.now() - startedAt);
      busy.push((await command.processor()) - before);
    }
    client.close();
    await command.stop();
    console.log(describe({ name: `${count} files`, values }));
    console.log(describe({ name: `${count} files, processor time`, values: busy }));
  }
  console.log('  The command keeps at most 100 files open.');
}

/** The memory that closed diffs leave behind, and that an idle session uses. */
export async function benchInstalledMemory(scratch: Scratch): Promise<void> {
  console.log('\nmemory of the installed command');
  const command = await InstalledCommand.start(scratch);
  const client = await HttpClient.connect(command.target('gemini'));
  const propose = async (bytes: number): Promise<void> => {
    const { filePath, next } = proposals(scratch, bytes);
    await client.timeCall(client.prepareCall('openDiff', next()));
    await client.callTool('closeDiff', { filePath, suppressNotification: true });
  };
  await propose(3_600);
  const before = await command.memory();
  for (let count = 0; count < 17; count += 1) await propose(1_000_000 + count);
  const after = await command.memory();
  const megabytes = (after.heap - before.heap) / 1_000_000;
  console.log(describeValue('17 closed diffs of 1 MB', megabytes, 'MB', 5));
  client.close();
  await command.stop();
  const idle = await InstalledCommand.start(scratch);
  console.log(describeValue('an idle command', (await idle.memory()).heap / 1_000_000, 'MB'));
  await idle.stop();
  for (const agent of agentIds) {
    console.log(describeValue(`an idle session of ${agent}`, await idleSession(agent, scratch), 'KB', 40));
  }
}

/** Kilobytes per session, measured with 200 sessions, of which Codex CLI may have 100. */
async function idleSession(agent: AgentId, scratch: Scratch): Promise<number> {
  const sessions = agent === 'codex' ? 90 : 200;
  const command = await InstalledCommand.start(scratch);
  const ends: (() => void)[] = [];
  const connect = async (): Promise<void> => {
    ends.push(await connectIdle(agent, command, join(scratch.workspace, `${ends.length}`)));
  };
  // The first sessions allocate what all share.
  await connect();
  await connect();
  const before = await command.memory();
  for (let count = 0; count < sessions; count += 1) await connect();
  const after = await command.memory();
  for (const end of ends) end();
  await command.stop();
  return (after.heap - before.heap) / sessions / 1_000;
}

/** Connects one more session, and returns how to end it. A session of Codex CLI is a folder. */
async function connectIdle(agent: AgentId, command: InstalledCommand, folder: string): Promise<() => void> {
  if (agent === 'gemini' || agent === 'qwen') {
    const client = await HttpClient.connect(command.target(agent));
    await client.list();
    return () => client.close();
  }
  const endpoint = command.endpoint(agent);
  if (agent === 'codex') {
    await CodexClient.ask(endpoint.url, folder);
    return () => {};
  }
  if (agent === 'copilot') {
    const client = await CopilotClient.connect(endpoint, { session: basename(folder), pid: process.pid });
    return () => client.breakStream();
  }
  if (agent === 'claude') {
    const { port, token } = command.target(agent);
    const client = await WebSocketClient.connect(port, token);
    await client.initialize();
    await client.ask('tools/list', {});
    return () => client.close();
  }
  if (agent === 'pi') {
    const connections = await (await command.control()).call('connections', {});
    const { hooks = {} } = connections.find(({ id }) => id === agent) ?? {};
    const target = { port: Number(hooks[hookVariables.port]), token: hooks[hookVariables.token] ?? '' };
    const input = { event: 'session_start', session: basename(folder) };
    const call = { agent, mode: 'before', pid: process.pid, isInteractive: true, input };
    await callCompanion(target, call, { startLimitMs: 0 });
    return () => {};
  }
  // With Claude Code's token. Kilo CLI is not distinguished here: its process has no such name.
  const client = await connectOpencode(command.endpoint('claude'));
  return () => client.socket.terminate();
}

/** A file of this size in the workspace, and different proposals for it. */
function proposals(
  scratch: Scratch,
  bytes: number,
): { readonly filePath: string; next(): { filePath: string; newContent: string } } {
  const filePath = join(scratch.workspace, `${bytes}.ts`);
  writeFileSync(filePath, makeText(bytes));
  const original = readFileSync(filePath, 'utf8');
  let turn = 0;
  return {
    filePath,
    next: () => {
      turn += 1;
      return { filePath, newContent: changeText(original, turn) };
    },
  };
}

/** A command with this many pending reviews, and a session that proposes and closes one more. */
async function proposerBeside(
  pending: number,
  scratch: Scratch,
): Promise<{ propose(): Promise<number>; stop(): Promise<void> }> {
  const command = await InstalledCommand.start(scratch);
  const clients: HttpClient[] = [];
  for (let opened = 0; opened < pending; opened += 1) {
    if (opened % perSession === 0) clients.push(await HttpClient.connect(command.target('qwen')));
    const filePath = join(scratch.workspace, `pending${opened}.ts`);
    const text = makeText(3_600);
    writeFileSync(filePath, text);
    await clients.at(-1)?.callTool('openDiff', { filePath, newContent: changeText(text, opened) });
  }
  const client = await HttpClient.connect(command.target('gemini'));
  const { filePath, next } = proposals(scratch, 3_600);
  return {
    async propose() {
      const taken = await client.timeCall(client.prepareCall('openDiff', next()));
      await client.callTool('closeDiff', { filePath, suppressNotification: true });
      return taken;
    },
    async stop() {
      for (const each of [...clients, client]) each.close();
      await command.stop();
    },
  };
}
