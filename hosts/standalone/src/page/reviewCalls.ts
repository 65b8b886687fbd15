import { pausing, questionError } from '@tandem/companion';
import { type DeskView, deskCalls } from '@tandem/companion/deskCalls';
import type { Path } from '@tandem/core';
import {
  alreadyDecided,
  conformText,
  type InterruptedReview,
  type Review,
  textOf,
  toDocumentText,
} from '@tandem/reviews';
import { type DeskContract, type MethodOf, RpcError } from '@tandem/rpc';
import type { PageEditor } from '../editor/pageEditor.js';
import type { ShownReview } from '../editor/shownReview.js';
import type { PageHandlers, PageServices } from './pageServices.js';
import { saveReview } from './saveReview.js';

type ReviewCalls = Pick<
  PageHandlers,
  | MethodOf<DeskContract>
  | 'review.open'
  | 'review.save'
  | 'interrupted.read'
  | 'interrupted.restore'
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
  const view: DeskView = {
    find: (id) => {
      const shown = requirePending(editor, id);
      const { review, file } = shown;
      return { review, file, isSeen: (version) => version === undefined || shown.version === version };
    },
    whenClosed: () => services.whenClosed,
  };
  return {
    ...deskCalls(companion, view),
    'review.open': async ({ id }) => {
      const earlier = findEarlier(id);
      await earlier?.compare(pausing());
      if (earlier !== undefined) return values.ended(earlier);
      const shown = requireReview(editor, id);
      await shown.compare(pausing());
      return { ...shown.details(), review: values.review(shown) };
    },
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
      const { original, content } = companion.apart.find((each) => each.id === id) ?? findInterrupted(id);
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
