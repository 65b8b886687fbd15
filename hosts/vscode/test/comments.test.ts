import { describe, expect, it } from 'vitest';
import type * as vscode from 'vscode';
import { ClaudeClient } from '../../../packages/agents/test/support/claudeClient.js';
import { notesOn } from '../src/reviews/notesOn.js';
import { openExtensionDesk } from './support/extensionDesk.js';
import { CommentMode, Range } from './support/fakeVscode/index.js';
import { openReviewDesk, pause, settle } from './support/reviewDesk.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';

type Desk = ReturnType<typeof openReviewDesk>;

/** The user opens the input of a new comment on these lines, writes, and submits. */
async function comment(desk: Desk, uri: vscode.Uri, lines: readonly [number, number], text: string) {
  const { commentController } = desk.window;
  const thread = commentController?.createCommentThread(uri, new Range(lines[0], 0, lines[1], 0), []);
  if (thread === undefined) throw new Error('no comment controller');
  void desk.window.run('tandem.addComment', { thread, text });
  await settle();
  return thread;
}

const shown = ({ window }: Desk) =>
  [...window.threads].map(({ range, comments }) => [range?.start.line, comments.map(({ body }) => body)]);

const rangesOf = async (desk: Desk, at: 0 | 1) => {
  const document = desk.window.tabs.editors[at]?.document;
  const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
  const provider = desk.window.commentController?.commentingRangeProvider;
  const ranges = document && (await provider?.provideCommentingRanges(document, token));
  return Array.isArray(ranges) ? ranges.map(({ start, end }) => [start.line, end.line]) : ranges;
};

describe('a comment', () => {
  it('on either side is in the review at once, with its lines', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const view = await desk.propose('a.txt', PROPOSED);
    expect([await rangesOf(desk, 0), await rangesOf(desk, 1)]).toEqual([[[0, 2]], [[0, 2]]]);
    desk.window.type('one\n', 'zero\none\n');
    const thread = await comment(desk, view.sides.proposal, [2, 2], 'why capitals?');
    await comment(desk, view.sides.original, [0, 1], 'keep these');
    expect(view.review.comments).toMatchObject([
      { side: 'proposal', lines: { first: 2, last: 2 }, quote: 'TWO', text: 'why capitals?' },
      { side: 'file', lines: { first: 0, last: 1 }, quote: 'one\ntwo', text: 'keep these' },
    ]);
    void desk.window.run('tandem.addComment', { thread, text: 'and more' });
    await settle();
    expect(shown(desk)).toEqual([
      [2, ['why capitals?', 'and more']],
      [0, ['keep these']],
    ]);
    expect(notesOn(view)).toContain('3 comments');
    // They follow edits.
    desk.window.type('zero\n', '');
    await pause(desk);
    expect(shown(desk)[0]).toEqual([1, ['why capitals?', 'and more']]);
    view.review.withdraw('agent');
    await settle();
    expect(shown(desk)).toEqual([]);
  });

  it('is edited and deleted', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const view = await desk.propose('a.txt', PROPOSED);
    const thread = await comment(desk, view.sides.proposal, [1, 1], 'first');
    const [one] = thread.comments;
    if (one === undefined) throw new Error('no comment');
    await desk.window.run('tandem.editComment', one);
    expect(thread.comments[0]?.mode).toBe(CommentMode.Editing);
    one.body = 'draft';
    // Another change does not touch the draft.
    await comment(desk, view.sides.proposal, [0, 0], 'second');
    expect(thread.comments[0]?.body).toBe('draft');
    await desk.window.run('tandem.cancelComment', one);
    expect(shown(desk)[0]).toEqual([1, ['first']]);
    await desk.window.run('tandem.editComment', one);
    one.body = 'changed';
    await desk.window.run('tandem.saveComment', one);
    expect(view.review.comments[0]?.text).toBe('changed');
    expect(thread.comments[0]).toMatchObject({ body: 'changed', mode: CommentMode.Preview });
    for (const [button, left] of [
      [undefined, 2],
      ['Delete', 1],
    ] as const) {
      const deleting = desk.window.run('tandem.deleteComment', thread.comments[0]);
      (await desk.window.dialogs.message('Delete this comment?')).answer(button);
      await deleting;
      expect(view.review.comments).toHaveLength(left);
    }
    expect(shown(desk)).toEqual([[0, ['second']]]);
  });

  it('that arrives after the end of its review can be copied', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review, sides } = await desk.propose('a.txt', PROPOSED);
    review.reject();
    await comment(desk, sides.proposal, [1, 1], 'too late');
    const message = await desk.window.dialogs.message('already decided');
    expect([message.isModal, message.detail]).toEqual([true, 'too late']);
    message.answer('Copy');
    await expect.poll(() => desk.window.clipboard).toBe('too late');
  });

  it('made elsewhere is shown, also one on the whole proposal', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    review.addComment({ text: 'in general' });
    review.addComment({ text: 'here', lines: { first: 1, last: 1 } });
    expect(shown(desk)).toEqual([
      [undefined, ['in general']],
      [1, ['here']],
    ]);
  });
});

