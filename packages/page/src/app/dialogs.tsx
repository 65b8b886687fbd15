import { visibleName } from '@tandem/core';
import { lazy, Suspense } from 'react';
import { useStore } from 'zustand';
import type { CloseChoice } from '../documents/documentDesk.js';
import { QuickOpen } from '../files/quickOpen.js';
import { Button } from '../primitives/button.js';
import { Dialog } from '../primitives/dialog.js';
import { Spacer } from '../primitives/layout.js';
import { acceptLabel, dangersOf } from '../review/reviewWords.js';
import { ErrorBoundary } from './errorBoundary.js';
import { useShell } from './shellContext.js';
import type { CloseReviewChoice, ShellDialog } from './shellState.js';
import { fileName } from './tabList.js';

const HelpDialog = lazy(async () => ({ default: (await import('./helpDialog.js')).HelpDialog }));

/** The dialog that is open, if any. */
export function Dialogs() {
  const shell = useShell();
  const dialog = useStore(shell.state, (state) => state.dialog);
  const close = (): void => shell.closeDialog();
  return (
    <ErrorBoundary name="This dialog">
      {dialog?.kind === 'quick-open' && <QuickOpen onClose={close} />}
      {dialog?.kind === 'close-document' && <CloseDocumentDialog dialog={dialog} onClose={close} />}
      {dialog?.kind === 'close-review' && <CloseReviewDialog dialog={dialog} onClose={close} />}
      {dialog?.kind === 'help' && (
        <Suspense>
          <HelpDialog onClose={close} />
        </Suspense>
      )}
    </ErrorBoundary>
  );
}

interface ShellDialogProps<Kind> {
  readonly dialog: Extract<ShellDialog, { kind: Kind }>;
  readonly onClose: () => void;
}

/** Asks what happens to unsaved changes. */
function CloseDocumentDialog({ dialog, onClose }: ShellDialogProps<'close-document'>) {
  const choose = (choice: CloseChoice) => (): void => {
    dialog.answer(choice);
    onClose();
  };
  return (
    <Dialog
      title={`Save ${visibleName(fileName(dialog.label))}?`}
      size="small"
      onClose={onClose}
      actions={
        <>
          <Button kind="danger" onClick={choose('discard')}>
            Discard
          </Button>
          <Spacer />
          <Button onClick={choose('cancel')}>Cancel</Button>
          <Button kind="primary" isFirst onClick={choose('save')}>
            Save
          </Button>
        </>
      }
    >
      <p>
        <strong>{visibleName(dialog.label)}</strong> has changes that are not saved. They are lost if you
        discard them.
      </p>
    </Dialog>
  );
}

/** Asks what happens to a pending review. */
export function CloseReviewDialog({ dialog, onClose }: ShellDialogProps<'close-review'>) {
  const { review } = dialog;
  const dangers = dangersOf(review, review.isFileChanged);
  const agent = visibleName(review.agentName);
  const choose = (choice: CloseReviewChoice) => (): void => {
    dialog.answer(choice);
    onClose();
  };
  return (
    <Dialog
      title={`Close the review of ${visibleName(fileName(review.label))}?`}
      size="small"
      onClose={onClose}
      actions={
        <>
          <Button kind="danger" onClick={choose('reject')}>
            Reject
          </Button>
          <Button kind={dangers.length > 0 ? 'danger' : 'plain'} onClick={choose('accept')}>
            {acceptLabel(review, review.isFileChanged)}
          </Button>
          <Spacer />
          <Button onClick={choose('cancel')}>Cancel</Button>
          <Button kind="primary" isFirst onClick={choose('keep')}>
            Keep pending
          </Button>
        </>
      }
    >
      <p>
        {review.isEdited ? 'You edited the change to ' : 'The change to '}
        <strong>{visibleName(review.label)}</strong>
        {` that ${agent} proposes${review.isEdited ? '.' : ' is pending.'} If you keep it pending, it stays in the list of reviews.`}
      </p>
      {dangers.length > 0 && <p>{`Before you accept: ${dangers.join(' ')}`}</p>}
    </Dialog>
  );
}
