import { visibleName } from '@tandem/core';
import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import { joinClasses } from '../primitives/joinClasses.js';
import styles from './reviewNoticeBar.module.css';
import { ToolButton } from './toolButton.js';
import type { ReviewNotice } from './useDecision.js';

interface ReviewNoticeBarProps {
  /** What holds for the review as long as it is there. */
  readonly notes: readonly string[];
  readonly notice: ReviewNotice | undefined;
  readonly onDismiss: () => void;
}

/** What no line of the text shows: notes of the review, and what just went well or wrong. */
export function ReviewNoticeBar({ notes, notice, onDismiss }: ReviewNoticeBarProps) {
  const isProblem = notice?.kind === 'problem';
  const Icon = isProblem ? CircleAlert : CircleCheck;
  return (
    <div className={styles.bar}>
      {notes.map((note) => (
        <p key={note} className={styles.note}>
          <Info size={15} aria-hidden="true" />
          <span>{visibleName(note)}</span>
        </p>
      ))}
      <div role={isProblem ? 'alert' : 'status'}>
        {notice !== undefined && (
          <div className={joinClasses(styles.note, isProblem ? styles.problem : styles.done)}>
            <Icon size={15} aria-hidden="true" />
            <span>{notice.text}</span>
            <ToolButton icon={X} label="Dismiss" onClick={onDismiss} />
          </div>
        )}
      </div>
    </div>
  );
}
