import { silentLogger, systemClock, toDisposable } from '@tandem/core';
import { type FileContent, FileFollower, Review } from '@tandem/reviews';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ShownReview } from '../src/protocol.js';
import { RemoteReview } from '../src/remoteReview.js';

const count = 20_001;
const lines = Array.from({ length: count }, (_, at) => `line ${at} of a large file\n`);
const original: FileContent = { kind: 'text', text: lines.join('') };
const proposed = lines.map((line, at) => (at % 2 === 0 ? line : `changed ${at}\n`)).join('');

/** A large review in an editor that has its first version, and a review that has changed since: a hunk is dropped. */
function changedReview() {
  const review = new Review(
    {
      id: '1',
      proposal: { path: '/ws/a.txt', content: proposed, agent: 'claude', session: 's' },
      original,
      isOutsideWorkspace: false,
    },
    { clock: systemClock, logger: silentLogger },
  );
  const sent: ShownReview[] = [];
  const shown = new RemoteReview({
    review,
    file: new FileFollower(review, {
      read: async () => original,
      watch: () => toDisposable(() => {}),
      clock: systemClock,
      logger: silentLogger,
    }),
    context: () => ({}),
    send: (next) => sent.push(next),
  });
  const { version } = shown.next();
  review.dropHunk(0);
  const withoutFirst = proposed.replace('changed 1\n', lines[1] ?? '');
  return { review, shown, version, sent, withoutFirst };
}

/** A machine on which each step takes so long that other work has its turn after it. */
beforeEach(() => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 10;
    return now;
  });
});

afterEach(() => void vi.restoreAllMocks());

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('text that was typed in an editor while the proposal changed', () => {
  it('is merged with the change, with other work in between', async () => {
    const { review, shown, version, withoutFirst } = changedReview();
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    });
    const isExact = await shown.edit(version, `${proposed}typed\n`);
    clearInterval(counting);
    expect([isExact, review.content === `${withoutFirst}typed\n`]).toEqual([false, true]);
    expect(turns).toBeGreaterThan(1);
  });

  it.each([
    ['withdrawn', (review: Review) => review.withdraw('agent')],
    ['rejected', (review: Review) => review.reject()],
    ['accepted', (review: Review) => review.accept()],
  ])('is in the review if that is %s meanwhile, also after another edit', async (_how, end) => {
    const { review, shown, version, withoutFirst } = changedReview();
    const first = shown.edit(version, `${proposed}typed\n`);
    const second = shown.edit(version, `${proposed}typed\nmore\n`);
    await turn();
    review.edit(`zero\n${withoutFirst}`);
    end(review);
    expect(review.content).toBe(`zero\n${withoutFirst}typed\nmore\n`);
    expect(await Promise.all([first, second])).toEqual([false, false]);
    expect(review.content).toBe(`zero\n${withoutFirst}typed\nmore\n`);
  });

  it('is merged in the order in which it was typed, with what else changes meanwhile', async () => {
    const { review, shown, version, withoutFirst } = changedReview();
    const edits = ['a\n', 'a\nb\n', 'a\nc\n'].map((typed) => shown.edit(version, `${proposed}${typed}`));
    await turn();
    review.edit(`zero\n${withoutFirst}`);
    await Promise.all(edits);
    expect(review.content).toBe(`zero\n${withoutFirst}a\nc\n`);
  });

  it('is in a decision on a hunk that follows it', async () => {
    const { review, shown, version } = changedReview();
    const typing = shown.edit(version, `${proposed}typed\n`);
    await review.setHunk(0, true, () => undefined);
    await typing;
    expect(review.content).toBe(`${proposed}typed\n`);
  });

  it('is sent back to the editor, merged', async () => {
    const { shown, version, sent, withoutFirst } = changedReview();
    await shown.edit(version, `${proposed}typed\n`);
    await turn();
    expect(sent.at(-1)?.content).toBe(`${withoutFirst}typed\n`);
    const newest = sent.at(-1)?.version ?? 0;
    expect(shown.isSeen(newest)).toBe(true);
  });
});
