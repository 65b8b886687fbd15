import { hasConflictMarkers } from '@tandem/core';
import type { PageEditor } from '../editor/pageEditor.js';
import type { ShownReview } from '../editor/shownReview.js';
import { PageFailure } from './pageAnswer.js';
import type { PageApiServices, PageCalls } from './pageApi.js';
import { saveReview } from './saveReview.js';

type ReviewCalls = Pick<
  PageCalls,
  | 'review.open'
  | 'review.accept'
  | 'review.markConflicts'
  | 'review.undoMerge'
  | 'review.reject'
  | 'review.hunk'
  | 'review.save'
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
      await shown.file.check();
      const { label } = values.review(shown);
      if (shown.file.isInConflict && overwrites !== true) {
        throw new PageFailure('conflict', `${label} changed on disk on the same lines, or was deleted.`);
      }
      if (hasConflictMarkers(shown.review) && overwrites !== true) {
        throw new PageFailure('conflict', `The text for ${label} contains conflict markers.`);
      }
      requirePending(editor, id).accept(version);
      // Confirm only a decision that survives a crash.
      await companion.reviews.writtenDown();
      return null;
    },
    'review.markConflicts': async ({ id }) => {
      await requirePending(editor, id).markConflicts();
      return null;
    },
    'review.undoMerge': ({ id }) => {
      requirePending(editor, id).file.undoMerge();
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
