import type { Review } from '@tandem/core';
import { describe, expect, it } from 'vitest';
import { makeReview } from './support/makeReview.js';

const original = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
const proposed = 'ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n';

describe('what somebody is in the middle of typing', () => {
  it('is seen by nobody, and goes with the review however it ends', () => {
    for (const end of [
      (review: Review) => review.accept(),
      (review: Review) => review.reject(),
      (review: Review) => review.withdraw('replaced'),
    ]) {
      const review = makeReview(original, proposed);
      review.editUnfinished(() => 'mine\n');
      expect([review.content, review.isEdited]).toEqual([proposed, false]);
      end(review);
      expect([review.content, review.isEdited]).toEqual(['mine\n', true]);
    }
  });

  it('is what the agent is told when it is accepted', () => {
    const review = makeReview(original, proposed);
    review.editUnfinished(() => 'mine\n');
    review.accept();
    expect(review.outcome).toEqual({ kind: 'accepted', content: 'mine\n', isEdited: true });
  });

  it('is taken back, or replaced by what its editor brings', () => {
    const review = makeReview(original, proposed);
    review.editUnfinished(() => 'mine\n');
    review.editUnfinished(undefined);
    review.editUnfinished(() => 'half\n');
    review.edit('whole\n');
    review.accept();
    expect(review.content).toBe('whole\n');
  });
});

describe('a dropped hunk that an editor brings back', () => {
  it('is kept again, one by one', () => {
    const review = makeReview(original, proposed);
    review.dropHunk(0);
    const one = review.content;
    review.dropHunk(1);
    expect(review.content).toBe(original);
    review.edit(one);
    expect([review.keptHunks, review.content]).toEqual([[false, true], one]);
    review.edit(proposed);
    expect([review.keptHunks, review.isEdited]).toEqual([[true, true], false]);
    // And forth again.
    review.edit(one);
    expect([review.keptHunks, review.content]).toEqual([[false, true], one]);
  });

  it('stays dropped where something else was typed', () => {
    const review = makeReview(original, proposed);
    review.dropHunk(0);
    review.edit(proposed.replace('four', '4'));
    expect([review.keptHunks, review.content]).toEqual([[false, true], proposed.replace('four', '4')]);
  });
});
