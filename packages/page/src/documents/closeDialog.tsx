import { visibleName } from '@tandem/core';
import type { ShellDialog } from '../app/shell.js';
import { fileName } from '../app/tabList.js';
import { Button } from '../primitives/button.js';
import { Dialog } from '../primitives/dialog.js';
import styles from './closeDialog.module.css';
import type { CloseChoice } from './documentDesk.js';

interface CloseDialogProps {
  readonly dialog: Extract<ShellDialog, { kind: 'close-document' }>;
  readonly onClose: () => void;
}

/** Asks what becomes of unsaved changes. */
export function CloseDialog({ dialog, onClose }: CloseDialogProps) {
  const choose = (choice: CloseChoice) => (): void => {
    dialog.answer(choice);
    // Answered already: closing means nothing more.
    onClose();
  };
  return (
    <Dialog title={`Save ${visibleName(fileName(dialog.label))}?`} size="small" onClose={onClose}>
      <div className={styles.body}>
        <p>
          <strong className={styles.label}>{visibleName(dialog.label)}</strong> has changes that are not
          saved. They are lost if you discard them.
        </p>
        <div className={styles.buttons}>
          <Button kind="danger" onClick={choose('discard')}>
            Discard
          </Button>
          <span className={styles.gap} />
          <Button onClick={choose('cancel')}>Cancel</Button>
          <Button kind="primary" isFirst onClick={choose('save')}>
            Save
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
