import * as vscode from 'vscode';
import type { CompanionHost } from '../companionHost.js';
import { ask, inform } from '../messages.js';

/** Deletes the texts of decided reviews and the copies of files, after a question: their changes can then no longer be restored. */
export async function deleteHistory({ companion }: CompanionHost): Promise<void> {
  const { t } = vscode.l10n;
  const count = companion?.history.entries.length ?? 0;
  const hasCopies = async (): Promise<boolean> =>
    ((await companion?.work.recording()) ?? []).some(
      ({ copies }) => copies !== undefined && copies.bytes > 0,
    );
  if (companion === undefined || (count === 0 && !(await hasCopies())))
    return void inform(t('The history of reviews is empty.'));
  const remove = t('Delete');
  const message =
    count === 0
      ? t('Delete the copies of files?')
      : count === 1
        ? t('Delete 1 decided review?')
        : t('Delete {0} decided reviews?', count);
  const detail = t(
    'Their changes can then no longer be shown or restored. Tandem’s copies of the files are deleted, too. Files and pending reviews stay as they are.',
  );
  if ((await ask(message, detail, remove)) !== remove) return;
  await companion.forgetDecided();
  void inform(
    (await hasCopies())
      ? t('The history of reviews was deleted. The copies of files stay: another Tandem uses them.')
      : t('The history of reviews was deleted.'),
  );
}
