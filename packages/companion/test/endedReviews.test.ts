import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Review } from '@tandem/reviews';
import { FakeClock } from '@tandem/testing';
import { describe, expect, test } from 'vitest';
import type { CompanionClient } from '../../agents/test/support/companionClient.js';
import type { CompanionStage, StageOptions } from './support/companionStage.js';
import { leftIn } from './support/crashedJournal.js';
import { useSuccessiveCompanions } from './support/successiveCompanions.js';

const createSite = useSuccessiveCompanions();

const original = 'one\ntwo\n';
const typed = 'one\nTWO of mine\n';

/** A companion with a journal and one connected agent. */
async function begin(options: StageOptions = {}) {
  const site = createSite({ 'a.txt': original }, options);
  const stage = await site.begin();
  return { ...site, stage, client: await stage.connect('gemini') };
}

/** The review of the proposal in this test. */
async function propose(
  stage: CompanionStage,
  client: CompanionClient,
  path: string,
  content: string,
): Promise<Review> {
  await client.openDiff(path, content);
  const review = stage.companion.reviews.pending.find(({ proposal }) => proposal.path === path);
  if (review === undefined) throw new Error('Nothing is pending.');
  return review;
}

/** Every text that the next companion would offer after a crash at this moment. */
async function offeredAfterCrash(stage: CompanionStage, journal: string): Promise<string[]> {
  await stage.companion.journal.write();
  const { reviews, interrupted } = await leftIn(journal);
  return [...reviews, ...interrupted].map(({ content }) => content);
}

describe('an edited text of a proposal that its agent closed', () => {
  test('is still offered when more proposals have ended than are remembered', async () => {
    const { stage, client, journal, path } = await begin();
    (await propose(stage, client, path, 'proposed\n')).edit(typed);
    await client.closeDiff(path);
    const { companion } = stage;
    for (let count = 0; count < 130; count++) {
      const more = { path: `${path}.${count}`, content: 'more\n', agent: 'claude', session: `${count}` };
      (await companion.reviews.propose(more)).withdraw('agent');
    }
    expect(companion.interrupted.all).toMatchObject([{ path, content: typed }]);
    expect(companion.reviews.ended).toHaveLength(100);
    expect(await offeredAfterCrash(stage, journal)).toEqual([typed]);
    const [{ id } = { id: '' }] = companion.interrupted.all;
    await companion.interruptedFiles.apply(id);
    expect(readFileSync(path, 'utf8')).toBe(typed);
    expect(await offeredAfterCrash(stage, journal)).toEqual([]);
  });

  test('stays in the journal until the user applies or discards it', async () => {
    const clock = new FakeClock();
    const { stage, client, journal, path } = await begin({ clock });
    (await propose(stage, client, path, 'proposed\n')).edit(typed);
    await client.closeDiff(path);
    clock.advance(30 * 24 * 60 * 60_000);
    expect(await offeredAfterCrash(stage, journal)).toEqual([typed]);
  });

  test('is removed from the journal when its file contains it', async () => {
    const { stage, client, journal, path } = await begin();
    (await propose(stage, client, path, 'proposed\n')).edit(typed);
    await client.closeDiff(path);
    writeFileSync(path, typed);
    await stage.companion.sweep();
    expect(await offeredAfterCrash(stage, journal)).toEqual([]);
  });

  test('is stored once in the journal when the next review continues it', async () => {
    const { stage, client, journal, path } = await begin();
    (await propose(stage, client, path, 'proposed\n')).edit(typed);
    const again = await propose(stage, client, path, 'proposed\n');
    expect(again.content).toBe(typed);
    expect(await offeredAfterCrash(stage, journal)).toEqual([typed]);
    again.reject();
    expect(await offeredAfterCrash(stage, journal)).toEqual([]);
  });
});

