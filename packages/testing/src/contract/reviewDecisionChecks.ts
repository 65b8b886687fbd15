import { checkWithUser } from './contractCheck.js';
import { eventually, expect, expectEqual } from './expect.js';
import { reviewOf } from './reviewChecks.js';

/** Texts that an editor would change if it normalised them. */
const delicateTexts = [
  'plain\ntext\n',
  'carriage\r\nreturns\r\n',
  '\uFEFFwith a byte order mark\n',
  'mixed\r\nends\nof\r\nlines',
  'no newline at the end, and an astral 😀',
  '\n\n\n',
  'tabs\tand trailing spaces   \n',
];

/** The user decides in the editor. */
export const reviewDecisionChecks = [
  checkWithUser('accepts a proposal exactly, to the last character', ['accept'], async (host, user) => {
    for (const content of delicateTexts) {
      const review = await reviewOf(host, 'a.txt', 'before\n', content);
      const view = await host.editor.reviews.show(review);
      await user.accept(review);
      await eventually(host, () => review.outcome !== undefined, 'the review to end');
      expectEqual(review.outcome, { kind: 'accepted', content, isEdited: false }, 'the outcome');
      view.dispose();
    }
  }),

  checkWithUser('rejects a review', ['reject'], async (host, user) => {
    const review = await reviewOf(host, 'a.txt', 'one\n', 'two\n');
    const view = await host.editor.reviews.show(review);
    await user.reject(review);
    await eventually(host, () => review.outcome !== undefined, 'the review to end');
    expectEqual(review.outcome, { kind: 'rejected' }, 'the outcome');
    view.dispose();
  }),

  checkWithUser('accepts the edits of the user', ['edit', 'accept'], async (host, user) => {
    const review = await reviewOf(host, 'a.txt', 'one\r\ntwo\r\n', 'one\r\nTWO\r\n');
    const view = await host.editor.reviews.show(review);
    await user.edit(review, 'one\r\n2 and 😀\r\n');
    await user.accept(review);
    await eventually(host, () => review.outcome !== undefined, 'the review to end');
    const content = 'one\r\n2 and 😀\r\n';
    expectEqual(review.outcome, { kind: 'accepted', content, isEdited: true }, 'the outcome');
    view.dispose();
  }),

  checkWithUser('keeps what the user typed when the agent disconnects', ['edit'], async (host, user) => {
    const review = await reviewOf(host, 'a.txt', 'one\n', 'two\n');
    const view = await host.editor.reviews.show(review);
    await user.edit(review, 'mine\n');
    await eventually(host, () => review.content === 'mine\n', 'the review to hold the edit');
    review.withdraw('disconnected');
    view.dispose();
    expectEqual(review.content, 'mine\n', 'the text of the ended review');
  }),

  checkWithUser('decides one of two reviews of a file and not the other', ['accept'], async (host, user) => {
    const first = await reviewOf(host, 'a.txt', 'one\n', 'first\n');
    const second = await reviewOf(host, 'a.txt', 'one\n', 'second\n');
    const views = [await host.editor.reviews.show(first), await host.editor.reviews.show(second)];
    await user.accept(second);
    await eventually(host, () => second.outcome !== undefined, 'the second review to end');
    expectEqual(second.outcome, { kind: 'accepted', content: 'second\n', isEdited: false }, 'the outcome');
    expect(first.outcome === undefined, 'the first review to be pending');
    for (const view of views) view.dispose();
  }),
];
