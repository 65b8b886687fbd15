import { describe, expect, it } from 'vitest';
import { openReviewDesk, pause } from './support/reviewDesk.js';

const BEFORE = 'one\ntwo\nthree\nfour\nfive\n';
const PROPOSED = 'one\nTWO\nthree\nfour\nfive\n';
const CONFLICT = 'one\n2\nthree\nfour\nfive\n';
const MARKED = 'one\n<<<<<<< the proposal\nTWO\n=======\n2\n>>>>>>> the file\nthree\nfour\nfive\n';

async function openWithReview() {
  const desk = openReviewDesk({ 'a.txt': BEFORE });
  const { window } = desk;
  const view = await desk.propose('a.txt', PROPOSED);
  const { review } = view;
  const accept = (): Promise<unknown> => window.run('tandem.acceptReview', view.key);
  const write = async (content: string): Promise<void> => {
    await window.write(desk.path('a.txt'), content);
    await pause(desk);
  };
  const question = (words: string) => window.dialogs.message(words);
  return { desk, window, view, review, accept, write, question };
}

describe('a file that changes on disk while it is under review', () => {
  it("is merged immediately with the user's edits, and shown in the diff", async () => {
    const { window, view, review, write } = await openWithReview();
    window.type('TWO', 'TWO and mine');
    await write(`${BEFORE}six\n`);
    const merged = 'one\nTWO and mine\nthree\nfour\nfive\nsix\n';
    await expect.poll(() => [review.content, window.text]).toEqual([merged, merged]);
    expect([review.hunks.length, view.file.relation]).toEqual([1, 'merged']);
    expect(window.dialogs.messages).toEqual([]);
  });

  it('has its merge undone by what the list of actions offers', async () => {
    const { desk, window, view, review, write, question } = await openWithReview();
    const openActions = () => {
      void window.run('tandem.reviewActions', view);
      return window.dialogs.shownInput('Choose what to do with this review');
    };
    const before = await openActions();
    expect(before.items.map(({ label }) => label)).toEqual(['Accept', 'Reject']);
    before.escape();
    await write(`${BEFORE}six\n`);
    await expect.poll(() => review.content).toBe(`${PROPOSED}six\n`);
    const pick = await openActions();
    expect(pick.items.map(({ label }) => label)).toEqual(['Accept', 'Reject', 'Undo the Merge']);
    pick.choose('Undo the Merge');
    await question('The merge is undone.');
    await expect.poll(() => [review.content, window.text]).toEqual([PROPOSED, PROPOSED]);
    await pause(desk);
    expect([review.state, review.content]).toEqual(['pending', PROPOSED]);
  });

  it('is accepted only after a merge could be seen', async () => {
    const { desk, window, review, accept, question } = await openWithReview();
    await window.write(desk.path('a.txt'), `${BEFORE}six\n`);
    await accept();
    (await question('The changes are now merged into the proposal. Check it and accept again.')).answer();
    expect(review.state).toBe('pending');
    await accept();
    expect(review.outcome).toMatchObject({ content: `${PROPOSED}six\n` });
  });

  it('is reported if both changed the same lines, and conflicts are marked in the text on request', async () => {
    const { view, window, review, write, question } = await openWithReview();
    await write(CONFLICT);
    await expect.poll(() => view.file.relation).toBe('conflict');
    expect(review.content).toBe(PROPOSED);
    (await question('a.txt: This file changed on disk, on lines that this proposal also changes')).answer(
      'Show Both Versions',
    );
    await expect.poll(() => [window.text, view.file.relation]).toEqual([MARKED, 'merged']);
  });

  it('is not undone without a question', async () => {
    const { window, review, accept, write, question } = await openWithReview();
    await write(CONFLICT);
    (await question('changed on disk')).answer();
    for (const [button, state] of [
      [undefined, 'pending'],
      ['Accept and Overwrite', 'accepted'],
    ] as const) {
      const accepting = accept();
      // A second click asks no second question.
      void accept();
      const asked = await question('Overwrite the changes to a.txt on disk?');
      expect(asked).toMatchObject({ isModal: true, buttons: ['Show Both Versions', 'Accept and Overwrite'] });
      asked.answer(button);
      await accepting;
      expect([review.state, window.dialogs.messages]).toEqual([state, []]);
    }
    expect(review.content).toBe(PROPOSED);
  });

  it('is accepted with conflict markers only after a question', async () => {
    const { window, review, accept, write, question } = await openWithReview();
    await write(CONFLICT);
    (await question('changed on disk')).answer('Show Both Versions');
    await expect.poll(() => window.text).toBe(MARKED);
    for (const [button, state] of [
      ['Show Again', 'pending'],
      ['Accept with Conflict Markers', 'accepted'],
    ] as const) {
      const accepting = accept();
      (await question('Accept a.txt with conflict markers?')).answer(button);
      await accepting;
      expect(review.state).toBe(state);
    }
    expect([review.content, window.dialogs.messages]).toEqual([MARKED, []]);
  });

  it('needs no question once the user has resolved the conflict', async () => {
    const { desk, window, review, accept, write, question } = await openWithReview();
    await write(CONFLICT);
    (await question('changed on disk')).answer('Show Both Versions');
    await expect.poll(() => window.text).toBe(MARKED);
    const resolved = 'one\nTWO and 2\nthree\nfour\nfive\n';
    window.tabs.activeEditor?.document.replace(resolved);
    await pause(desk);
    await accept();
    expect(review.outcome).toMatchObject({ kind: 'accepted', content: resolved });
  });

  it('is not created again after it was deleted without a question', async () => {
    const { desk, window, view, review, accept, question } = await openWithReview();
    window.remove(desk.path('a.txt'));
    await pause(desk);
    await expect.poll(() => view.file.relation).toBe('deleted');
    (await question('a.txt: This file was deleted. If you accept, it is created again.')).answer();
    const accepting = accept();
    (await question('Create a.txt again?')).answer();
    await accepting;
    expect(review.state).toBe('pending');
  });

  it('is no conflict if only its line endings changed, or if it has the proposal already', async () => {
    const { view, review, write } = await openWithReview();
    await write(BEFORE.replaceAll('\n', '\r\n'));
    await view.file.check();
    expect(view.file.relation).toBe('unchanged');
    await write(PROPOSED);
    await view.file.check();
    expect([view.file.relation, review.content]).toEqual(['unchanged', PROPOSED]);
  });
});

