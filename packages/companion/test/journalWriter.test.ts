import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, silentLogger } from '@tandem/core';
import { FakeClock } from '@tandem/core/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { Journal, type JournalContents } from '../src/index.js';
import { makeWorkspace, useStages } from './support/companionStage.js';
import { leftIn } from './support/crashedJournal.js';
import { holdDisk } from './support/heldDisk.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
// After the removal, and so run before it: what still runs writes its journal.
const start = useStages();

/** A companion with one review, whose journal a test reads, and whose time it moves. */
async function startKept(logger: Logger = silentLogger) {
  const folder = makeWorkspace({ 'a.txt': 'one\n' });
  const journal = mkdtempSync(join(tmpdir(), 'journal-'));
  folders.push(folder, journal);
  const clock = new FakeClock();
  const memory = Journal.open({ folder: journal, window: 'a', logger });
  const stage = await start({ folders: [folder], clock, journal: memory, logger });
  const client = await stage.connect('gemini');
  await client.openDiff(join(folder, 'a.txt'), 'proposed\n');
  const [review] = stage.companion.reviews.pending;
  if (review === undefined) throw new Error('Nothing is pending.');
  /** What a crash now would leave. */
  const left = (): Promise<JournalContents> => leftIn(journal);
  /** The text of the only review in it. */
  const leftText = async (): Promise<string | undefined> => (await left()).reviews[0]?.content;
  return { stage, clock, client, review, left, leftText, path: join(folder, 'a.txt') };
}

describe('the journal of a running companion', () => {
  test('has what is typed a quarter of a second after the last key', async () => {
    const { clock, review, leftText } = await startKept();
    review.edit('typed\n');
    clock.advance(250);
    await expect.poll(leftText).toBe('typed\n');
  });

  test('is never older than a second while somebody types without a pause, also when the clock jumps', async () => {
    const { clock, review, leftText } = await startKept();
    clock.advance(1_000);
    await expect.poll(leftText).toBe('proposed\n');
    for (let tenths = 1; tenths <= 9; tenths++) {
      review.edit(`typed ${tenths}\n`);
      clock.setTimeOfDay(tenths % 2 === 0 ? 0 : 4_000_000_000_000);
      clock.advance(100);
    }
    expect(await leftText()).toBe('proposed\n');
    review.edit('typed 10\n');
    clock.advance(100);
    await expect.poll(leftText).toBe('typed 10\n');
  });

  test('does not hold a review any more that was rejected, or accepted a while ago', async () => {
    const { stage, clock, client, review, left, path } = await startKept();
    review.edit('typed\n');
    review.accept();
    clock.advance(250);
    await expect
      .poll(async () => (await left()).interrupted)
      .toMatchObject([{ content: 'typed\n', isAccepted: true }]);
    expect((await left()).reviews).toEqual([]);
    clock.advance(20_001);
    clock.advance(250);
    await expect.poll(async () => (await left()).interrupted).toEqual([]);
    await client.openDiff(path, 'once more\n');
    clock.advance(250);
    await expect.poll(async () => (await left()).reviews).toHaveLength(1);
    stage.companion.reviews.pending[0]?.reject();
    clock.advance(250);
    await expect.poll(async () => (await left()).reviews).toEqual([]);
    expect((await left()).interrupted).toEqual([]);
  });

  test('holds a rejection that its agent has not had yet', async () => {
    const { stage, review } = await startKept();
    review.reject();
    expect(stage.companion.save().rejected).toMatchObject([{ content: 'proposed\n' }]);
  });

  test('is waited for two seconds at most; what a stuck disk has not taken says so until it has', async () => {
    const { stage, clock, review } = await startKept();
    const { companion } = stage;
    const other = await companion.reviews.propose({ ...review.proposal, session: 'other' });
    await companion.reviews.writtenDown();
    const disk = holdDisk();
    try {
      review.edit('typed\n');
      clock.advance(250);
      await disk.reached;
      const waiting = companion.reviews.writtenDown();
      await Promise.resolve();
      clock.advance(2_000);
      await waiting;
      expect([companion.journal.problemWith(review), companion.journal.problemWith(other)]).toEqual([
        'the disk does not answer',
        undefined,
      ]);
      // Nobody waits for it again.
      await companion.reviews.writtenDown();
      const answering = new Promise<void>((resolve) => companion.journal.onDidChange(resolve));
      disk.release();
      await answering;
      expect(companion.journal.problemWith(review)).toBeUndefined();
    } finally {
      disk.release();
    }
  });
});
