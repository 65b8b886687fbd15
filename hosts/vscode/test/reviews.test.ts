import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { openReviewDesk, pause, settle } from './support/reviewDesk.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';
const MINE = 'one\nTWO and mine\nthree\n';

describe('a review', () => {
  it('is shown as a diff with the file, and accepted as the user edited it', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    expect(desk.window.labels).toEqual(['a.txt (change by Claude Code)']);
    expect(desk.window.tabs.editors.map(({ document }) => document.getText())).toEqual([BEFORE, PROPOSED]);
    desk.window.type('TWO', 'TWO and mine');
    await desk.window.run('tandem.acceptReview');
    expect(review.outcome).toEqual({ kind: 'accepted', content: MINE, isEdited: true });
    await settle();
    expect(desk.window.labels).toEqual([]);
    expect(readFileSync(desk.path('a.txt'), 'utf8')).toBe(BEFORE);
  });

  it('is decided by the first of two clicks', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review, key } = await desk.propose('a.txt', PROPOSED);
    await Promise.all([
      desk.window.run('tandem.rejectReview', key),
      desk.window.run('tandem.rejectReview', key),
      desk.window.run('tandem.acceptReview', key),
    ]);
    expect([review.state, desk.window.dialogs.messages]).toEqual(['rejected', []]);
  });

  it('of a file that does not exist is compared with an empty text', async () => {
    const desk = openReviewDesk();
    await desk.propose('new.txt', 'new\n');
    expect(desk.window.labels).toEqual(['new.txt (new file by Claude Code)']);
    expect(desk.window.tabs.editors.map(({ document }) => document.getText())).toEqual(['', 'new\n']);
  });

  it.each([
    ['line endings of Windows', 'one\r\ntwo\r\n'],
    ['a byte order mark', '\uFEFFone\ntwo\n'],
    ['mixed line endings', 'one\r\ntwo\nthree\r\nfour'],
    ['no newline at the end', 'one\ntwo'],
    ['blanks at the ends of lines, and tabs', 'one  \n\ttwo\t\n\n\n'],
    ['a line separator', 'one\u2028two\n'],
    ['characters beyond the first plane', '文 🦋 👩‍👩‍👧\n'],
    ['nothing', ''],
  ])('is accepted exactly as proposed: %s', async (_what, content) => {
    const desk = openReviewDesk({ 'a.txt': 'before\n' });
    const { review } = await desk.propose('a.txt', content);
    await desk.window.run('tandem.acceptReview');
    expect(review.outcome).toMatchObject({ content, isEdited: false });
  });

  it('keeps line endings and byte order mark when it is edited', async () => {
    const desk = openReviewDesk({ 'a.txt': '\uFEFFone\r\ntwo\r\n' });
    const { review } = await desk.propose('a.txt', '\uFEFFone\r\nTWO\r\n');
    desk.window.type('TWO', 'TWO!');
    await desk.window.run('tandem.acceptReview');
    expect(review.outcome).toMatchObject({ content: '\uFEFFone\r\nTWO!\r\n' });
  });

  it("receives the user's edits after a pause, and is saved so that VS Code asks nothing", async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    desk.window.type('TWO', 'TWO and mine');
    expect([review.content, desk.window.tabs.activeEditor?.document.isDirty]).toEqual([PROPOSED, true]);
    await pause(desk);
    expect([review.content, desk.window.tabs.activeEditor?.document.isDirty]).toEqual([MINE, false]);
  });

  it('undoes what a formatter changes when the document is saved', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    desk.window.set('editor.formatOnSave', true);
    desk.window.documents.formatter = (text) => text.toUpperCase();
    const { review, text } = await desk.propose('a.txt', PROPOSED);
    desk.window.type('three', 'three!');
    await pause(desk);
    desk.window.type('three!', 'three!!');
    await text.document?.save();
    await pause(desk);
    expect(review.content).toBe('one\nTWO\nthree!\n');
    expect(desk.window.text).toBe('one\nTWO\nthree!\n');
  });

  it('keeps and drops the change at the cursor', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);
    const desk = openReviewDesk({ 'a.txt': lines.join('') });
    const both = lines.with(1, 'first\n').with(17, 'second\n').join('');
    const { review, key } = await desk.propose('a.txt', both);
    await desk.window.run('tandem.dropHunk', key, 0);
    await settle();
    expect(desk.window.text).toBe(lines.with(17, 'second\n').join(''));
    await desk.window.run('tandem.keepHunk', key, 0);
    await settle();
    expect([desk.window.text, review.isEdited]).toEqual([both, false]);
    void desk.window.run('tandem.dropHunk');
    expect((await desk.window.dialogs.message('No change at the cursor')).kind).toBe('information');
  });

  it('refuses to drop a change that was edited by hand', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);
    const desk = openReviewDesk({ 'a.txt': lines.join('') });
    const both = lines.with(1, 'first\n').with(17, 'second\n').join('');
    const { key } = await desk.propose('a.txt', both);
    desk.window.type('first', 'mine');
    await desk.window.run('tandem.dropHunk', key, 0);
    expect((await desk.window.dialogs.message('overlaps lines that you edited')).kind).toBe('warning');
  });
});

