import { CommentError, moveComments, type ReviewComment, ReviewDecidedError } from '@tandem/reviews';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeReview } from '../support/makeReview.js';
import { proposal, setUpReviews } from '../support/reviewsFixture.js';

const original = 'one\ntwo\nthree\n';
const proposed = 'one\nTWO\nthree\nfour\n';

describe('a comment', () => {
  it('quotes its lines, is edited and removed, and reports each change', () => {
    const review = makeReview(original, proposed);
    let changes = 0;
    review.onDidChange(() => changes++);
    review.addComment({ text: ' why? ', lines: { first: 1, last: 2 } });
    review.addComment({ text: 'keep it', side: 'file', lines: { first: 1, last: 1 } });
    review.addComment({ text: 'all of it' });
    expect(review.comments).toEqual([
      { id: '1', side: 'proposal', lines: { first: 1, last: 2 }, quote: 'TWO\nthree', text: 'why?' },
      { id: '2', side: 'file', lines: { first: 1, last: 1 }, quote: 'two', text: 'keep it' },
      { id: '3', side: 'proposal', quote: '', text: 'all of it' },
    ]);
    review.editComment('1', 'how?');
    review.removeComment('2');
    expect(review.comments.map(({ id, text }) => [id, text])).toEqual([
      ['1', 'how?'],
      ['3', 'all of it'],
    ]);
    expect([changes, review.isEdited, review.hasUsersText]).toEqual([5, false, true]);
  });

  it('follows its lines when the text is edited, and keeps its quote where they are gone', () => {
    const review = makeReview(original, proposed);
    review.addComment({ text: 'x', lines: { first: 2, last: 3 } });
    review.addComment({ text: 'y', side: 'file', lines: { first: 2, last: 2 } });
    const unchanged = review.comments;
    expect(review.comments).toBe(unchanged);
    review.edit('zero\none\nTWO\nthree\nfour\n');
    expect(review.comments[0]?.lines).toEqual({ first: 3, last: 4 });
    review.edit('zero\n');
    expect(review.comments[0]).toMatchObject({ lines: { first: 0, last: 0 }, quote: 'three\nfour' });
    review.mergeFile({ kind: 'text', text: 'new\none\ntwo\nthree\n' }, { marksConflicts: true });
    expect(review.comments[1]?.lines).toEqual({ first: 3, last: 3 });
  });

  it('is refused with the reason, and changes nothing', () => {
    const review = makeReview(original, proposed);
    const refused = (comment: Parameters<typeof review.addComment>[0]) =>
      expect(() => review.addComment(comment)).toThrow(CommentError);
    refused({ text: ' \n ' });
    refused({ text: 'x'.repeat(5_001) });
    refused({ text: 'x', lines: { first: 3, last: 4 } });
    refused({ text: 'x', lines: { first: 2, last: 1 } });
    refused({ text: 'x', side: 'file', lines: { first: 3, last: 3 } });
    expect(() => review.editComment('1', 'x')).toThrow('There is no comment 1. Comments: none.');
    for (let count = 0; count < 100; count++) review.addComment({ text: 'x' });
    refused({ text: 'one too many' });
    expect(review.comments).toHaveLength(100);
    review.reject();
    expect(() => review.addComment({ text: 'x' })).toThrow(ReviewDecidedError);
    expect(review.comments).toHaveLength(100);
  });

  it('has a short quote, however much it is on', () => {
    const text = `${'x'.repeat(100)}\n`.repeat(1_000);
    const review = makeReview('', text);
    const { quote } = review.addComment({ text: 'x', lines: { first: 0, last: 999 } });
    expect(quote.length).toBeLessThanOrEqual(2_000);
    expect(quote.endsWith('…')).toBe(true);
  });

  it('never refers to lines that are not there, whatever the edits', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 8 })
      .map((lines) => lines.join('\n'));
    const line = fc.nat(9);
    fc.assert(
      fc.property(text, text, line, line, (before, after, first, more) => {
        const comment: ReviewComment = {
          id: '1',
          side: 'proposal',
          lines: { first, last: first + more },
          quote: '',
          text: 'x',
        };
        const at = (content: string) => ({ content, original: { kind: 'missing' as const } });
        const [moved] = moveComments([comment], at(before), at(after));
        const count = after === '' ? 0 : after.replace(/\n$/, '').split('\n').length;
        expect(moved?.lines?.first).toBeGreaterThanOrEqual(0);
        expect(moved?.lines?.last).toBeGreaterThanOrEqual(moved?.lines?.first ?? 0);
        expect(moved?.lines?.last).toBeLessThanOrEqual(Math.max(0, count - 1));
      }),
    );
  });
});

describe('the comments on a proposal that is made again', () => {
  it('are carried over to the proposal that replaces it, on the same lines', async () => {
    const { reviews } = setUpReviews();
    const first = await reviews.propose({ ...proposal, content: 'b\nc\n' });
    first.addComment({ text: 'no', lines: { first: 1, last: 1 } });
    const second = await reviews.propose({ ...proposal, content: 'new\nb\nc\n' });
    expect(first.state).toBe('withdrawn');
    expect(second.isEdited).toBe(false);
    expect(second.comments).toEqual([
      { id: '1', side: 'proposal', lines: { first: 2, last: 2 }, quote: 'c', text: 'no' },
    ]);
    const third = await reviews.propose({ ...proposal, content: 'new\nb\nc\n' });
    expect(third.comments).toEqual(second.comments);
  });

  it('return with the same proposal after its agent disconnected', async () => {
    const { reviews } = setUpReviews();
    const first = await reviews.propose(proposal);
    first.addComment({ text: 'no' });
    reviews.withdrawSession(proposal.session, 'disconnected');
    const again = await reviews.propose({ ...proposal, session: 's2' });
    expect(again.comments).toEqual(first.comments);
  });
});
