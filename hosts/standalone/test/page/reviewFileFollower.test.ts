import { rmSync, writeFileSync } from 'node:fs';
import type { ReviewSummary } from '@tandem/rpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PageFixture } from '../support/pageFixture.js';

const lines = (count: number): string[] => Array.from({ length: count }, (_none, at) => `line ${at}\n`);
const proposal = lines(20).with(3, 'proposed\n').join('');
const merged = lines(20).with(3, 'proposed\n').with(15, 'theirs\n').join('');

let fixture: PageFixture;
beforeEach(async () => {
  fixture = await PageFixture.start();
});
afterEach(() => fixture.dispose());

/** Whether a review has a note of this kind; undefined if there is no review. */
const has = (review: ReviewSummary | undefined, kind: string): boolean | undefined =>
  review?.notes.some((note) => note.kind === kind);

const canUndoMerge = (review: ReviewSummary | undefined): boolean =>
  review?.actions.some(({ id }) => id === 'undoMerge') === true;

describe('a file that changes on disk while it is under review', () => {
  async function proposed() {
    const path = fixture.write('a.txt', lines(20).join(''));
    const page = await fixture.open();
    const review = await fixture.propose(path, proposal);
    await page.next('reviews', ({ reviews }) => has(reviews[0], 'conflict') === false);
    return { path, page, review };
  }

  test('is merged at once, which the page shows and can undo', async () => {
    const { path, page, review } = await proposed();
    writeFileSync(path, lines(20).with(15, 'theirs\n').join(''));
    await page.next('reviews', ({ reviews }) => canUndoMerge(reviews[0]));
    expect(review.content).toBe(merged);
    const opened = await fixture.call('review.open', { id: review.id });
    expect(opened).toMatchObject({
      original: lines(20).with(15, 'theirs\n').join(''),
      review: { basis: 1, notes: expect.arrayContaining([expect.objectContaining({ kind: 'merged' })]) },
      text: { content: merged },
    });
    await fixture.call('review.undoMerge', { id: review.id });
    expect(review.content).toBe(proposal);
    await page.next('reviews', ({ reviews }) => !canUndoMerge(reviews[0]));
    const { version } = await fixture.call('text.open', { text: `review:${review.id}` });
    await fixture.call('review.accept', { id: review.id, version });
    expect(review.outcome).toMatchObject({ kind: 'accepted', content: proposal });
  });

  test('cannot be accepted unseen: the merged text has another version', async () => {
    const { path, review } = await proposed();
    writeFileSync(path, lines(20).with(15, 'theirs\n').join(''));
    await expect(fixture.call('review.accept', { id: review.id, version: 0 })).rejects.toMatchObject({
      code: 'changed',
    });
    expect([review.state, review.content]).toEqual(['pending', merged]);
  });

  test('stays merged if the user edited the merged lines', async () => {
    const { path, page, review } = await proposed();
    writeFileSync(path, lines(20).with(15, 'theirs\n').join(''));
    await page.next('reviews', ({ reviews }) => canUndoMerge(reviews[0]));
    review.edit(merged.replace('theirs', 'mine'));
    await expect(fixture.call('review.undoMerge', { id: review.id })).rejects.toMatchObject({
      code: 'refused',
    });
    expect(review.content).toBe(merged.replace('theirs', 'mine'));
  });

  test('is in conflict on the same lines until the change is undone', async () => {
    const { path, page, review } = await proposed();
    writeFileSync(path, lines(20).with(3, 'theirs\n').join(''));
    await page.next('reviews', ({ reviews }) => has(reviews[0], 'conflict') === true);
    const accept = { id: review.id, version: 0 };
    await expect(fixture.call('review.accept', accept)).rejects.toMatchObject({
      status: 409,
      code: 'conflict',
    });
    expect([review.state, review.content]).toEqual(['pending', proposal]);
    writeFileSync(path, lines(20).join(''));
    await page.next('reviews', ({ reviews }) => has(reviews[0], 'conflict') === false);
    writeFileSync(path, lines(20).with(3, 'theirs\n').join(''));
    await page.next('reviews', ({ reviews }) => has(reviews[0], 'conflict') === true);
    await fixture.call('review.accept', { ...accept, answer: { confirmed: ['conflict', 'deleted'] } });
    expect(review.state).toBe('accepted');
  });

  test('is merged with conflict markers on request, which are accepted only deliberately', async () => {
    const { path, page, review } = await proposed();
    writeFileSync(path, lines(20).with(3, 'theirs\n').join(''));
    await page.next('reviews', ({ reviews }) => has(reviews[0], 'conflict') === true);
    await fixture.call('review.merge', { id: review.id, marksConflicts: true });
    await page.next(
      'reviews',
      ({ reviews }) => has(reviews[0], 'markers') === true && has(reviews[0], 'conflict') === false,
    );
    expect(review.content).toContain('=======\ntheirs\n>>>>>>> the file\n');
    const { version } = await fixture.call('text.open', { text: `review:${review.id}` });
    await expect(fixture.call('review.accept', { id: review.id, version })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('conflict markers'),
    });
    await fixture.call('review.accept', {
      id: review.id,
      version,
      answer: { confirmed: ['markers'] },
    });
    expect(review.state).toBe('accepted');
  });

  test('is in conflict if it was deleted, without conflict markers', async () => {
    const { path, page, review } = await proposed();
    rmSync(path);
    await page.next('reviews', ({ reviews }) => has(reviews[0], 'deleted') === true);
    await expect(fixture.call('review.merge', { id: review.id, marksConflicts: true })).rejects.toMatchObject(
      {
        code: 'refused',
        message: expect.stringContaining('was deleted'),
      },
    );
  });
});
