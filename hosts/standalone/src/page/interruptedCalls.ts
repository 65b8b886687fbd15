import type { InterruptedReview } from '@tandem/companion';
import { conformText, type Path, toDocumentText } from '@tandem/core';
import { PageFailure } from './pageAnswer.js';
import type { PageApiServices, PageCalls } from './pageApi.js';

type InterruptedCalls = Pick<
  PageCalls,
  'interrupted.read' | 'interrupted.restore' | 'interrupted.discard' | 'interrupted.keep'
>;

/** Reviews that nobody waits for any more. */
export function interruptedCalls(services: PageApiServices): InterruptedCalls {
  const { companion, editor, paths, restored } = services;
  const { interrupted } = companion;
  const find = (id: string): InterruptedReview => {
    const review = interrupted.get(id);
    if (review !== undefined) return review;
    throw new PageFailure('not-found', 'This text is no longer kept: it was applied or discarded elsewhere.');
  };
  return {
    'interrupted.read': ({ id }) => ({ content: toDocumentText(find(id).content) }),
    'interrupted.restore': async ({ id }) => {
      const review = find(id);
      const path = await paths.require(review.path);
      await editor.restoreDocument(path, originalOf(review), review.content);
      restored.add(id, path);
      return null;
    },
    'interrupted.discard': async ({ id }) => {
      interrupted.remove(find(id).id);
      await companion.reviews.writtenDown();
      return null;
    },
    'interrupted.keep': ({ agent, path, openedAt, content }) => {
      const isOf = (review: { readonly agent: string; readonly path: Path }): boolean =>
        review.agent === agent && review.path === path;
      const entry = interrupted.all.find((review) => isOf(review) && review.openedAt === openedAt);
      if (entry !== undefined) {
        interrupted.update(entry.id, conformText(content, entry.proposed, originalOf(entry)));
        return { isKept: true };
      }
      // It waits again with what was written down of it, and the page may hold what was typed after that.
      const waiting = editor.shownReviews.find(({ review }) => isOf(review.proposal));
      if (waiting === undefined) return { isKept: false };
      const isSame = toDocumentText(waiting.text.content) === toDocumentText(content);
      if (!isSame && waiting.text.version > 0) return { isKept: false };
      if (!isSame) waiting.review.edit(content);
      return { isKept: true };
    },
  };
}

function originalOf({ original }: InterruptedReview): string {
  return original.kind === 'text' ? original.text : '';
}