describe('a file with unsaved changes', () => {
  it.each([
    ['Save and Accept', 'accepted', 'one\nTWO\nthree\nfour\nfive unsaved\n'],
    ['Accept Anyway', 'accepted', PROPOSED],
    [undefined, 'pending', PROPOSED],
  ])('is accepted only after a question: %s', async (button, state, content) => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    await desk.window.openFile(desk.path('a.txt'));
    desk.window.type('five', 'five unsaved');
    const { review, key } = await desk.propose('a.txt', PROPOSED);
    const accepting = desk.window.run('tandem.acceptReview', key);
    const question = await desk.window.dialogs.message('a.txt has unsaved changes');
    question.answer(button);
    await accepting;
    expect([review.state, review.content]).toEqual([state, content]);
  });

  it('asks about a conflict too if saving causes one', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    await desk.window.openFile(desk.path('a.txt'));
    desk.window.type('two', '2');
    const { review, key } = await desk.propose('a.txt', PROPOSED);
    const accepting = desk.window.run('tandem.acceptReview', key);
    (await desk.window.dialogs.message('has unsaved changes')).answer('Save and Accept');
    (await desk.window.dialogs.message('Overwrite the changes')).answer('Accept and Overwrite');
    await accepting;
    expect(review.outcome).toMatchObject({ kind: 'accepted', content: PROPOSED });
  });
});
