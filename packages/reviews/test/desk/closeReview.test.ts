import { closeReview, type Review, type WhenClosed } from '@tandem/reviews';
import { describe, expect, it } from 'vitest';
import { makeReview } from '../support/makeReview.js';

const original = 'one\ntwo\n';

/** Closes the view of a proposal, after the user has done something. */
function close(
  whenClosed: WhenClosed,
  { isSeveral = false, canUndo = false, first = (_review: Review) => {} } = {},
) {
  const review = makeReview(original, 'one\nTWO\n');
  first(review);
  const answer = closeReview(review, { whenClosed, isSeveral, canUndo, agentName: 'Agent', label: 'a.txt' });
  return { review, answer };
}

const edit = (review: Review): void => void review.edit('one\nTWO, mine\n');
const comment = (review: Review): void =>
  void review.addComment({ text: 'Why?', lines: { first: 1, last: 1 } });

describe('the user closes the view of a review', () => {
  it('which rejects it, with a note', () => {
    const { review, answer } = close('reject');
    expect(review.state).toBe('rejected');
    expect(answer).toEqual({ note: 'Closing the view rejected the proposal by Agent for a.txt.' });
  });

  it('in a view that can undo it, which first announces the rejection', () => {
    const { review, answer } = close('reject', { canUndo: true });
    expect(review.state).toBe('pending');
    expect(answer).toEqual({
      note: 'Closing the view rejects the proposal by Agent for a.txt in 10 seconds.',
      undoMs: 10_000,
    });
    expect(close('reject', { canUndo: true, first: edit }).answer.undoMs).toBeUndefined();
    expect(close('keep', { canUndo: true }).answer).toEqual({});
  });

  it('whose file was merged only: that is no text of the user', () => {
    const merge = (review: Review): void => void review.mergeFile({ kind: 'text', text: 'zero\none\ntwo\n' });
    expect(close('reject', { first: merge }).review.state).toBe('rejected');
  });

  it.each([
    ['edited', edit, 'You edited'],
    ['commented on', comment, 'You commented on'],
  ])('that was %s: a question keeps the text', (_what, first, why) => {
    const { review, answer } = close('reject', { first });
    expect(review.state).toBe('pending');
    expect(answer.question?.message).toBe(`${why} the proposal by Agent for a.txt. Decide it now?`);
  });

  it('with several others, which rejects nothing, with a note', () => {
    for (const whenClosed of ['reject', 'ask'] as const) {
      const { review, answer } = close(whenClosed, { isSeveral: true });
      expect(review.state).toBe('pending');
      expect(answer.note).toMatch(/^Closing several views rejects nothing/);
    }
  });

  it('and is asked, or it stays, as the option says', () => {
    const asked = close('ask');
    expect([asked.review.state, asked.answer.question?.choices.map(({ label }) => label)]).toEqual([
      'pending',
      ['Keep pending', 'Show again', 'Accept', 'Reject'],
    ]);
    const kept = close('keep');
    expect([kept.review.state, kept.answer]).toEqual(['pending', {}]);
  });

  it('after it was decided, which changes nothing', () => {
    const { review, answer } = close('reject', { first: (each) => void each.accept() });
    expect([review.state, answer]).toEqual(['accepted', {}]);
  });
});