describe('a closed tab', () => {
  it('rejects a change that was not edited', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    await desk.window.closeTabs('a.txt');
    await pause(desk);
    expect(review.state).toBe('rejected');
  });

  it.each([
    ['Accept', 'accepted'],
    ['Reject', 'rejected'],
    [undefined, 'pending'],
  ])('asks about a change that was edited: %s', async (button, state) => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    desk.window.type('TWO', 'TWO and mine');
    await pause(desk);
    await desk.window.closeTabs('a.txt');
    await pause(desk);
    const question = await desk.window.dialogs.message('You edited the proposal by');
    expect(question).toMatchObject({
      isModal: true,
      buttons: ['Keep Pending', 'Show Again', 'Accept', 'Reject'],
    });
    question.answer(button);
    await expect.poll(() => review.state).toBe(state);
    expect(review.content).toBe(MINE);
    expect(desk.window.dialogs.messages).toEqual([]);
  });

  it('keeps the change pending, or asks, if a setting says so', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    desk.window.set('tandem.reviews.whenClosed', 'keep');
    await desk.window.closeTabs('a.txt');
    await pause(desk);
    expect([review.state, desk.window.dialogs.messages]).toEqual(['pending', []]);
    await desk.window.run('tandem.showReview');
    expect(desk.window.text).toBe(PROPOSED);
    desk.window.set('tandem.reviews.whenClosed', 'ask');
    await desk.window.closeTabs('a.txt');
    await pause(desk);
    (await desk.window.dialogs.message('You closed the proposal by')).answer('Show Again');
    await settle();
    expect([review.state, desk.window.text]).toEqual(['pending', PROPOSED]);
  });

  it('decides nothing if several are closed in one action', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE, 'b.txt': BEFORE });
    const views = [await desk.propose('a.txt', PROPOSED), await desk.propose('b.txt', PROPOSED, 'gemini')];
    await desk.window.closeTabs('a.txt', 'b.txt');
    await pause(desk);
    expect(views.map(({ review }) => review.state)).toEqual(['pending', 'pending']);
    (await desk.window.dialogs.message('2 proposals are still pending')).answer('Show Again');
    await settle();
    expect(desk.window.labels).toHaveLength(2);
    expect(views[0]?.isActive).toBe(true);
  });

  it('decides nothing when VS Code closes it because of a limit of open editors', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE, 'b.txt': BEFORE });
    desk.window.set('workbench.editor.limit.enabled', true);
    desk.window.set('workbench.editor.limit.value', 1);
    const { review } = await desk.propose('a.txt', PROPOSED);
    await desk.propose('b.txt', PROPOSED);
    await desk.window.closeTabs('a.txt');
    await pause(desk);
    expect(review.state).toBe('pending');
  });

  it('of a change that no longer needs an answer asks nothing', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    review.withdraw('agent');
    await pause(desk);
    expect([desk.window.labels, desk.window.dialogs.messages]).toEqual([[], []]);
  });
});

describe('several reviews', () => {
  it('do not cover each other, and are stepped through', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE, 'b.txt': BEFORE });
    const [first, second] = [await desk.propose('a.txt', PROPOSED), await desk.propose('b.txt', PROPOSED)];
    expect([first.isActive, second.isActive]).toEqual([true, false]);
    await desk.window.run('tandem.nextReview');
    expect(second.isActive).toBe(true);
    await desk.window.run('tandem.previousReview');
    expect(first.isActive).toBe(true);
    await desk.window.run('tandem.acceptReview');
    await settle();
    expect(second.isActive).toBe(true);
  });

  it('are chosen by name, and a command without any reports that', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE, 'b.txt': BEFORE });
    for (const command of ['acceptReview', 'nextReview', 'acceptAllReviews']) {
      void desk.window.run(`tandem.${command}`);
      (await desk.window.dialogs.message('No pending reviews')).answer();
    }
    await desk.propose('a.txt', PROPOSED);
    const second = await desk.propose('b.txt', PROPOSED);
    await desk.window.openFile(desk.path('b.txt'));
    const showing = desk.window.run('tandem.showReview');
    (await desk.window.dialogs.shownInput()).choose('b.txt');
    await showing;
    expect(second.isActive).toBe(true);
  });
});

