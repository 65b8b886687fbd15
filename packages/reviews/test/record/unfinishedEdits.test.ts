import type { Review } from '@tandem/reviews';
import { describe, expect, it } from 'vitest';
import { makeReview } from '../support/makeReview.js';

const original = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
const proposed = 'ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n';

describe('text that the user is still typing', () => {
  it('is not visible, but is included when the review ends in any way', () => {
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

  it('is sent to the agent when the review is accepted', () => {
    const review = makeReview(original, proposed);
    review.editUnfinished(() => 'mine\n');
    review.accept();
    expect(review.outcome).toEqual({ kind: 'accepted', content: 'mine\n', isEdited: true });
  });

  it('is cancelled, or replaced by the edit of the editor', () => {
    const review = makeReview(original, proposed);
    review.editUnfinished(() => 'mine\n');
    review.editUnfinished(undefined);
    review.editUnfinished(() => 'half\n');
    review.edit('whole\n');
    review.accept();
    expect(review.content).toBe('whole\n');
  });
});

describe('a dropped hunk that an editor restores', () => {
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
    // And redo.
    review.edit(one);
    expect([review.keptHunks, review.content]).toEqual([[false, true], one]);
  });

  it('stays dropped when other text was typed', () => {
    const review = makeReview(original, proposed);
    review.dropHunk(0);
    review.edit(proposed.replace('four', '4'));
    expect([review.keptHunks, review.content]).toEqual([[false, true], proposed.replace('four', '4')]);
  });
});
