import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { forEachWithPauses } from '../src/files/pausing.js';
import { type CompanionStage, makeWorkspace, useStages } from './support/companionStage.js';

const count = 20;
let folder: string;
let stage: CompanionStage;
const start = useStages();
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** From now on, every step of a task takes as long as other work may wait. */
function slowDown(): void {
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 20;
    return now;
  });
}

/** Runs a task. Resolves to how many turns of the event loop other work had meanwhile. */
async function turnsDuring(task: () => Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  const running = task().finally(() => {
    isOver = true;
  });
  for (; !isOver; turns += 1) await setImmediate();
  await running;
  return turns;
}

describe('many small reviews', () => {
  beforeEach(async () => {
    folder = makeWorkspace();
    stage = await start({ folders: [folder] });
    const agent = await stage.connect('gemini');
    for (let at = 0; at < count; at += 1) await agent.openDiff(join(folder, `${at}.txt`), `${at}\n`);
    slowDown();
  });

  test('are listed with other work in between', async () => {
    const { companion } = stage;
    const { pending } = companion.reviews;
    const turns = await turnsDuring(async () => {
      const listed = await companion.present.summaries(() => pending);
      expect(listed.map(({ id, added }) => [id, added])).toEqual(pending.map(({ id }) => [id, 1]));
    });
    expect(turns).toBeGreaterThanOrEqual(count);
  });

  test('are listed as they are at the end of that', async () => {
    const { companion } = stage;
    const listing = companion.present.summaries(() => companion.reviews.pending);
    await setImmediate();
    companion.reviews.pending[0]?.reject();
    companion.reviews.pending[0]?.edit('one\ntwo\n');
    const listed = await listing;
    expect(listed).toHaveLength(count - 1);
    expect(listed[0]).toMatchObject({ id: '2', isEdited: true, added: 2 });
  });

  test('are rejected with other work in between, except what changed meanwhile', async () => {
    const { sessions, reviews } = stage.companion;
    const session = sessions.list()[0]?.id ?? '';
    const seen = (await sessions.preview(session)).map(({ review, seen }) => ({ id: review.id, seen }));
    const last = reviews.pending.at(-1);
    const turns = await turnsDuring(async () => {
      const rejecting = sessions.decide([session], 'reject', { seen });
      await setImmediate();
      last?.edit('mine\n');
      expect(await rejecting).toMatchObject({ pending: [{ review: last, obstacle: 'changed' }] });
    });
    expect(turns).toBeGreaterThanOrEqual(count);
    expect(reviews.pending).toEqual([last]);
  });
});

test('each item is finished before the next one, and a failure ends the task', async () => {
  folder = makeWorkspace();
  const done: number[] = [];
  const run = (item: number): Promise<void> =>
    setImmediate().then(() => {
      if (item === 3) throw new Error('no');
      done.push(item);
    });
  await expect(forEachWithPauses([1, 2, 3, 4], run)).rejects.toThrow('no');
  expect(done).toEqual([1, 2]);
});
