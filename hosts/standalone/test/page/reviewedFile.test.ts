import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PageFixture } from '../support/pageFixture.js';

const lines = (count: number): string[] => Array.from({ length: count }, (_none, at) => `line ${at}\n`);

let fixture: PageFixture;
beforeEach(async () => {
  fixture = await PageFixture.start();
});
afterEach(() => fixture.dispose());

describe('a file that somebody writes while a change to it waits', () => {
  async function proposed() {
    const path = fixture.write('a.txt', lines(20).join(''));
    const page = await fixture.open();
    const review = await fixture.propose(path, lines(20).with(3, 'proposed\n').join(''));
    await page.next('reviews', ({ reviews }) => reviews[0]?.isFileChanged === false);
    return { path, page, review };
  }

  test('is told to the page, and no more when it is as it was', async () => {
    const { path, page } = await proposed();
    writeFileSync(path, lines(20).with(15, 'theirs\n').join(''));
    await page.next('reviews', ({ reviews }) => reviews[0]?.isFileChanged === true);
    writeFileSync(path, lines(20).join(''));
    await page.next('reviews', ({ reviews }) => reviews[0]?.isFileChanged === false);
  });

  test('is not replaced by accepting unless the person says so', async () => {
    const { path, review } = await proposed();
    writeFileSync(path, lines(20).with(15, 'theirs\n').join(''));
    const accept = { id: review.id, version: 0 };
    await expect(fixture.call('review.accept', accept)).rejects.toMatchObject({
      status: 409,
      code: 'conflict',
    });
    expect(review.state).toBe('pending');
    await fixture.call('review.accept', { ...accept, overwrites: true });
    expect(review.state).toBe('accepted');
  });

  test('can be taken into the text, which can then be accepted', async () => {
    const { path, review } = await proposed();
    writeFileSync(path, lines(20).with(15, 'theirs\n').join(''));
    await fixture.call('review.takeFileIn', { id: review.id });
    const { version, content } = await fixture.call('text.open', { text: `review:${review.id}` });
    const both = lines(20).with(3, 'proposed\n').with(15, 'theirs\n').join('');
    expect(content).toBe(both);
    const opened = await fixture.call('review.open', { id: review.id });
    expect(opened.original).toBe(lines(20).with(15, 'theirs\n').join(''));
    expect(opened.review).toMatchObject({ basis: 1, isFileChanged: false });
    await fixture.call('review.accept', { id: review.id, version });
    expect(review.outcome).toEqual({ kind: 'accepted', content: both, isEdited: true });
  });

  test('is not taken in where both changed the same line; nothing is lost', async () => {
    const { path, review } = await proposed();
    writeFileSync(path, lines(20).with(3, 'theirs\n').join(''));
    await expect(fixture.call('review.takeFileIn', { id: review.id })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('same lines'),
    });
    expect(review.content).toBe(lines(20).with(3, 'proposed\n').join(''));
  });

  test('is told as it is also when it was taken in elsewhere', async () => {
    const { path, page, review } = await proposed();
    const theirs = lines(20).with(15, 'theirs\n').join('');
    writeFileSync(path, theirs);
    await page.next('reviews', ({ reviews }) => reviews[0]?.isFileChanged === true);
    review.takeFileIn({ kind: 'text', text: theirs });
    await page.next(
      'reviews',
      ({ reviews }) => reviews[0]?.isFileChanged === false && reviews[0].basis === 1,
    );
  });

  test('and one that was deleted is told as well', async () => {
    const { path, page } = await proposed();
    rmSync(path);
    await page.next('reviews', ({ reviews }) => reviews[0]?.isFileChanged === true);
  });
});
