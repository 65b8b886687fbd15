import { GitMerge, TriangleAlert } from 'lucide-react';
import { joinClasses } from '../primitives/joinClasses.js';
import type { PageReview } from '../wire/index.js';
import buttons from './buttons.module.css';
import styles from './reviewNoticeBar.module.css';

interface FileChangedBarProps {
  readonly review: PageReview;
  readonly isReadOnly: boolean;
  readonly onMarkConflicts: () => void;
  readonly onUndoMerge: () => void;
}

/** Reports that the file changed on disk during the review: with a conflict, or merged into the text. */
export function FileChangedBar({ review, isReadOnly, onMarkConflicts, onUndoMerge }: FileChangedBarProps) {
  const { isFileChanged, canUndoMerge } = review;
  if (!isFileChanged && !canUndoMerge) return null;
  const onClick = isFileChanged ? onMarkConflicts : onUndoMerge;
  return (
    <div className={joinClasses(styles.note, isFileChanged && styles.warning)} role="status">
      {isFileChanged ? (
        <TriangleAlert size={15} aria-hidden="true" />
      ) : (
        <GitMerge size={15} aria-hidden="true" />
      )}
      {isFileChanged ? (
        <span>
          <strong>The file changed on disk on the same lines, or was deleted.</strong> Accepting undoes that.
        </span>
      ) : (
        <span>The file changed on disk. Its changes are merged into this text.</span>
      )}
      <button
        type="button"
        className={buttons.button}
        aria-disabled={isReadOnly}
        onClick={isReadOnly ? undefined : onClick}
      >
        {isFileChanged ? 'Show both versions' : 'Undo the merge'}
      </button>
    </div>
  );
}
