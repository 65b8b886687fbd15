import { describeNotKept, visibleName } from '@tandem/core';
import { memo } from 'react';
import { joinClasses } from '../primitives/joinClasses.js';
import type { PageReview } from '../wire/index.js';
import { AgentName } from './agentName.js';
import { ChangeCounts } from './changeCounts.js';
import styles from './queueRow.module.css';
import { outcomeWord } from './reviewWords.js';
import { Since } from './since.js';

interface QueueRowProps {
  readonly review: PageReview;
  readonly now: number;
  readonly isSelected: boolean;
  readonly isTabStop: boolean;
  readonly onSelect: (reviewId: string) => void;
}

/** One review in the queue. */
export const QueueRow = memo(function QueueRow(props: QueueRowProps) {
  const { review, now, isSelected, isTabStop, onSelect } = props;
  const label = visibleName(review.label);
  const slash = label.lastIndexOf('/') + 1;
  const isWaiting = review.state === 'pending';
  return (
    <li className={styles.item}>
      <button
        type="button"
        data-row
        className={joinClasses(styles.row, isSelected && styles.selected)}
        tabIndex={isTabStop ? 0 : -1}
        onClick={() => onSelect(review.id)}
        title={visibleName(review.path)}
        {...(isSelected && { 'aria-current': 'true' as const })}
      >
        <span className={styles.file}>
          <span className={styles.name}>{label.slice(slash)}</span>
          <span className={styles.folder}>{label.slice(0, Math.max(0, slash - 1))}</span>
          <span className={styles.since}>
            <Since at={isWaiting ? review.openedAt : (review.decidedAt ?? review.openedAt)} now={now} />
          </span>
        </span>
        <span className={styles.facts}>
          <AgentName agent={review.agent} name={review.agentName} />
          {isWaiting && review.isNewFile && <span className={styles.new}>New</span>}
          {isWaiting && review.isEdited && <span className={styles.edited}>Edited</span>}
          {isWaiting && review.notKept !== undefined && (
            <span className={styles.edited} title={describeNotKept(review.isEdited, review.notKept)}>
              Not saved
            </span>
          )}
          {!isWaiting && <span className={styles.outcome}>{outcomeWord(review)}</span>}
          {isWaiting && (
            <span className={styles.end}>
              <ChangeCounts change={review} />
            </span>
          )}
        </span>
      </button>
    </li>
  );
});
