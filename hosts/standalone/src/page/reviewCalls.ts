import type { PageEditor } from '../editor/pageEditor.js';
import type { ShownReview } from '../editor/shownReview.js';
import { PageFailure } from './pageAnswer.js';
import type { PageApiServices, PageCalls } from './pageApi.js';
import { saveReview } from './saveReview.js';

type ReviewCalls = Pick<
  PageCalls,
  'review.open' | 'review.accept' | 'review.reject' | 'review.hunk' | 'review.takeFileIn' | 'review.save'
>;

/** Seeing and deciding reviews. */
export function reviewCalls({ companion, editor, paths, values }: PageApiServices): ReviewCalls {
  return {
    'review.open': ({ id }) => {
      const shown = requireReview(editor, id);
      return { ...shown.details(), review: values.review(shown) };
    },
    'review.accept': async ({ id, version, overwrites }) => {
      const shown = requirePending(editor, id);
      await shown.file.refresh();
      if (shown.file.isChanged && overwrites !== true) {
        throw new PageFailure(
          'conflict',
          `${values.review(shown).label} was changed on disk since this was proposed. Take the changes in, or accept all the same.`,
        );
      }
      requirePending(editor, id).accept(version);
      // Nobody is told of a decision that a crash would ask for again.
      await companion.reviews.writtenDown();
      return null;
    },
    'review.takeFileIn': async ({ id }) => {
      await requirePending(editor, id).takeFileIn();
      return null;
    },
    'review.reject': async ({ id, unlessEdited }) => {
      const shown = requirePending(editor, id);
      if (unlessEdited === true && shown.summary().isEdited) {
        throw new PageFailure('unsaved', `The change to ${values.review(shown).label} was edited.`);
      }
      shown.reject();
      await companion.reviews.writtenDown();
      return null;
    },
    'review.hunk': ({ id, hunk, isKept }) => {
      requirePending(editor, id).setHunk(hunk, isKept);
      return null;
    },
    'review.save': async ({ id, content }) => {
      await saveReview(requireReview(editor, id).review, content, paths);
      await companion.sweep();
      return null;
    },
  };
}

/** The review, pending or one of the last that ended. */
export function requireReview(editor: PageEditor, id: string): ShownReview {
  const found = editor.shownReview(id);
  if (found !== undefined) return found;
  throw new PageFailure('not-found', `There is no review ${id}, or it ended long ago.`);
}

function requirePending(editor: PageEditor, id: string): ShownReview {
  const found = requireReview(editor, id);
  const { state } = found.review;
  if (state === 'pending') return found;
  throw new PageFailure('already-decided', `Review ${id} is already ${state}.`);
}
