import {
  feedbackCalls,
  type InterruptedReview,
  pausing,
  questionError,
  requireDone,
} from '@tandem/companion';
import {
  alreadyDecided,
  closeReview,
  conformText,
  type Path,
  type Review,
  textOf,
  toDocumentText,
} from '@tandem/core';
import { type MethodOf, RpcError } from '@tandem/rpc';
import type { feedbackContract } from '@tandem/rpc/schemas';
import type { PageEditor } from '../editor/pageEditor.js';
import type { ShownReview } from '../editor/shownReview.js';
import type { PageHandlers, PageServices } from './pageServices.js';
import { saveReview } from './saveReview.js';

type ReviewCalls = Pick<
  PageHandlers,
  | 'review.open'
  | 'review.accept'
  | 'review.markConflicts'
  | 'review.undoMerge'
  | 'review.reject'
  | 'review.close'
  | 'review.hunk'
  | 'review.save'
  | MethodOf<typeof feedbackContract>
  | 'interrupted.read'
  | 'interrupted.restore'
  | 'interrupted.discard'
  | 'interrupted.keep'
>;

/** Calls about pending, ended and interrupted reviews. */
export function reviewCalls(services: PageServices): ReviewCalls {
  const { companion, editor, paths, values, restored } = services;
  const { interrupted, interruptedFiles } = companion;
  const findInterrupted = (id: string): InterruptedReview => {
    const review = interrupted.get(id);
    if (review !== undefined) return review;
    throw new RpcError('not-found', 'This text is no longer kept: it was applied or discarded elsewhere.');
  };
  /** A decided review that only the history has. */
  const findEarlier = (id: string): Review | undefined =>
    editor.shownReview(id) === undefined ? companion.history.review(id) : undefined;
  return {
    'review.open': async ({ id }) => {
      const earlier = findEarlier(id);
      await earlier?.compare(pausing());
      if (earlier !== undefined) return values.ended(earlier);
      const shown = requireReview(editor, id);
      await shown.compare(pausing());
      return { ...shown.details(), review: values.review(shown) };
    },
    'review.accept': async ({ id, version, answer }) => {
      const shown = requirePending(editor, id);
      const { review, file } = shown;
      const isSeen = (): boolean => shown.version === version;
      requireDone(await companion.accept(review, { ...answer, file, isSeen }), review);
    },
    'review.markConflicts': async ({ id }) => requirePending(editor, id).markConflicts(),
    'review.undoMerge': ({ id }) => requirePending(editor, id).file.undoMerge(),
    'review.reject': async ({ id }) => {
      requirePending(editor, id).reject();
      await companion.reviews.persisted();
    },
    'review.close': async ({ id }) => {
      const { review } = requirePending(editor, id);
      const { label, agentName } = values.review(requirePending(editor, id));
      const { note, question } = closeReview(review, { whenClosed: services.whenClosed, agentName, label });
      if (question !== undefined) throw questionError(question);
      await companion.reviews.persisted();
      return { ...(note !== undefined && { note }) };
    },
    'review.hunk': ({ id, hunk, isKept }) => requirePending(editor, id).setHunk(hunk, isKept),
    ...feedbackCalls(companion),
    'review.save': async ({ id, content, answer }) => {
      const review = findEarlier(id) ?? requireReview(editor, id).review;
      const { original, proposal } = review;
      const requireConsent = async (): Promise<void> => {
        const question = await interruptedFiles.questionOn({ ...proposal, original }, answer);
        if (question !== undefined) throw questionError(question);
      };
      await saveReview(review, content, paths, requireConsent);
      await companion.sweep();
    },
    'interrupted.read': ({ id }) => {
      const { original, content } = findInterrupted(id);
      return {
        ...(original.kind === 'text' && { original: toDocumentText(original.text) }),
        content: toDocumentText(content),
      };
    },
    'interrupted.restore': async ({ id, answer }) => {
      const review = findInterrupted(id);
      const path = await paths.require(review.path);
      const question = await interruptedFiles.questionOn(review, answer);
      if (question !== undefined) throw questionError(question);
      await editor.restoreDocument(path, textOf(review.original), review.content);
      restored.add(id, path);
    },
    'interrupted.discard': async ({ ids, answer }) => {
      const question = interruptedFiles.discard(ids.map(findInterrupted), answer);
      if (question !== undefined) throw questionError(question);
      await companion.reviews.persisted();
    },
    'interrupted.keep': ({ agent, path, openedAt, content }) => {
      const isOf = (review: { readonly agent: string; readonly path: Path }): boolean =>
        review.agent === agent && review.path === path;
      const entry = interrupted.all.find((review) => isOf(review) && review.openedAt === openedAt);
      if (entry !== undefined) {
        interrupted.update(entry.id, conformText(content, entry.proposed, textOf(entry.original)));
        return { isKept: true };
      }
      // The review is pending again with the journal's text; the page may have a later text.
      const pending = editor.shownReviews.find(({ review }) => isOf(review.proposal));
      if (pending === undefined) return { isKept: false };
      const isSame = toDocumentText(pending.text.content) === toDocumentText(content);
      if (!isSame && pending.text.version > 0) return { isKept: false };
      if (!isSame) pending.review.edit(content);
      return { isKept: true };
    },
  };
}

/** A pending or recently ended review. */
export function requireReview(editor: PageEditor, id: string): ShownReview {
  const found = editor.shownReview(id);
  if (found !== undefined) return found;
  throw new RpcError('not-found', `There is no review ${id}, or it ended long ago.`);
}

function requirePending(editor: PageEditor, id: string): ShownReview {
  const found = requireReview(editor, id);
  if (found.review.state === 'pending') return found;
  throw alreadyDecided(found.review);
}
