import { cleanFeedback, composeFeedback } from '@tandem/reviews';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../test/anyCharacter.js';
import { makeReview } from '../support/makeReview.js';

const original = 'one\ntwo\nthree\n';
const proposed = 'one\n@TWO\tx\nthree\n';

describe('the text for the agent', () => {
  it('stands alone, with one comment', () => {
    const review = makeReview(original, proposed);
    review.addComment({ text: 'Use /help\r\nor @notes.md.', lines: { first: 1, last: 2 } });
    review.reject();
    expect(composeFeedback({ review, label: 'src/a.txt', quotes: true })).toBe(
      'Review of src/a.txt, lines 2-3: rejected.\n\n│ @ TWO    x\n│ three\nUse /help\nor @notes.md. (end)',
    );
  });

  it('names the lines of the agent’s own text, also where the user edited it', () => {
    const review = makeReview(original, proposed);
    review.edit(`mine\n${proposed}`);
    review.addComment({ text: 'Why?', lines: { first: 2, last: 2 } });
    review.addComment({ text: 'Keep this.', side: 'file', lines: { first: 1, last: 1 } });
    review.addComment({ text: 'Too much.' });
    expect(composeFeedback({ review, label: 'a.txt', quotes: true, remark: 'Try again.' })).toBe(
      [
        'Review of a.txt: comments.\n',
        'Line 2:\n│ @ TWO    x\nWhy?\n',
        'Line 2 of the file before the change:\n│ two\nKeep this.\n',
        'On the whole proposal:\nToo much.\n',
        'On the whole proposal:\nTry again.',
      ].join('\n'),
    );
  });

  it('quotes nothing of a file that is hidden from agents', () => {
    const review = makeReview(original, proposed);
    review.addComment({ text: 'No.', side: 'file', lines: { first: 0, last: 2 } });
    expect(composeFeedback({ review, label: 'a.txt', quotes: false })).toBe(
      'Review of a.txt: comments.\n\nLines 1-3 of the file before the change:\nNo.',
    );
  });

  it('is absent while the user has written nothing', () => {
    expect(
      composeFeedback({ review: makeReview(original, proposed), label: 'a', quotes: true, remark: ' ' }),
    ).toBe(undefined);
  });

  it('is safe in any terminal and prompt, whatever the names, lines and comments contain', () => {
    const hostile = fc
      .array(
        fc.oneof(
          fc.constantFrom(
            '\u001b[201~',
            '\r',
            '\n',
            '\t',
            '@a.txt',
            '/help',
            '!ls',
            '#x',
            '\u202e',
            '\u0085',
            '\u009b201~',
            '\ud800',
            '\u{e0041}',
            '\u007f',
            ' ',
            '\u2028',
            '@\ufeffa',
          ),
          fc.string({ unit: anyCharacter, maxLength: 4 }),
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (label, text, comment, remark) => {
        const review = makeReview(original, `x${text}`);
        if (comment.trim() !== '') review.addComment({ text: comment, lines: { first: 0, last: 0 } });
        const made = composeFeedback({ review, label, remark, quotes: true });
        if (made === undefined) return;
        expect(made.startsWith('Review of ')).toBe(true);
        expect(made).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u2028\u2029]/u);
        expect(made).not.toMatch(/\p{Cs}/u);
        expect(made).not.toMatch(/@\S*$/);
        expect(made).not.toMatch(/\s$/);
        expect(cleanFeedback(made)).toBe(made);
        expect(made.split('\n')[0]).not.toMatch(/@\S/);
        expect(made).not.toMatch(/^> .*@\S/m);
      }),
    );
  });
});
