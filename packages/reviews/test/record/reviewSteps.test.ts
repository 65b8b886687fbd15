import { type FileContent, followFile, prepareToFollow, type Review } from '@tandem/reviews';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeText } from '../../src/text/merge.js';
import { makeReview } from '../support/makeReview.js';
import { linedText } from '../text/textArbitraries.js';

const count = 10_001;
const lines = Array.from({ length: count }, (_, at) => `line ${at} of a large file\n`);
const original = lines.join('');
const proposed = lines.map((line, at) => (at % 2 === 0 ? line : `changed ${at}\n`)).join('');
const text = (content: string): FileContent => ({ kind: 'text', text: content });

/** Counts the steps between which other work could be done. */
function countedPause() {
  const counted = {
    pauses: 0,
    pause: async () => {
      counted.pauses += 1;
    },
  };
  return counted;
}

/** What a view shows. */
function shownOf(review: Review) {
  const { content, hunks, keptHunks, lineCounts, original: file, basis, version } = review;
  return { content, hunks, keptHunks, lineCounts, file, basis, version };
}

describe('a large review', () => {
  it('is compared in short steps, with the same result as at once', async () => {
    const [inSteps, atOnce] = [makeReview(original, proposed), makeReview(original, proposed)];
    for (const review of [inSteps, atOnce]) review.edit(`${proposed}typed\n`);
    const counted = countedPause();
    await inSteps.compare(counted.pause);
    expect(counted.pauses).toBeGreaterThan(40);
    expect(shownOf(inSteps)).toEqual(shownOf(atOnce));
    expect(inSteps.hunks).toHaveLength((count - 1) / 2);
    counted.pauses = 0;
    await inSteps.compare(counted.pause);
    expect(counted.pauses).toBe(0);
  });

  it('is compared once for two views that need it at the same time', async () => {
    const review = makeReview(original, proposed);
    const [one, other] = [countedPause(), countedPause()];
    await Promise.all([review.compare(one.pause), review.compare(other.pause)]);
    expect(one.pauses).toBeGreaterThan(10);
    expect(other.pauses).toBe(0);
  });

  it('shows the text as it is now if it changes while it is compared', async () => {
    const review = makeReview(original, proposed);
    let pauses = 0;
    await review.compare(async () => {
      pauses += 1;
      if (pauses === 5) review.mergeFile(text(`first\n${original}`));
      if (pauses === 10) review.edit('');
    });
    expect(review.hunks[0]?.original.start).toBe(2);
    expect(review.lineCounts).toEqual({ added: 0, removed: count + 1 });
  });

  it('is merged with its file in short steps before the file is followed', async () => {
    const review = makeReview(original, proposed);
    const file = text(`${original}appended\n`);
    const counted = countedPause();
    await prepareToFollow(review, file, counted.pause);
    expect(counted.pauses).toBeGreaterThan(20);
    expect(review.content).toBe(proposed);
    expect(followFile(review, file)).toBe('merged');
    expect(review.content).toBe(`${proposed}appended\n`);
  });

  it('is not merged in advance with a file that did not change', async () => {
    const review = makeReview(original, proposed);
    const counted = countedPause();
    for (const file of [text(original), text(proposed), { kind: 'missing' } as const])
      await prepareToFollow(review, file, counted.pause);
    expect(counted.pauses).toBe(0);
  });
});

describe('a review whose file was merged in advance', () => {
  it('is the same as one that is merged at once', async () => {
    const edits = fc.option(linedText, { nil: undefined });
    await fc.assert(
      fc.asyncProperty(linedText, linedText, linedText, edits, fc.boolean(), async (a, b, c, edit, drops) => {
        const [prepared, atOnce] = [makeReview(a, b), makeReview(a, b)];
        for (const review of [prepared, atOnce]) {
          if (drops && review.hunks.length > 0) review.dropHunk(0);
          if (edit !== undefined) review.edit(edit);
        }
        await prepareToFollow(prepared, text(c), () => undefined);
        expect(followFile(prepared, text(c))).toBe(followFile(atOnce, text(c)));
        expect(shownOf(prepared)).toEqual(shownOf(atOnce));
        // Without edits, the merged text is the merged proposal.
        if (edit === undefined && !drops && atOnce.basis > 0)
          expect(prepared.proposed).toBe(mergeText(a, b, c).text);
      }),
      { numRuns: 500 },
    );
  });
});
