/** @module-tag exhaustive */
import { get, type IncomingMessage, type RequestOptions } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CopilotClient } from '../../agents/test/support/copilotClient.js';
import { jsonOf, texts } from '../../agents/test/support/rpc.js';
import { type CompanionStage, makeWorkspace, useStages } from './support/companionStage.js';

const start = useStages();
const updates = 2_000;
const selected = 16 * 1024;

/** A stream whose client receives the headers and then stops reading, like a process that is suspended or vanished. */
function openAndStopReading(options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ ...options, agent: false }, (response) => resolve(response.pause())).on('error', reject);
  });
}

/** Changes the selection again and again, for one client that reads and one that does not. */
async function selectOften(
  { editor: { user }, companion }: CompanionStage,
  path: string,
  reader: { request(method: string): Promise<unknown> },
): Promise<void> {
  const before = process.memoryUsage().arrayBuffers;
  for (let at = 0; at < updates; at++) {
    user.focus(path, '');
    user.type(path, `${at} ${'x'.repeat(selected)}`);
    user.select(path, { start: { line: 0, character: 0 }, end: { line: 0, character: selected } });
    companion.feed.flush();
    // Otherwise many updates would be merged into one.
    await reader.request('ping');
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(48 * 1024 * 1024);
}

/** Collects what a stream contains. */
function readOn(
  stream: IncomingMessage,
  until: string,
): { readonly text: string; readonly found: Promise<void> } {
  const reading = { text: '', found: Promise.resolve() };
  reading.found = new Promise((resolve) => {
    stream.setEncoding('utf8').on('data', (text: string) => {
      reading.text += text;
      if (reading.text.includes(until)) resolve();
    });
  });
  stream.resume();
  return reading;
}

describe.each(['gemini', 'qwen'] as const)('a stream of %s that its client does not read', (agent) => {
  test('delays no other session, and contains the decision when it is read in the end', async () => {
    const folder = makeWorkspace({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const [a, b] = [join(folder, 'a.txt'), join(folder, 'b.txt')];
    const stage = await start({ folders: [folder] });
    const slow = await stage.connect(agent);
    const other = await stage.connect(agent);
    const connection = stage.companion.agents.connections().find(({ id }) => id === agent);
    const { hostname, port, pathname } = new URL(slow.url);
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${connection?.token}`,
      'mcp-session-id': slow.sessionId ?? '',
    };
    const stream = await openAndStopReading({ hostname, port, path: pathname, headers });
    await slow.openDiff(a, 'proposed\n');
    await other.openDiff(b, 'proposed\n');
    const [ofSlow, ofOther] = stage.companion.reviews.pending;

    await selectOften(stage, a, other);
    ofSlow?.accept('accepted for the slow one\n');
    ofOther?.accept('accepted\n');
    expect((await other.next('ide/diffAccepted')).params).toEqual({ filePath: b, content: 'accepted\n' });

    const read = readOn(stream, 'accepted for the slow one');
    await read.found;
    await slow.request('ping');
    expect(read.text.split('ide/diffAccepted')).toHaveLength(2);
    // The slow client was not sent outdated updates; the other client received them.
    const contextUpdates = () => other.notifications.filter(({ method }) => method === 'ide/contextUpdate');
    const lastText = (): string => contextUpdates().at(-1)?.params.workspaceState.openFiles[0].selectedText;
    await other.until(() => lastText().startsWith(`${updates - 1} x`));
    expect(read.text.split('ide/contextUpdate').length).toBeLessThan(contextUpdates().length * 0.75);
    stream.destroy();
    for (const client of [slow, other]) await client.end();
  }, 60_000);
});

describe('a stream of Copilot CLI that it does not read', () => {
  test('delays no other session, and no decision', async () => {
    const folder = makeWorkspace({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const [a, b] = [join(folder, 'a.txt'), join(folder, 'b.txt')];
    const stage = await start({ folders: [folder] });
    const connection = stage.companion.agents.connections().find(({ id }) => id === 'copilot');
    const endpoint = { url: connection?.url ?? '', token: connection?.token };
    const slow = new CopilotClient(endpoint, { pid: 1 });
    await slow.initialize();
    const headers = {
      host: 'localhost',
      accept: 'text/event-stream',
      authorization: `Nonce ${endpoint.token}`,
      'mcp-session-id': slow.sessionId ?? '',
    };
    const stream = await openAndStopReading({ socketPath: endpoint.url, path: '/mcp', headers });
    const other = await CopilotClient.connect(endpoint, { pid: 2 });
    const ofSlow = slow.openDiff(a, 'proposed\n', 'tab of a');
    const ofOther = other.openDiff(b, 'proposed\n', 'tab of b');
    await expect.poll(() => stage.companion.reviews.pending).toHaveLength(2);

    await selectOften(stage, a, other);
    for (const review of stage.companion.reviews.pending) review.accept();
    expect(jsonOf(await ofSlow).result).toBe('SAVED');
    expect(jsonOf(await ofOther).result).toBe('SAVED');
    const received = () => other.notifications.filter(({ method }) => method === 'selection_changed');
    await expect.poll(() => received().at(-1)?.params.text).toMatch(`${updates - 1} x`);

    // It receives the last selection in the end, but not all the outdated ones.
    const last = `"text":"${updates - 1} x`;
    const read = readOn(stream, last);
    await read.found;
    expect(read.text.split('selection_changed').length).toBeLessThan(received().length * 0.75);
    stream.destroy();
    for (const client of [slow, other]) client.hangUp();
  }, 60_000);
});

describe('an open socket of Claude Code that is not read', () => {
  test('is closed, the edits are kept, and other sessions continue', async () => {
    const folder = makeWorkspace({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const [a, b] = [join(folder, 'a.txt'), join(folder, 'b.txt')];
    const stage = await start({ folders: [folder] });
    const vanished = await stage.connect('claude');
    vanished.beginOpenDiff(a, 'proposed\n');
    await stage.event('review.opened');
    vanished.socket.pause();
    const other = await stage.connect('claude');
    const call = other.beginOpenDiff(b, 'proposed\n');
    const { session } = await stage.event('review.opened', ({ path }) => path === b);
    const [ofVanished, ofOther] = stage.companion.reviews.pending;
    ofVanished?.edit('typed\n');
    const { session: gone } = await stage.event('session.closed');
    expect(gone).not.toBe(session);
    expect(stage.companion.interrupted.all).toMatchObject([{ path: a, content: 'typed\n' }]);
    ofOther?.accept();
    expect(texts(await other.answer(call))).toEqual(['FILE_SAVED', 'proposed\n']);
    vanished.socket.terminate();
    await other.close();
  }, 60_000);
});
