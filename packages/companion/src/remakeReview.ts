import { marksOf, Review, silentLogger, systemClock } from '@tandem/core';
import type { SavedReview } from './savedReview.js';

/** A cache: finding the hunks of a large text is slow. A saved review that changes is a new object. */
const remade = new WeakMap<SavedReview, Review>();

/** A saved review as a `Review`: ended if it was decided, otherwise pending, but no agent receives a decision. */
export function remakeReview(saved: SavedReview & { readonly id?: string }): Review {
  const known = remade.get(saved) ?? remake(saved);
  remade.set(saved, known);
  return known;
}

function remake(saved: SavedReview & { readonly id?: string }): Review {
  const { agent, session, path, proposed, original, content, keptHunks, decided } = saved;
  const proposal = {
    agent,
    session,
    path,
    content: proposed,
    ...(decided?.title !== undefined && { title: decided.title }),
  };
  let now = saved.openedAt;
  const review = new Review(
    {
      id: decided?.id ?? saved.id ?? saved.key,
      proposal,
      original,
      ...marksOf(saved),
      edits: { content, keptHunks },
      commented: [saved],
    },
    { clock: { ...systemClock, now: () => now }, logger: silentLogger },
  );
  if (decided === undefined) return review;
  now = decided.at;
  if (decided.how === 'rejected') review.reject();
  else review.accept();
  return review;
}