describe('an accepted text that its agent has not written', () => {
  test.each([
    ['the same proposal', 'proposed\n', typed],
    ['another proposal of the session', 'another\n', 'proposed\n'],
  ])('is no longer offered after %s was rejected', async (_which, content, accepted) => {
    const { stage, client, journal, path } = await begin();
    (await propose(stage, client, path, 'proposed\n')).accept(accepted);
    await client.next('ide/diffAccepted');
    expect(await offeredAfterCrash(stage, journal)).toEqual([accepted]);
    (await propose(stage, client, path, content)).reject();
    await client.next('ide/diffRejected');
    expect(await offeredAfterCrash(stage, journal)).toEqual([]);
    await client.end();
    await stage.event('session.closed');
    const next = await stage.connect('gemini');
    const review = await propose(stage, next, path, 'proposed\n');
    expect([review.content, stage.companion.interrupted.all]).toEqual(['proposed\n', []]);
  });

  test('is still offered with the edits of the user after another proposal of the session was decided', async () => {
    const { stage, client, journal, path } = await begin();
    (await propose(stage, client, path, 'proposed\n')).accept(typed);
    await client.next('ide/diffAccepted');
    const next = await propose(stage, client, path, 'another\n');
    next.accept();
    await client.next('ide/diffAccepted');
    expect(await offeredAfterCrash(stage, journal)).toEqual([typed, 'another\n']);
    writeFileSync(path, 'another\n');
    await client.end();
    await expect.poll(() => stage.companion.interrupted.all).toMatchObject([{ content: typed }]);
  });

  test('is no longer offered after the same was rejected in a later session', async () => {
    const { stage, client, path } = await begin();
    const first = await propose(stage, client, path, 'proposed\n');
    first.accept(typed);
    await client.next('ide/diffAccepted');
    await expect.poll(() => first.isAnswered).toBe(true);
    await client.end();
    await expect.poll(() => stage.companion.interrupted.all).toMatchObject([{ content: typed }]);
    const second = await stage.connect('gemini');
    const review = await propose(stage, second, path, 'proposed\n');
    expect(review.content).toBe(typed);
    review.reject();
    await second.end();
    const third = await stage.connect('gemini');
    expect((await propose(stage, third, path, 'proposed\n')).content).toBe('proposed\n');
  });

  test('is still offered after a change to another file was rejected later', async () => {
    const { stage, client, journal, path } = await begin();
    (await propose(stage, client, path, 'proposed\n')).accept(typed);
    (await propose(stage, client, `${path}.other`, 'proposed\n')).reject();
    await client.next('ide/diffRejected');
    expect(await offeredAfterCrash(stage, journal)).toEqual([typed]);
  });

  test('is still offered if its file cannot be read, at the end of the session and later', async () => {
    const { stage, client, path } = await begin();
    (await propose(stage, client, path, 'proposed\n')).accept(typed);
    await client.next('ide/diffAccepted');
    rmSync(path);
    mkdirSync(path);
    await client.end();
    await expect.poll(() => stage.companion.interrupted.all).toMatchObject([{ content: typed }]);
    await stage.companion.sweep();
    expect(stage.companion.interrupted.all).toMatchObject([{ content: typed }]);
  });

  test('does not return after a crash between storing the rejection and removing the text', async () => {
    const { stage, client, path, begin: beginNext } = await begin();
    (await propose(stage, client, path, 'proposed\n')).accept(typed);
    const accepted = stage.companion.save().interrupted;
    await propose(stage, client, path, 'proposed\n');
    client.hangUp();
    stage.companion.reviews.pending[0]?.reject();
    const crashed = stage.companion.save();
    expect([accepted, crashed.interrupted, crashed.rejected]).toMatchObject([[{ content: typed }], [], [{}]]);
    const later = crashed.rejected?.map((review) => ({ ...review, interruptedAt: Date.now() + 1 }));
    await stage.companion.stop();
    const before = { ...crashed, interrupted: accepted, ...(later && { rejected: later }) };
    const second = await beginNext({ before });
    expect(second.companion.interrupted.all).toEqual([]);
  });
});

test('rejections are dropped with their session, including those that are no longer remembered', async () => {
  const { stage, client, path, journal } = await begin();
  const { companion } = stage;
  const { reviews } = companion;
  const session = stage.companion.agents.sessions[0]?.id ?? '';
  for (let count = 0; count < 101; count++) {
    // Without its protocol, the agent receives no answer.
    const proposal = { path: `${path}.${count}`, content: 'proposed\n', agent: 'gemini', session };
    (await reviews.propose(proposal)).reject();
  }
  expect([companion.save().rejected?.length, reviews.ended.length]).toEqual([101, 100]);
  await client.end();
  await stage.event('session.closed');
  await expect.poll(() => companion.save().rejected ?? []).toEqual([]);
  await stage.companion.journal.write();
  expect((await leftIn(journal)).rejected ?? []).toEqual([]);
}, 30_000);
