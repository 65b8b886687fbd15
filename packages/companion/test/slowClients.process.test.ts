import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { texts } from '../../agents/test/support/rpc.js';
import { makeWorkspace, useStages } from './support/companionStage.js';

const start = useStages();
const updates = 2_000;
const selected = 16 * 1024;

/** A stream whose client receives the headers and then stops reading, like a process that is suspended or vanished. */
function openAndStopReading(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => resolve(response.pause())).on('error', reject);
  });
}

describe.each(['gemini', 'qwen'] as const)('a stream of %s that its client does not read', (agent) => {
  test('delays no other session, and contains the decision when it is read in the end', async () => {
    const folder = makeWorkspace({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const [a, b] = [join(folder, 'a.txt'), join(folder, 'b.txt')];
    const stage = await start({ folders: [folder] });
    const slow = await stage.connect(agent);
    const other = await stage.connect(agent);
    const connection = stage.companion.agents.connections().find(({ id }) => id === agent);
    const stream = await openAndStopReading(slow.url, {
      accept: 'text/event-stream',
      authorization: `Bearer ${connection?.token}`,
      'mcp-session-id': slow.sessionId ?? '',
    });
    await slow.openDiff(a, 'proposed\n');
    await other.openDiff(b, 'proposed\n');
    const [ofSlow, ofOther] = stage.companion.reviews.pending;

    const { user } = stage.editor;
    const before = process.memoryUsage().arrayBuffers;
    for (let at = 0; at < updates; at++) {
      user.focus(a, '');
      user.type(a, `${at} ${'x'.repeat(selected)}`);
      user.select(a, { start: { line: 0, character: 0 }, end: { line: 0, character: selected } });
      stage.companion.feed.flush();
      // Otherwise many updates would be merged into one.
      await other.request('ping');
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(48 * 1024 * 1024);

    ofSlow?.accept('accepted for the slow one\n');
    ofOther?.accept('accepted\n');
    expect((await other.next('ide/diffAccepted')).params).toEqual({ filePath: b, content: 'accepted\n' });

    let read = '';
    const hasDecision = new Promise<void>((resolve) => {
      stream.setEncoding('utf8').on('data', (text: string) => {
        read += text;
        if (read.includes('accepted for the slow one')) resolve();
      });
    });
    stream.resume();
    await hasDecision;
    await slow.request('ping');
    expect(read.split('ide/diffAccepted')).toHaveLength(2);
    // The slow client was not sent outdated updates; the other client received them.
    const contextUpdates = other.notifications.filter(({ method }) => method === 'ide/contextUpdate');
    expect(contextUpdates.at(-1)?.params.workspaceState.openFiles[0].selectedText).toMatch(
      `${updates - 1} x`,
    );
    expect(read.split('ide/contextUpdate').length).toBeLessThan(contextUpdates.length * 0.75);
    stream.destroy();
    for (const client of [slow, other]) await client.end();
  }, 60_000);
});

describe('an open socket of Claude Code that is not read', () => {
  test('is closed, the edits are kept, and other sessions continue', async () => {
    const folder = makeWorkspace({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const [a, b] = [join(folder, 'a.txt'), join(folder, 'b.txt')];
    const stage = await start({ folders: [folder] });
    const vanished = await stage.connect('claude');
    vanished.beginOpenDiff(a, 'proposed\n');
    await stage.heard('review.opened');
    vanished.socket.pause();
    const other = await stage.connect('claude');
    const call = other.beginOpenDiff(b, 'proposed\n');
    const { session } = await stage.heard('review.opened', ({ path }) => path === b);
    const [ofVanished, ofOther] = stage.companion.reviews.pending;
    ofVanished?.edit('typed\n');
    const { session: gone } = await stage.heard('session.closed');
    expect(gone).not.toBe(session);
    expect(stage.companion.interrupted.all).toMatchObject([{ path: a, content: 'typed\n' }]);
    ofOther?.accept();
    expect(texts(await other.answer(call))).toEqual(['FILE_SAVED', 'proposed\n']);
    vanished.socket.terminate();
    await other.close();
  }, 60_000);
});
