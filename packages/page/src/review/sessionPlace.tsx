import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useShell } from '../app/shellContext.js';
import { usePageState } from '../client/pageContext.js';
import { IconButton } from '../primitives/index.js';
import type { PageReview } from '../wire/index.js';
import { placeInSession } from './sessionGroups.js';

/** `3 of 14` pending reviews of the session, and the steps to the next and the previous one. Empty if there is only one. */
export function SessionPlace({ review }: { readonly review: PageReview }) {
  const shell = useShell();
  const reviews = usePageState((state) => state.reviews);
  const { place, count } = placeInSession(reviews, review);
  if (place === 0 || count < 2) return null;
  const step = (by: 1 | -1) => (): void => shell.stepReview(by, { takesFocus: false });
  return (
    <span className="line">
      <IconButton icon={ChevronLeft} label="Previous review" keys="Alt+PageUp" onClick={step(-1)} />
      <span className="numbers">
        {place} of {count}
        <span className="visually-hidden"> pending reviews of this session</span>
      </span>
      <IconButton icon={ChevronRight} label="Next review" keys="Alt+PageDown" onClick={step(1)} />
    </span>
  );
}
