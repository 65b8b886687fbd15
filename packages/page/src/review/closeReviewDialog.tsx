import { visibleName } from '@tandem/core';
import type { CloseReviewChoice, ShellDialog } from '../app/shell.js';
import { fileName } from '../app/tabList.js';
import styles from '../documents/closeDialog.module.css';
import { Button } from '../primitives/button.js';
import { Dialog } from '../primitives/dialog.js';
import { acceptLabel, dangersOf } from './reviewWords.js';

interface CloseReviewDialogProps {
  readonly dialog: Extract<ShellDialog, { kind: 'close-review' }>;
  readonly onClose: () => void;
}

/** Asks what closing the tab of a pending review means. */
export function CloseReviewDialog({ dialog, onClose }: CloseReviewDialogProps) {
  const { review } = dialog;
  const dangers = dangersOf(review, review.isFileChanged);
  const choose = (choice: CloseReviewChoice) => (): void => {
    dialog.answer(choice);
    // Answered already: closing means nothing more.
    onClose();
  };
  return (
    <Dialog
      title={`Close the review of ${visibleName(fileName(review.label))}?`}
      size="small"
      onClose={onClose}
    >
      <div className={styles.body}>
        <p>
          {review.isEdited ? 'You edited the change to ' : 'The change to '}
          <strong className={styles.label}>{visibleName(review.label)}</strong>
          {` that ${visibleName(review.agentName)} proposes${review.isEdited ? '.' : ' is pending.'} If you keep it
          pending, it stays in the list of reviews.`}
        </p>
        {dangers.length > 0 && <p>{`Before you accept: ${dangers.join(' ')}`}</p>}
        <div className={styles.buttons}>
          <Button kind="danger" onClick={choose('reject')}>
            Reject
          </Button>
          <Button kind={dangers.length > 0 ? 'danger' : 'plain'} onClick={choose('accept')}>
            {acceptLabel(review, review.isFileChanged)}
          </Button>
          <span className={styles.gap} />
          <Button onClick={choose('cancel')}>Cancel</Button>
          <Button kind="primary" isFirst onClick={choose('keep')}>
            Keep pending
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