describe('a diff that opens', () => {
  it('stays behind the file in which the user works, and a message links to it', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE, 'b.txt': BEFORE });
    await desk.window.openFile(desk.path('b.txt'));
    const view = await desk.propose('a.txt', PROPOSED);
    expect(view.isActive).toBe(false);
    desk.clock.advance(500);
    const message = await desk.window.dialogs.message('Claude Code proposes a change to a.txt');
    message.answer('Show');
    await settle();
    expect(view.isActive).toBe(true);
  });

  it('shares its message with others that open at the same time', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE, 'b.txt': BEFORE, 'c.txt': BEFORE });
    await desk.window.openFile(desk.path('c.txt'));
    await desk.propose('a.txt', PROPOSED);
    await desk.propose('b.txt', PROPOSED, 'gemini');
    desk.clock.advance(500);
    await desk.window.dialogs.message('2 new proposals are pending, by Claude Code, Gemini CLI.');
  });

  it('does not cover the next review, which opens after a decision at the same time', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE, 'b.txt': BEFORE, 'c.txt': BEFORE });
    const first = await desk.propose('a.txt', PROPOSED);
    const second = await desk.propose('b.txt', PROPOSED);
    let goOn = (): void => {};
    desk.window.tabs.whenIdle = new Promise((resolve) => {
      goOn = resolve;
    });
    const accepting = desk.window.run('tandem.acceptReview');
    await vi.waitFor(() => expect(first.review.state).toBe('accepted'));
    const third = await desk.propose('c.txt', PROPOSED);
    goOn();
    await accepting;
    await settle();
    expect([first, second, third].map(({ isActive, hasTab }) => [isActive, hasTab])).toEqual([
      [false, false],
      [true, true],
      [false, true],
    ]);
  });

  it('ignores keys that were meant for something else', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    desk.clock.advance(499);
    await desk.window.run('tandem.acceptReview', 'key');
    expect(review.state).toBe('pending');
    desk.clock.advance(1);
    await desk.window.run('tandem.acceptReview', 'key');
    expect(review.state).toBe('accepted');
  });

  it('withdraws the review if VS Code cannot show it', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    desk.window.documents.open = () => Promise.reject(new Error('no'));
    await expect(desk.propose('a.txt', PROPOSED)).rejects.toThrow('no view');
    await desk.window.dialogs.message('could not be shown. Decide in the terminal of');
  });
});

describe('a review whose agent disconnects', () => {
  it("offers the user's text", async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    desk.window.type('TWO', 'TWO and mine');
    review.withdraw('disconnected');
    (await desk.window.dialogs.message('Claude Code withdrew its proposal for a.txt')).answer(
      'Show Your Text',
    );
    await settle();
    expect(desk.window.labels).toEqual(['a.txt (interrupted change by Claude Code)']);
    expect(desk.window.text).toBe(MINE);
  });

  it('does not hide the actions of the review that they are asked for', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE, 'b.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    desk.window.type('TWO', 'TWO and mine');
    review.withdraw('disconnected');
    (await desk.window.dialogs.message('Claude Code withdrew')).answer('Show Your Text');
    await settle();
    const pending = await desk.propose('b.txt', PROPOSED);
    expect(desk.window.text).toBe(MINE);
    for (const [what, label] of [
      [undefined, 'Apply'],
      [pending, 'Accept'],
    ] as const) {
      void desk.window.run('tandem.reviewActions', what);
      const pick = await desk.window.dialogs.shownInput('Choose what to do with this review');
      expect(pick.items[0]?.label).toBe(label);
      pick.escape();
      await settle();
    }
  });

  it('says where the comments on an unedited proposal are', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    review.addComment({ text: 'why?' });
    review.withdraw('disconnected');
    (await desk.window.dialogs.message('Your comments are kept in the view "Reviews"')).answer('Show');
    await settle();
    expect(desk.window.text).toBe(PROPOSED);
  });

  it.each([
    ['edited before', true],
    ['not edited before', false],
  ])('keeps what is typed after that, until the diff is closed: %s', async (_what, isEdited) => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    if (isEdited) desk.window.type('TWO', 'TWO and');
    review.withdraw('disconnected');
    desk.window.type(isEdited ? 'TWO and' : 'TWO', 'TWO and mine');
    const message = await desk.window.dialogs.message('Claude Code withdrew its proposal for a.txt');
    expect(desk.window.labels).toEqual([]);
    expect(desk.kept.all).toMatchObject([{ content: MINE }]);
    message.answer('Show Your Text');
    await settle();
    expect(desk.window.text).toBe(MINE);
  });

  it('keeps no change that a formatter makes when its diff is closed', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    desk.window.set('editor.formatOnSave', true);
    desk.window.documents.formatter = (text) => text.toUpperCase();
    const { review } = await desk.propose('a.txt', PROPOSED);
    desk.window.type('TWO', 'TWO and mine');
    review.withdraw('disconnected');
    await desk.window.dialogs.message('Claude Code withdrew its proposal for a.txt');
    expect([review.content, desk.kept.all]).toMatchObject([MINE, [{ content: MINE }]]);
  });
});
