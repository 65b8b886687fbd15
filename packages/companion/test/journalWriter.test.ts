import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, silentLogger } from '@tandem/core';
import { FakeClock } from '@tandem/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { Journal, type JournalContents } from '../src/index.js';
import { makeWorkspace, useStages } from './support/companionStage.js';
import { leftIn } from './support/crashedJournal.js';
import { holdDisk } from './support/heldDisk.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
// Registered after the removal, so that it runs before it: a companion that still runs writes its journal.
const start = useStages();

/** A companion with one review. The test reads its journal and controls its time. */
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
  test('has edits a quarter of a second after the last keystroke', async () => {
    const { clock, review, leftText } = await startKept();
    review.edit('typed\n');
    clock.advance(250);
    await expect.poll(leftText).toBe('typed\n');
  });

  test('is at most a second old while the user types without a pause, even if the clock jumps', async () => {
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

  test('drops a review that was rejected, or was accepted and written', async () => {
    const { stage, clock, client, review, left, path } = await startKept();
    review.edit('typed\n');
    review.accept();
    clock.advance(250);
    await expect
      .poll(async () => (await left()).interrupted)
      .toMatchObject([{ content: 'typed\n', isAccepted: true }]);
    expect((await left()).reviews).toEqual([]);
    writeFileSync(path, 'typed\n');
    await expect
      .poll(async () => {
        clock.advance(250);
        return (await left()).interrupted;
      })
      .toEqual([]);
    await client.openDiff(path, 'once more\n');
    clock.advance(250);
    await expect.poll(async () => (await left()).reviews).toHaveLength(1);
    stage.companion.reviews.pending[0]?.reject();
    clock.advance(250);
    await expect.poll(async () => (await left()).reviews).toEqual([]);
    expect((await left()).interrupted).toEqual([]);
  });

  test('holds a rejection that its agent has not received', async () => {
    const { stage, review } = await startKept();
    review.reject();
    expect(stage.companion.save().rejected).toMatchObject([{ content: 'proposed\n' }]);
  });

  test('delays callers for two seconds at most, and reports what a stuck disk has not stored until it is stored', async () => {
    const { stage, clock, review } = await startKept();
    const { companion } = stage;
    const other = await companion.reviews.propose({ ...review.proposal, session: 'other' });
    await companion.reviews.persisted();
    const disk = holdDisk();
    try {
      review.edit('typed\n');
      clock.advance(250);
      await disk.reached;
      const waiting = companion.reviews.persisted();
      await Promise.resolve();
      clock.advance(2_000);
      await waiting;
      expect([companion.journal.problemWith(review), companion.journal.problemWith(other)]).toEqual([
        'the disk does not answer',
        undefined,
      ]);
      // No further caller waits for it.
      await companion.reviews.persisted();
      const answering = new Promise<void>((resolve) => companion.journal.onDidChange(resolve));
      disk.release();
      await answering;
      expect(companion.journal.problemWith(review)).toBeUndefined();
    } finally {
      disk.release();
    }
  });
});
