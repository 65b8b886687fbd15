import { visibleName } from '@tandem/core';
import { FileDiff } from 'lucide-react';
import { usePendingByPath } from '../client/pageContext.js';
import type { PageReview } from '../wire/index.js';
import buttons from './buttons.module.css';
import styles from './reviewNoticeBar.module.css';

interface SameFileReviewsProps {
  readonly review: PageReview;
  /** Shows another review instead. */
  readonly onSelect: (reviewId: string) => void;
}

/** Leads to the other pending proposals for the same file. */
export function SameFileReviews({ review, onSelect }: SameFileReviewsProps) {
  const pending = usePendingByPath().get(review.path) ?? [];
  return pending
    .filter(({ id }) => id !== review.id)
    .map(({ id, agentName }) => (
      <p key={id} className={styles.note}>
        <FileDiff size={15} aria-hidden="true" />
        <span>{visibleName(agentName)} also proposes a change to this file.</span>
        <button
          type="button"
          className={buttons.button}
          aria-label={`Show the proposal by ${visibleName(agentName)}`}
          onClick={() => onSelect(id)}
        >
          Show
        </button>
      </p>
    ));
}
