import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type * as vscode from 'vscode';
import { CopilotClient } from '../../../packages/agents/test/support/copilotClient.js';
import { pendingSessions } from '../src/reviews/pendingSessions.js';
import { SessionNode } from '../src/reviews/reviewTree.js';
import type { ReviewView } from '../src/reviews/reviewView.js';
import { openExtensionDesk } from './support/extensionDesk.js';
import { openReviewDesk, pause, settle } from './support/reviewDesk.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';
const files = { 'a.txt': BEFORE, 'b.txt': BEFORE, 'c.txt': BEFORE, 'd.txt': BEFORE };

const states = (views: readonly { readonly review: { readonly state: string } }[]) =>
  views.map(({ review }) => review.state);

describe('all reviews of a session', () => {
  it('are accepted after one question that names edits and what stays pending', async () => {
    const desk = openReviewDesk(files);
    const views = [
      await desk.propose('a.txt', PROPOSED),
      await desk.propose('b.txt', PROPOSED),
      await desk.propose('c.txt', PROPOSED),
    ];
    const other = await desk.propose('d.txt', PROPOSED, 'gemini');
    desk.window.type('TWO', 'TWO and mine');
    writeFileSync(desk.path('b.txt'), 'one\n2\nthree\n');
    const [session] = pendingSessions(desk.views);
    if (session === undefined) throw new Error('no session');
    const accept = async (button: string | undefined) => {
      const accepting = desk.window.run('tandem.acceptAllReviews', new SessionNode(session));
      const question = await desk.window.dialogs.message('Accept 2 proposals by Claude Code?');
      expect([question.isModal, question.detail]).toEqual([
        true,
        'Files: a.txt, c.txt.\nWith your edits: a.txt.\nStays pending: b.txt (its file changed on lines that the proposal also changes).',
      ]);
      question.answer(button);
      await accepting;
    };
    await accept(undefined);
    expect(states(views)).toEqual(['pending', 'pending', 'pending']);
    await accept('Accept 2 Proposals');
    expect(states(views)).toEqual(['accepted', 'pending', 'accepted']);
    expect(views[0]?.review.content).toBe('one\nTWO and mine\nthree\n');
    expect(other.review.state).toBe('pending');
  });

  it('stay pending if they change after the question, which is reported', async () => {
    const desk = openReviewDesk(files);
    const views = [await desk.propose('a.txt', PROPOSED), await desk.propose('b.txt', PROPOSED)];
    const accepting = desk.window.run('tandem.acceptAllReviews');
    const question = await desk.window.dialogs.message('Accept 2 proposals by Claude Code?');
    desk.window.type('TWO', 'TWO and mine');
    question.answer('Accept 2 Proposals');
    (
      await desk.window.dialogs.message(
        'Accepted 1 proposal. Stays pending: a.txt (it changed after you were asked).',
      )
    ).answer('Show');
    await accepting;
    expect(states(views)).toEqual(['pending', 'accepted']);
    expect(views[0]?.isActive).toBe(true);
  });

  it('are not accepted without a look if each has an obstacle', async () => {
    const desk = openReviewDesk(files);
    const view = await desk.propose('a.txt', PROPOSED);
    desk.window.remove(desk.path('a.txt'));
    const accepting = desk.window.run('tandem.acceptAllReviews');
    (await desk.window.dialogs.message('No proposal can be accepted now. Stays pending: a.txt')).answer();
    await accepting;
    expect(view.review.state).toBe('pending');
  });

  it.each([
    [undefined, ['pending', 'pending']],
    ['Reject Only the Unedited', ['pending', 'rejected']],
    ['Reject 2 Proposals', ['rejected', 'rejected']],
  ])('are rejected after one question that names edits: %s', async (button, wanted) => {
    const desk = openReviewDesk(files);
    const views = [await desk.propose('a.txt', PROPOSED), await desk.propose('b.txt', PROPOSED)];
    desk.window.type('TWO', 'TWO and mine');
    await pause(desk);
    const rejecting = desk.window.run('tandem.rejectAllReviews');
    const question = await desk.window.dialogs.message('Reject 2 proposals by Claude Code?');
    expect(question).toMatchObject({
      detail: 'Files: a.txt, b.txt.\nYou edited: a.txt.',
      buttons: ['Reject Only the Unedited', 'Reject 2 Proposals'],
    });
    question.answer(button);
    await rejecting;
    expect(states(views)).toEqual(wanted);
  });

  it('are chosen if there are several sessions; a single one needs no question', async () => {
    const desk = openReviewDesk(files);
    const first = await desk.propose('a.txt', PROPOSED);
    const second = await desk.propose('b.txt', PROPOSED, 'gemini');
    const accepting = desk.window.run('tandem.acceptAllReviews');
    const pick = await desk.window.dialogs.shownInput('Choose a session to accept its proposals');
    expect(pick.items.map(({ label, description }) => [label, description])).toEqual([
      ['Claude Code', 'a.txt · 1 proposal'],
      ['Gemini CLI', 'b.txt · 1 proposal'],
      ['All sessions', '2 proposals'],
    ]);
    pick.choose('Gemini CLI');
    await accepting;
    expect(states([first, second])).toEqual(['pending', 'accepted']);
    await desk.window.run('tandem.rejectAllReviews');
    expect(first.review.state).toBe('rejected');
  });

  it('are decided together for all sessions after one question', async () => {
    const desk = openReviewDesk(files);
    const views = [
      await desk.propose('a.txt', PROPOSED),
      await desk.propose('b.txt', PROPOSED, 'gemini'),
      await desk.propose('c.txt', PROPOSED, 'gemini'),
    ];
    const rejecting = desk.window.run('tandem.rejectAllReviews');
    (await desk.window.dialogs.shownInput('Choose a session')).choose('All sessions');
    (await desk.window.dialogs.message('Reject 3 proposals?')).answer('Reject 3 Proposals');
    await rejecting;
    expect(states(views)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(desk.window.dialogs.messages).toEqual([]);
  });

  it('are listed below the name that their agent gives the conversation', async () => {
    const desk = await openExtensionDesk({ files });
    const connection = desk.extension
      .companion()
      ?.agents.connections()
      .find(({ id }) => id === 'copilot');
    if (connection === undefined) throw new Error('Copilot CLI is not served');
    const agent = await CopilotClient.connect(connection);
    await agent.call('update_session_name', { name: 'Fix the login' });
    void agent.openDiff(desk.path('a.txt'), PROPOSED, 'a change').catch(() => undefined);
    await expect.poll(() => desk.extension.reviews()).toHaveLength(1);
    const tree = desk.window.trees.get('tandem.reviews') as vscode.TreeDataProvider<object> | undefined;
    const [session = {}] = (await tree?.getChildren()) ?? [];
    expect(await tree?.getTreeItem(session)).toMatchObject({
      label: 'Copilot CLI',
      description: 'Fix the login · 1',
    });
  });
});

describe('proposals that arrive together', () => {
  it('do not cover the first one', async () => {
    const desk = openReviewDesk(files);
    const propose = (name: string) =>
      desk.reviews.propose({ path: desk.path(name), content: PROPOSED, agent: 'gemini', session: 'one' });
    await Promise.all(['a.txt', 'b.txt', 'c.txt'].map(propose));
    await settle();
    expect(desk.views.all.map(({ isActive }) => isActive)).toEqual([true, false, false]);
  });
});

describe('after a decision', () => {
  it("the session's next pending review opens, and receives the focus", async () => {
    const desk = openReviewDesk(files);
    const first = await desk.propose('a.txt', PROPOSED);
    await desk.propose('b.txt', PROPOSED, 'gemini');
    const third = await desk.propose('c.txt', PROPOSED);
    await desk.window.run('tandem.acceptReview');
    await settle();
    expect([first.review.state, third.isActive]).toEqual(['accepted', true]);
    expect(desk.window.labels).toEqual(['b.txt (change by Gemini CLI)', 'c.txt (change by Claude Code)']);
  });

  it.each(['tandem.acceptReview', 'tandem.rejectReview', 'tandem.rejectWithFeedback'])(
    'the next one is the one after it in the list, and the first one after the last: %s',
    async (command) => {
      const desk = openReviewDesk();
      const views: ReviewView[] = [];
      for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) views.push(await desk.propose(name, 'new'));
      const [first, second, third, fourth] = views;
      const decide = async (view: ReviewView | undefined): Promise<void> => {
        if (view === undefined) throw new Error('there is no review');
        await desk.views.reveal(view);
        const deciding = desk.window.run(command);
        if (command.endsWith('Feedback')) (await desk.window.dialogs.shownInput('Reject')).enter('why?');
        await deciding;
        await pause(desk);
        expect(view.review.state).not.toBe('pending');
      };
      await decide(second);
      expect(desk.views.find()).toBe(third);
      await decide(fourth);
      expect(desk.views.find()).toBe(first);
    },
  );

  it('elsewhere, too', async () => {
    const desk = openReviewDesk(files);
    const first = await desk.propose('a.txt', PROPOSED);
    await desk.propose('b.txt', PROPOSED, 'gemini');
    const third = await desk.propose('c.txt', PROPOSED);
    first.review.accept();
    await settle();
    expect(third.isActive).toBe(true);
  });

  it('nothing opens over the file in which the user types', async () => {
    const desk = openReviewDesk(files);
    const first = await desk.propose('a.txt', PROPOSED);
    const second = await desk.propose('b.txt', PROPOSED);
    await desk.window.openFile(desk.path('d.txt'));
    desk.window.type('one', 'one!');
    await desk.window.run('tandem.rejectReview', first.key);
    await settle();
    expect([first.review.state, second.isActive]).toEqual(['rejected', false]);
    expect(desk.window.text).toBe('one!\ntwo\nthree\n');
  });
});

describe('a followed session', () => {
  it('opens each new proposal over another review, but not over what the user does', async () => {
    const desk = openReviewDesk(files);
    // After a decision, no editor has the focus.
    (await desk.propose('d.txt', PROPOSED)).review.reject();
    await settle();
    await desk.propose('a.txt', PROPOSED);
    await desk.window.run('tandem.followSession');
    const second = await desk.propose('b.txt', PROPOSED);
    expect(second.isActive).toBe(true);
    desk.window.type('TWO', 'TWO and mine');
    const third = await desk.propose('c.txt', PROPOSED);
    expect([second.isActive, third.isActive]).toEqual([true, false]);
    await desk.window.run('tandem.unfollowSession');
    await desk.window.run('tandem.showReview', third.key);
    const fourth = await desk.propose('d.txt', PROPOSED);
    expect([third.isActive, fourth.isActive]).toEqual([true, false]);
  });
});
