import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ClaudeClient } from '../../agents/test/support/claudeClient.js';
import { connectOpencode } from '../../agents/test/support/opencodeClient.js';
import type { AgentConnection } from '../src/control/index.js';
import type { JournalContents } from '../src/journal/journalContents.js';
import { makeMachine, makeWorkspace, useStages } from './support/companionStage.js';

const start = useStages();

/** A workspace with one file, its companion, and a function that starts the next one. */
async function startFirst() {
  const folder = makeWorkspace({ 'a.txt': 'one\ntwo\nthree\nfour\nfive\n' });
  const machine = makeMachine();
  const first = await start({ folders: [folder], machine });
  const follow = async (before: JournalContents = first.companion.save()) => {
    await first.companion.stop();
    // The journal passes through JSON on disk between the two.
    return start({ folders: [folder], machine, before: JSON.parse(JSON.stringify(before)) });
  };
  return { first, follow, path: join(folder, 'a.txt') };
}

type Staged = Awaited<ReturnType<typeof startFirst>>['first'];

/** The agents that have the same token in both companions. */
function sameTokens(first: Staged, second: Staged): string[] {
  const before = new Map(first.companion.agents.connections().map(({ id, token }) => [id, token]));
  return second.companion.agents
    .connections()
    .filter(({ id, token }) => token !== undefined && token === before.get(id))
    .map(({ id }) => id);
}

const proposal = (path: string) => ({
  old_file_path: path,
  new_file_path: path,
  new_file_contents: 'proposed\n',
  tab_name: 'a tab',
});

describe('a companion that follows another one', () => {
  test.each(['gemini', 'qwen'] as const)('continues the session and the proposal of %s', async (agent) => {
    const { first, follow, path } = await startFirst();
    const client = await first.connect(agent);
    await client.openDiff(path, 'ONE\ntwo\nthree\nfour\nFIVE\n');
    first.companion.reviews.pending[0]?.dropHunk(0);
    first.companion.reviews.pending[0]?.edit('one\ntwo\nthree and more\nfour\nFIVE\n');

    const second = await follow();
    expect(second.companion.port).toBe(first.companion.port);
    expect(sameTokens(first, second)).toEqual([agent]);
    await second.event('review.opened');
    const [review] = second.companion.reviews.pending;
    expect(review?.content).toBe('one\ntwo\nthree and more\nfour\nFIVE\n');
    expect(review?.keptHunks).toEqual([false, true]);

    expect((await client.openStream()).status).toBe(200);
    review?.keepHunk(0);
    review?.accept();
    expect((await client.next('ide/diffAccepted')).params).toEqual({
      filePath: path,
      content: 'ONE\ntwo\nthree and more\nfour\nFIVE\n',
    });
    expect((await client.request('tools/list')).result).toHaveProperty('tools');
  });

  test('has new tokens for the agents that nothing needs', async () => {
    const { first, follow } = await startFirst();
    const second = await follow();
    expect(second.companion.port).toBe(first.companion.port);
    expect(sameTokens(first, second)).toEqual([]);
  });

  test.each([
    ['Claude Code', (claude: AgentConnection) => ClaudeClient.connect(claude)],
    ['opencode, which has the same one,', connectOpencode],
  ])('keeps the token with which %s was connected within the last minute', async (_name, connect) => {
    const { first, follow } = await startFirst();
    const [claude] = first.companion.agents.connections().filter(({ id }) => id === 'claude');
    if (claude === undefined) throw new Error('Claude Code is not served.');
    const client = await connect(claude);
    const closed = first.event('session.closed');
    await client.close();
    await closed;
    expect(sameTokens(first, await follow())).toEqual(['claude']);
  });

  test.each([
    ['unless its review is pending', 1, ['qwen']],
    ['without a pending review', 0, []],
  ])('has a new token for an agent that disconnected a minute ago, %s', async (_when, pending, same) => {
    const { first, follow, path } = await startFirst();
    const client = await first.connect('qwen');
    await client.openDiff(path, 'other\n');
    const left = first.companion.save();
    const second = await follow({
      ...left,
      sessions: [],
      disconnected: { qwen: Date.now() - 60_000 },
      reviews: left.reviews.slice(0, pending),
    });
    expect(second.companion.port).toBe(first.companion.port);
    expect(sameTokens(first, second)).toEqual(same);
  });

  test('shows a session as away until its client reconnects, and then reports a decision to it', async () => {
    const { first, follow, path } = await startFirst();
    const client = await first.connect('gemini');
    await client.openDiff(path, 'other\n');
    const second = await follow();
    await second.event('review.opened');
    const session = async () => {
      const { agents } = await second.companion.status();
      return agents.find(({ id }) => id === 'gemini')?.sessions[0];
    };
    expect(await session()).toMatchObject({ isAway: true });
    expect(await session()).not.toHaveProperty('lastMessageAt');
    second.companion.reviews.pending[0]?.reject();
    await client.openStream();
    expect((await client.next('ide/diffRejected')).params).toEqual({ filePath: path });
    expect(await session()).not.toHaveProperty('isAway');
  });

  test('lets Claude Code reconnect with its token, and restores the edits to its proposal', async () => {
    const { first, follow, path } = await startFirst();
    const client = await first.connect('claude');
    const opened = first.event('review.opened');
    client.beginCall('openDiff', proposal(path));
    await opened;
    first.companion.reviews.pending[0]?.edit('typed\n');
    const second = await follow();
    expect(second.companion.reviews.pending).toEqual([]);

    const again = await second.connect('claude');
    const accepted = again.call('openDiff', proposal(path));
    await second.event('review.opened');
    expect(second.companion.reviews.pending[0]?.content).toBe('typed\n');
    second.companion.reviews.pending[0]?.accept();
    expect(JSON.stringify(await accepted)).toContain('typed');
  });

  test('listens before any connection is refused', async () => {
    const { first, follow } = await startFirst();
    const client = await first.connect('gemini');
    const following = follow();
    const comesBack = async (): Promise<number> => {
      for (;;) {
        try {
          return (await client.openStream()).status;
        } catch {
          // The next companion does not listen yet.
        }
      }
    };
    expect(await comesBack()).toBe(200);
    await following;
  });

  test('listens on another port if its own is taken, and still keeps the edits', async () => {
    const { first, path } = await startFirst();
    const client = await first.connect('gemini');
    await client.openDiff(path, 'proposed\n');
    first.companion.reviews.pending[0]?.edit('typed\n');
    const second = await start({ before: first.companion.save() });
    expect(second.companion.port).not.toBe(first.companion.port);
    expect(second.companion.agents.sessions).toEqual([]);
    await (await second.connect('gemini')).openDiff(path, 'proposed\n');
    expect(second.companion.reviews.pending[0]?.content).toBe('typed\n');
  });
});
