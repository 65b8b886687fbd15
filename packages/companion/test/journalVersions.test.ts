import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newReviewKey } from '@tandem/reviews';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeWorkspace, useStages } from './support/companionStage.js';
import { deadPid, openJournal } from './support/crashedJournal.js';
import { review, saved, writeAll } from './support/journalSamples.js';

let root: string;
let workspace: string;
afterEach(() => {
  for (const each of [root, workspace]) rmSync(each, { recursive: true, force: true });
});
// Registered after the removal, so that it runs before it: a companion that still runs writes its journal.
const start = useStages();
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'journal-'));
  workspace = makeWorkspace();
});

/** A large text has a file of its own. */
const large = 'a line of the text\n'.repeat(1_000);
const shared = { ...review, proposed: large };

/** The file of the only journal with this name, which exists exactly once. */
function fileOf(key: string, number = 1): string {
  const [folder = ''] = readdirSync(root);
  return join(root, folder, `${key}.${number}.json`);
}

/** Changes a file as a later version of Tandem may write it. */
function writeLater(from: string, to: string, change: Record<string, unknown>, inReview = {}): void {
  const file = JSON.parse(readFileSync(from, 'utf8'));
  writeFileSync(to, JSON.stringify({ ...file, ...change, review: { ...file.review, ...inReview } }), {
    mode: 0o600,
  });
}

/** Runs a companion of this version, and ends it. */
async function runThisVersion(): Promise<readonly string[]> {
  const { companion } = await start({ folders: [workspace], journal: openJournal(root) });
  const offered = companion.interrupted.all.map(({ key }) => key);
  for (const { id } of companion.interrupted.all.slice(1)) companion.interrupted.remove(id);
  await companion.reviews.persisted();
  await companion.stop();
  return offered;
}

describe('what a later version of Tandem has written', () => {
  test('stays in a review that this version offers', async () => {
    await writeAll(openJournal(root, deadPid), saved(1000, { reviews: [shared] }));
    writeLater(fileOf(review.key), fileOf(review.key), {}, { snoozedUntil: 5 });
    expect(await runThisVersion()).toEqual([review.key]);
    const file = JSON.parse(readFileSync(fileOf(review.key, 2), 'utf8'));
    expect(file).toMatchObject({ kind: 'interrupted', review: { snoozedUntil: 5 } });
  });

  test('stays in a change of the history, so that what is kept there stays kept', async () => {
    const decided = { id: 'w1', at: Date.now(), how: 'written' } as const;
    await writeAll(openJournal(root, deadPid), saved(1000, { history: [{ ...shared, decided }] }));
    writeLater(fileOf(review.key), fileOf(review.key), {}, { keptAt: 5, seenAt: 6 });
    const { companion } = await start({ folders: [workspace], journal: openJournal(root) });
    companion.history.continueSession(review.session, 'another');
    await companion.stop();
    const file = JSON.parse(readFileSync(fileOf(review.key, 2), 'utf8'));
    expect(file.review).toMatchObject({ session: 'another', keptAt: 5, seenAt: 6 });
  });

  test.each([
    ['in another format', { format: 4 }],
    ['in a state that this version does not know', { kind: 'snoozed' }],
  ])('%s stays as it is, with its texts, also where an earlier file is readable', async (_how, change) => {
    const [first, second, third] = [newReviewKey(), newReviewKey(), newReviewKey()];
    const reviews = [first, second, third].map((key, at) => ({ ...shared, key, path: `/w/${at}` }));
    await writeAll(openJournal(root, deadPid), saved(1000, { reviews }));
    writeLater(fileOf(third), fileOf(third, 2), change);
    const before = readFileSync(fileOf(third, 2), 'utf8');
    expect(await runThisVersion()).toEqual([first, second]);
    expect([1, 2, 3].map((number) => existsSync(fileOf(third, number)))).toEqual([true, true, false]);
    expect(readFileSync(fileOf(third, 2), 'utf8')).toBe(before);
    expect(existsSync(fileOf(second))).toBe(false);
    const { file: text } = JSON.parse(before).proposed;
    expect(readFileSync(join(fileOf(third), '..', text), 'utf8')).toBe(large);
  });

  test('in another format for a companion leaves its whole journal to that version', async () => {
    await writeAll(openJournal(root, deadPid), saved(1000, { reviews: [review] }));
    writeLater(fileOf('companion'), fileOf('companion', 2), { format: 4 });
    const [folder = ''] = readdirSync(root);
    const before = readdirSync(join(root, folder));
    expect(await runThisVersion()).toEqual([]);
    expect(readdirSync(join(root, folder))).toEqual(before);
  });
});
