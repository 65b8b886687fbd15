import { readFileSync } from 'node:fs';
import { ReviewRecords } from '@tandem/reviews';
import { FakeClock } from '@tandem/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CompanionClient } from '../../agents/test/support/companionClient.js';
import { History } from '../src/reviews/history.js';
import { type CompanionStage, filesBelow } from './support/companionStage.js';
import { useSuccessiveCompanions } from './support/successiveCompanions.js';

const createSite = useSuccessiveCompanions();
let site: ReturnType<typeof createSite>;
beforeEach(() => {
  site = createSite({ 'a.txt': 'one\n' });
});

/** Rejects a new proposal with a comment. The answer has reached the agent. */
async function reject(stage: CompanionStage, agent: CompanionClient, content: string): Promise<string> {
  await agent.openDiff(site.path, content);
  const review = stage.companion.reviews.pending.at(-1);
  review?.addComment({ text: `Why ${content.trim()}?`, lines: { first: 0, last: 0 } });
  review?.reject();
  await agent.next('ide/diffRejected');
  return review?.id ?? '';
}

/** Everything that the journal has on disk. */
const onDisk = (): string =>
  filesBelow(site.journal)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');

describe('a decided review of an earlier companion', () => {
  test('is listed, and shown with its comments, like one of this companion', async () => {
    const first = await site.begin();
    const id = await reject(first, await first.connect('gemini'), 'two\n');
    const { client: before } = await first.found();
    const [listed, shown] = [
      await before.call('review.list', { all: true }),
      await before.call('review.show', { id }),
    ];
    expect(listed).toMatchObject([{ id, state: 'rejected', comments: 1, added: 1, removed: 1 }]);
    await first.companion.stop();
    const second = await site.begin();
    const { client } = await second.found();
    expect(await client.call('review.list', { all: true })).toEqual(listed);
    expect(await client.call('review.list', {})).toEqual([]);
    expect(await client.call('review.show', { id })).toEqual(shown);
    expect(second.companion.history.review(id)?.decidedAt).toBe(
      second.companion.history.entries[0]?.decided.at,
    );
    for (const late of [
      client.call('review.accept', { id }),
      client.call('review.edit', { id, content: 'three\n' }),
      client.call('review.comment', { id, text: 'More' }),
    ]) {
      await expect(late).rejects.toMatchObject({ code: 'already-decided' });
    }
  });

  test('has feedback that is sent like that of a recent one: the text, and why it must be pasted', async () => {
    const first = await site.begin();
    const agent = await first.connect('gemini');
    const id = await reject(first, agent, 'two\n');
    const text = 'Review of a.txt, line 1: rejected.\n\n│ two\nWhy two?';
    const { client: before } = await first.found();
    const recent = await before.call('review.feedback', { id });
    expect(recent).toMatchObject({ text, delivery: 'clipboard' });
    // Its session is still connected.
    first.companion.reviews.forgetDecided();
    expect(await before.call('review.feedback', { id })).toEqual(recent);
    await agent.end();
    await first.companion.stop();
    const { client } = await (await site.begin()).found();
    expect(await client.call('review.feedback', { id, text: 'Again.' })).toMatchObject({
      text: expect.stringContaining('Why two?\n\nOn the whole proposal:\nAgain.'),
      note: expect.stringContaining('it has disconnected'),
    });
    await expect(client.call('review.feedback', { id: '99' })).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('the texts of decided reviews', () => {
  test('are on disk only within the limit', async () => {
    const stage = await site.begin({ history: { entries: 2 } });
    const agent = await stage.connect('gemini');
    for (const content of ['apple\n', 'banana\n', 'cherry\n']) await reject(stage, agent, content);
    await stage.companion.journal.write();
    expect(onDisk()).toMatch(/cherry/);
    expect(onDisk()).toMatch(/banana/);
    expect(onDisk()).not.toMatch(/apple/);
  });

  test('are nowhere after their deletion: not on disk, in no list, and not in the next companion', async () => {
    const stage = await site.begin();
    const agent = await stage.connect('gemini');
    const id = await reject(stage, agent, 'apple\n');
    await stage.companion.journal.write();
    expect(onDisk()).toMatch(/apple/);
    const { client } = await stage.found();
    await client.call('changes.forget', {});
    expect(onDisk()).not.toMatch(/apple/);
    expect(await client.call('review.list', { all: true })).toEqual([]);
    await expect(client.call('review.show', { id })).rejects.toMatchObject({ code: 'not-found' });
    await stage.companion.stop();
    expect((await site.begin()).companion.history.entries).toEqual([]);
  });

  test('are dropped when they are too old, also while nothing happens', async () => {
    const stage = await site.begin();
    await reject(stage, await stage.connect('gemini'), 'apple\n');
    const [entry] = stage.companion.history.entries;
    const clock = new FakeClock(entry?.decided.at);
    const { reviews } = stage.companion;
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const history = new History({
      turnOf: () => undefined,
      records: new ReviewRecords({ logger }),
      reviews,
      clock,
      logger,
      limits: { days: 3 },
    });
    history.add(entry === undefined ? [] : [entry]);
    let changes = 0;
    history.onDidChange(() => {
      changes += 1;
    });
    clock.advance(3 * 24 * 60 * 60_000);
    expect([history.entries.length, changes]).toEqual([1, 0]);
    clock.advance(1);
    expect([history.entries.length, changes]).toEqual([0, 1]);
    history.dispose();
  });

  test('are dropped, the oldest first, when their texts are too long together, but never the last one', async () => {
    const stage = await site.begin();
    await reject(stage, await stage.connect('gemini'), 'apple\n');
    const [entry] = stage.companion.history.entries;
    const { reviews } = stage.companion;
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const history = new History({
      turnOf: () => undefined,
      records: new ReviewRecords({ logger }),
      reviews,
      clock: new FakeClock(entry?.decided.at),
      logger,
    });
    const text = 'x'.repeat(20 * 1024 * 1024);
    const add = (id: number, proposed: string): void => {
      if (entry === undefined) return;
      const key = id.toString(16).padStart(24, '0');
      const before = { kind: 'missing' } as const;
      const decided = { ...entry.decided, id: `${id}`, at: entry.decided.at + id };
      history.add([{ ...entry, key, original: before, proposed, content: proposed, decided }]);
    };
    const ids = (): string[] => history.entries.map(({ decided }) => decided.id);
    for (const id of [1, 2, 3]) add(id, text);
    expect(ids()).toEqual(['1', '2', '3']);
    history.addRestoration({
      entry: { agent: 'gemini', session: 's', path: '/a', isOutsideWorkspace: false },
      before: { kind: 'missing' },
      after: { kind: 'text', text },
    });
    expect(history.entries).toHaveLength(3);
    history.clear();
    add(4, text.repeat(4));
    expect(ids()).toEqual(['4']);
    add(5, 'short');
    expect(ids()).toEqual(['5']);
    for (const id of [6, 7, 8]) add(id, text);
    expect(ids()).toEqual(['5', '6', '7', '8']);
    history.dispose();
  });
});
