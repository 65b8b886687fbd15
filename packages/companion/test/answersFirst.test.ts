import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Review } from '@tandem/reviews';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FoundCompanion } from '../src/control/index.js';
import { CompanionStage, makeWorkspace } from './support/companionStage.js';
import { openJournal } from './support/crashedJournal.js';

let folder: string;
let journal: string;
let stage: CompanionStage;
let client: FoundCompanion['client'];

beforeEach(async () => {
  folder = makeWorkspace({ 'a.txt': 'one\ntwo\nthree\n' });
  journal = mkdtempSync(join(tmpdir(), 'journal-'));
  stage = await CompanionStage.create({ folders: [folder], journal: openJournal(journal) });
  client = (await stage.found()).client;
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stage.companion.stop();
  for (const each of [folder, journal]) rmSync(each, { recursive: true, force: true });
});

/** Counts the reads of everything for which the lines of the texts are compared. */
function countComparisons(): () => number {
  const read = (['hunks', 'keptHunks', 'hunkLines', 'lineCounts'] as const).map((name) =>
    vi.spyOn(Review.prototype, name, 'get'),
  );
  return () => read.reduce((sum, { mock }) => sum + mock.calls.length, 0);
}

const mine = { id: '1', content: 'ONE\ntwo\nmine\n' };
const all = async (decision: 'accept' | 'reject', rest: { rejectsEdited?: boolean } = {}) => {
  const [{ id: session = '' } = {}] = await client.call('session.list', {});
  return client.call('session.decide', { session, decision, answer: rest });
};

/** What a user does through the control interface while an agent waits for its answer. */
const calls: Record<string, () => Promise<unknown>> = {
  'a rejection': () => client.call('review.reject', { id: '1' }),
  'an acceptance': () => client.call('review.accept', { id: '1' }),
  'an acceptance of another text': () => client.call('review.accept', mine),
  'an edit': () => client.call('review.edit', mine),
  'an edit and a rejection': async () => {
    await client.call('review.edit', mine);
    await client.call('review.reject', { id: '1' });
  },
  'an update': async () => {
    writeFileSync(join(folder, 'a.txt'), 'one\ntwo\nthree\nfour\n');
    await client.call('review.merge', { id: '1' });
  },
  'an acceptance of all': () => all('accept'),
  'a rejection of all': () => all('reject'),
};

describe("an agent's answer does not wait for a comparison of texts", () => {
  test.each(Object.keys(calls))('after %s', async (name) => {
    const agent = await stage.connect('gemini');
    await agent.openDiff(join(folder, 'a.txt'), 'ONE\ntwo\nthree\n');
    const comparisons = countComparisons();
    await calls[name]?.();
    expect(comparisons()).toBe(0);
    await client.call('review.list', { all: true });
    expect(comparisons()).toBeGreaterThan(0);
  });

  test('after a hunk is dropped, beyond what that needs', async () => {
    const agent = await stage.connect('gemini');
    await agent.openDiff(join(folder, 'a.txt'), 'ONE\ntwo\nTHREE\n');
    vi.spyOn(Review.prototype, 'lineCounts', 'get').mockImplementation(() => {
      throw new Error('The lines were counted.');
    });
    const changed = await client.call('review.hunk', { id: '1', hunk: 0, isKept: false });
    expect(changed).toMatchObject({ id: '1', state: 'pending', isEdited: true });
  });
});
