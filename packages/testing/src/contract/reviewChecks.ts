import { joinPath, silentLogger } from '@tandem/core';
import { type FileContent, Review } from '@tandem/reviews';
import type { EditorUnderTest, EditorUser } from '../editorUnderTest.js';
import { untilActive, writeAndName } from './contextChecks.js';
import { check, checkWithUser } from './contractCheck.js';
import { eventually, expect, expectEqual } from './expect.js';

/** Showing a review and closing its view. */
export const reviewChecks = [
  check('shows a review, and closes its view without deciding it', async (host) => {
    const review = await reviewOf(host, 'a.txt', 'one\ntwo\n', 'one\nTWO\n');
    const view = await host.editor.reviews.show(review);
    expectEqual(review.state, 'pending', 'the state of the review');
    view.dispose();
    view.dispose();
    expectEqual(review.state, 'pending', 'the state after its view was closed');
  }),

  check('shows a new file, a file that is not text, and an emptied one', async (host) => {
    const contents: [string, FileContent, string][] = [
      ['new folder/new.txt', { kind: 'missing' }, 'new\n'],
      ['picture.png', { kind: 'binary', size: 5 }, 'now text\n'],
      ['emptied.txt', { kind: 'text', text: 'old\n' }, ''],
    ];
    for (const [name, original, content] of contents) {
      const path = joinPath(host.workspaceFolder, ...name.split('/'));
      const review = makeReview(host, { path, original, content });
      const view = await host.editor.reviews.show(review);
      expectEqual(review.state, 'pending', `the state of the review of ${name}`);
      view.dispose();
    }
  }),

  check('opens no file and moves no focus to show a review', async (host) => {
    const open = await writeAndName(host, 'open.txt', 'open\n');
    await host.editor.documents.open(open, { takeFocus: true });
    await untilActive(host, open);
    const view = await host.editor.reviews.show(await reviewOf(host, 'a.txt', 'one\n', 'two\n'));
    const { openFiles, activePath } = host.editor.context.snapshot();
    expectEqual(
      openFiles.map(({ path }) => path),
      [open],
      'the open files while a review is shown',
    );
    expect(activePath === open || activePath === undefined, 'no other file to be active');
    view.dispose();
  }),

  check('does not throw for a review that has already ended', async (host) => {
    const review = await reviewOf(host, 'a.txt', 'one\n', 'two\n');
    review.withdraw('agent');
    const view = await host.editor.reviews.show(review);
    view.dispose();
    expectEqual(review.outcome, { kind: 'withdrawn', reason: 'agent' }, 'the outcome');
  }),

  check('allows a review to end in any way while its view is open', async (host) => {
    for (const end of [
      (review: Review) => review.accept(),
      (review: Review) => review.reject(),
      (review: Review) => review.withdraw('disconnected'),
    ]) {
      const review = await reviewOf(host, 'a.txt', 'one\n', 'two\n');
      const view = await host.editor.reviews.show(review);
      expect(end(review), 'the review to end');
      view.dispose();
      view.dispose();
    }
  }),

  check('takes edits and hunks that change while its view is open', async (host) => {
    const review = await reviewOf(host, 'a.txt', 'one\ntwo\n', 'one\nTWO\n');
    const view = await host.editor.reviews.show(review);
    review.edit('one\n2\n');
    expectEqual(review.content, 'one\n2\n', 'the text of the review');
    expectEqual(review.state, 'pending', 'the state of the review');
    view.dispose();
  }),

  checkWithUser('has a review in view from show to dispose', ['reviewsInView'], async (host, user) => {
    const review = await reviewOf(host, 'a.txt', 'one\n', 'two\n');
    const view = await host.editor.reviews.show(review);
    await eventually(host, () => isInView(user, review), 'the review to be in view');
    view.dispose();
    await eventually(host, async () => !(await isInView(user, review)), 'the review to be gone');
  }),

  checkWithUser('never shows a review that has ended', ['reviewsInView'], async (host, user) => {
    const ended = await reviewOf(host, 'a.txt', 'one\n', 'two\n');
    ended.reject();
    const pending = await reviewOf(host, 'b.txt', 'one\n', 'two\n');
    const views = [await host.editor.reviews.show(ended), await host.editor.reviews.show(pending)];
    await eventually(host, () => isInView(user, pending), 'the other review to be in view');
    expect(!(await isInView(user, ended)), 'the ended review not to be in view');
    for (const view of views) view.dispose();
  }),

  checkWithUser('shows two reviews of one file separately', ['reviewsInView'], async (host, user) => {
    const first = await reviewOf(host, 'a.txt', 'one\n', 'first\n');
    const second = await reviewOf(host, 'a.txt', 'one\n', 'second\n');
    const firstView = await host.editor.reviews.show(first);
    const secondView = await host.editor.reviews.show(second);
    await eventually(
      host,
      async () => (await isInView(user, first)) && (await isInView(user, second)),
      'both to be in view',
    );
    firstView.dispose();
    await eventually(host, async () => !(await isInView(user, first)), 'the first to be gone');
    expect(await isInView(user, second), 'the second to be in view still');
    secondView.dispose();
  }),
];

let madeReviews = 0;

/** A pending review as the companion would make it. */
function makeReview(
  host: EditorUnderTest,
  change: { readonly path: string; readonly original: FileContent; readonly content: string },
): Review {
  const id = `contract-${++madeReviews}`;
  return new Review(
    {
      id,
      proposal: {
        path: change.path,
        content: change.content,
        agent: 'claude',
        session: id,
        title: `tab ${id}`,
      },
      original: change.original,
      isOutsideWorkspace: false,
    },
    { clock: host.clock, logger: silentLogger },
  );
}

/** Writes a file and makes a pending review of a change to it. */
export async function reviewOf(
  host: EditorUnderTest,
  relativePath: string,
  original: string,
  content: string,
): Promise<Review> {
  const path = await writeAndName(host, relativePath, original);
  return makeReview(host, { path, original: { kind: 'text', text: original }, content });
}

async function isInView(user: Required<Pick<EditorUser, 'reviewsInView'>>, review: Review): Promise<boolean> {
  return (await user.reviewsInView()).includes(review);
}
