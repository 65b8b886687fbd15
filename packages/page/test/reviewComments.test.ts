// @vitest-environment happy-dom
import { EditorView } from '@codemirror/view';
import { fireEvent, screen } from '@testing-library/dom';
import { act, createElement } from 'react';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ReviewComments } from '../src/review/reviewComments.js';
import { commentDrafts, useComments } from '../src/review/useComments.js';
import type { PageReviewDetails } from '../src/wire/index.js';
import { pageReview } from './support/pageReview.js';
import { renderInPage } from './support/renderInPage.js';

const details: PageReviewDetails = {
  review: pageReview(),
  original: 'one\n',
  proposed: 'two\n',
  hunks: [],
  comments: [],
  text: { version: 0, content: 'two\n' },
};

type EditorRef = Parameters<typeof useComments>[1];

/** The comments of a review, and two buttons: one adds a comment on the whole proposal. */
function Comments({ editorRef }: { readonly editorRef: EditorRef }) {
  const comments = useComments(details, editorRef);
  return createElement(
    'div',
    {},
    createElement('button', { type: 'button', onClick: () => comments.onAdd(true) }, 'Comment'),
    createElement(ReviewComments, { comments, isReadOnly: false }),
    createElement('button', { type: 'button' }, 'Feedback'),
  );
}

/** A comment on the whole proposal is being added. The host answers when the test says so. */
async function addComment() {
  const view = new EditorView({ parent: document.body });
  onTestFinished(() => view.destroy());
  const commentTarget = () => ({ side: 'proposal' as const, lines: { first: 0, last: 0 } });
  let answer = (): void => {};
  const answered = new Promise<never>((resolve) => {
    answer = () => resolve(null as never);
  });
  const editorRef = { current: { view, commentTarget } };
  renderInPage(createElement(Comments, { editorRef }), { request: () => answered });
  fireEvent.click(screen.getByRole('button', { name: 'Comment' }));
  const field = screen.getByRole('textbox', { name: 'Comment on the whole proposal' });
  expect(document.activeElement).toBe(field);
  fireEvent.change(field, { target: { value: 'not so' } });
  await act(async () => {
    fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
  });
  return { view, answered: () => act(async () => answer()) };
}

beforeEach(() => commentDrafts.setState({ drafts: [] }));

describe('when a comment has been added, the focus', () => {
  it('returns to the text', async () => {
    const { view, answered } = await addComment();
    await answered();
    expect(document.activeElement).toBe(view.contentDOM);
  });

  it('stays where the user has moved it meanwhile', async () => {
    const { answered } = await addComment();
    const button = screen.getByRole('button', { name: 'Feedback' });
    button.focus();
    await answered();
    expect(document.activeElement).toBe(button);
  });
});
