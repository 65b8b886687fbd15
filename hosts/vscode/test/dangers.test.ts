import { join } from 'node:path';
import type { Review } from '@tandem/reviews';
import { expect, test } from 'vitest';
import { harmless, writeDangers } from '../../../packages/companion/test/support/dangers.js';
import { openExtensionDesk } from './support/extensionDesk.js';
import { settle } from './support/reviewDesk.js';

type Desk = Awaited<ReturnType<typeof openExtensionDesk>>;

async function openDesk() {
  const desk = await openExtensionDesk({ isBeside: true });
  const dangers = writeDangers(desk.folder);
  const propose = async (name: string): Promise<{ review: Review; key: string }> => {
    const review = await desk.extension.companion()?.reviews.propose({
      path: join(desk.folder, name),
      content: 'PWN\n',
      agent: 'gemini',
      session: name,
    });
    await settle();
    const view = desk.extension.reviews().find((each) => each.review === review);
    if (review === undefined || view === undefined) throw new Error('there is no review');
    return { review, key: view.key };
  };
  return { desk, dangers, propose };
}

/** Accepts, and answers the question with this button. */
async function answer({ window }: Desk, key: string, button: string | undefined): Promise<string> {
  const accepting = window.run('tandem.acceptReview', key);
  const question = await window.dialogs.message('?');
  question.answer(button);
  await accepting;
  expect(window.dialogs.messages.filter(({ isModal }) => isModal)).toEqual([]);
  return question.detail ?? '';
}

test('nothing dangerous is accepted that the user has not confirmed, and then it is accepted', async () => {
  const { desk, dangers, propose } = await openDesk();
  for (const { name, path, kinds, change } of dangers) {
    const { review, key } = await propose(path);
    change?.(review.proposal.path);
    const detail = await answer(desk, key, undefined);
    expect(detail.split('\n'), name).toHaveLength(kinds.length);
    expect(review.state, name).toBe('pending');
    const button = kinds.includes('deleted')
      ? 'Accept and Create'
      : kinds.includes('conflict')
        ? 'Accept and Overwrite'
        : 'Accept Anyway';
    await answer(desk, key, button);
    expect(review.outcome, name).toMatchObject({ kind: 'accepted', content: 'PWN\n' });
  }
});

test('the list of actions accepts nothing dangerous without the question', async () => {
  const { desk, propose } = await openDesk();
  const { review, key } = await propose('.git/hooks/pre-commit');
  const accepting = desk.window.run('tandem.reviewActions', key);
  (await desk.window.dialogs.shownInput('Choose what to do')).choose('Accept');
  const question = await desk.window.dialogs.message('Accept the proposal for .git/hooks/pre-commit?');
  // A second click asks nothing.
  await desk.window.run('tandem.acceptReview', key);
  question.answer('Accept Anyway');
  await accepting;
  expect(review.state).toBe('accepted');
  expect(desk.window.dialogs.messages).toEqual([]);
});

test('the dialog on closing a diff accepts nothing dangerous without the question', async () => {
  const { desk, propose } = await openDesk();
  const { review } = await propose('.git/hooks/pre-commit');
  review.edit('PWN and mine\n');
  await settle();
  void desk.window.run('tandem.closeReview');
  (await desk.window.dialogs.message('Decide it now?')).answer('Accept');
  const question = await desk.window.dialogs.message('Accept the proposal for .git/hooks/pre-commit?');
  expect(review.state).toBe('pending');
  question.answer('Accept Anyway');
  await expect.poll(() => review.state).toBe('accepted');
});

test('other files need no question', async () => {
  const { desk, propose } = await openDesk();
  for (const name of harmless) {
    const { review, key } = await propose(name);
    await desk.window.run('tandem.acceptReview', key);
    expect(review.state, name).toBe('accepted');
  }
  expect(desk.window.dialogs.messages).toEqual([]);
});