describe('feedback', () => {
  it('rejects with the comments and a remark, and is copied if the agent cannot receive it', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE, 'b.txt': BEFORE });
    const first = await desk.propose('a.txt', PROPOSED);
    const second = await desk.propose('b.txt', PROPOSED);
    await comment(desk, first.sides.proposal, [1, 1], 'no');
    const rejecting = desk.window.run('tandem.rejectWithFeedback');
    (await desk.window.dialogs.shownInput('Reject the proposal for a.txt with feedback')).enter('please');
    await rejecting;
    expect(first.review.state).toBe('rejected');
    const message = await desk.window.dialogs.message(
      'The feedback is on the clipboard. The feedback could not',
    );
    expect([desk.window.clipboard, message.buttons]).toEqual([
      'Review of a.txt: rejected.\n\nLine 2:\n│ TWO\nno\n\nOn the whole proposal:\nplease',
      ['Copy Feedback'],
    ]);
    expect(second.isActive).toBe(true);
  });

  it('in the prompt leaves the clipboard alone, but can be copied', async () => {
    const { window, extension, path } = await openExtensionDesk({ files: { 'a.txt': BEFORE } });
    const connection = extension
      .companion()
      ?.agents.connections()
      .find(({ id }) => id === 'claude');
    if (connection === undefined) throw new Error('Claude Code is not served');
    const agent = await ClaudeClient.connect(connection);
    agent.beginOpenDiff(path('a.txt'), PROPOSED, 'the tab');
    await expect.poll(() => extension.reviews()[0]?.isActive).toBe(true);
    const rejecting = window.run('tandem.rejectWithFeedback');
    (await window.dialogs.shownInput('Reject the proposal for a.txt')).enter('please');
    await expect.poll(() => extension.companion()?.reviews.pending).toEqual([]);
    await agent.call('close_tab', { tab_name: 'the tab' });
    await rejecting;
    const message = await window.dialogs.message('Press Enter there to send it.');
    expect(window.clipboard).toBe('');
    message.answer('Copy Feedback');
    await expect.poll(() => window.clipboard).toBe('Review of a.txt: rejected.\n\nplease');
  });

  it('leaves the review pending if it is only sent', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    const sending = desk.window.run('tandem.sendFeedback');
    (await desk.window.dialogs.shownInput('Feedback on the proposal for a.txt')).enter('please');
    await sending;
    expect([review.state, desk.window.clipboard]).toEqual([
      'pending',
      'Review of a.txt: comments.\n\nplease',
    ]);
  });

  it('is not sent after Escape, or without anything to send', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    for (const end of ['escape', 'enter'] as const) {
      const rejecting = desk.window.run('tandem.rejectWithFeedback');
      const input = await desk.window.dialogs.shownInput('Reject the proposal');
      if (end === 'escape') input.escape();
      else input.enter('');
      await rejecting;
    }
    await desk.window.dialogs.message('There is no comment to send.');
    expect([review.state, desk.window.clipboard]).toEqual(['pending', '']);
  });

  it('is offered after a decision that left comments unsent', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const view = await desk.propose('a.txt', PROPOSED);
    await comment(desk, view.sides.proposal, [1, 1], 'next time in lower case');
    await desk.window.run('tandem.acceptReview');
    const offer = await desk.window.dialogs.message('Your comment on a.txt was not sent to Claude Code.');
    offer.answer('Send Feedback');
    await expect.poll(() => desk.window.clipboard).toContain('│ TWO\nnext time in lower case');
  });

  it('is not forgotten when a commented review is closed or decided with others', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const view = await desk.propose('a.txt', PROPOSED);
    await comment(desk, view.sides.proposal, [1, 1], 'no');
    void desk.window.run('tandem.rejectAllReviews');
    const question = await desk.window.dialogs.message('Reject 1 proposal by Claude Code?');
    expect(question.detail).toBe('File: a.txt.\nYour comments on these files are not sent: a.txt.');
    question.answer();
    await desk.window.closeTabs('a.txt');
    await pause(desk);
    (await desk.window.dialogs.message('You commented on the proposal by')).answer('Keep Pending');
    expect(view.review.state).toBe('pending');
  });
});
