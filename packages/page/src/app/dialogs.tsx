import { lazy, Suspense } from 'react';
import { useStore } from 'zustand';
import { CloseDialog } from '../documents/closeDialog.js';
import { QuickOpen } from '../files/quickOpen.js';
import { CloseReviewDialog } from '../review/closeReviewDialog.js';
import { ErrorBoundary } from './errorBoundary.js';
import { useShell } from './shellContext.js';

const HelpDialog = lazy(async () => ({ default: (await import('./helpDialog.js')).HelpDialog }));

/** The dialog that is open, if any. */
export function Dialogs() {
  const shell = useShell();
  const dialog = useStore(shell.state, (state) => state.dialog);
  const close = (): void => shell.closeDialog();
  return (
    <ErrorBoundary name="This dialog">
      {dialog?.kind === 'quick-open' && <QuickOpen onClose={close} />}
      {dialog?.kind === 'close-document' && <CloseDialog dialog={dialog} onClose={close} />}
      {dialog?.kind === 'close-review' && <CloseReviewDialog dialog={dialog} onClose={close} />}
      {dialog?.kind === 'help' && (
        <Suspense>
          <HelpDialog onClose={close} />
        </Suspense>
      )}
    </ErrorBoundary>
  );
}
