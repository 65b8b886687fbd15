import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from '../companionHost.js';
import { ask, inform } from '../messages.js';
import type { ProtocolChannel } from '../outputChannels.js';
import type { ReviewViews } from '../reviews/reviewViews.js';

/** Registers the commands that are about Tandem itself. */
export function registerWindowCommands(of: {
  readonly host: CompanionHost;
  readonly views: ReviewViews;
  readonly channel: vscode.OutputChannel;
  readonly protocol: ProtocolChannel;
  /** Identifier of the extension. */
  readonly extension: string;
}): Disposable {
  const { host, views, channel, protocol, extension } = of;
  const { executeCommand } = vscode.commands;
  const commands: Readonly<Record<string, () => unknown>> = {
    showStatus: async () => (await import('../statusPick.js')).showStatusPick(host, views),
    pauseSharing: () => host.companion?.policy.pause(),
    resumeSharing: () => host.companion?.policy.resume(),
    deleteHistory: () => deleteHistory(host),
    restart: () => host.restart(),
    showLog: () => channel.show(true),
    showProtocol: () => protocol.show(),
    openSettings: () => executeCommand('workbench.action.openSettings', `@ext:${extension}`),
    openWalkthrough: () =>
      executeCommand('workbench.action.openWalkthrough', `${extension}#tandem.start`, false),
  };
  const store = new DisposableStore();
  for (const [name, run] of Object.entries(commands)) {
    store.add(vscode.commands.registerCommand(`tandem.${name}`, run));
  }
  return store;
}

/** Deletes the texts of decided reviews, after a question: their changes can then no longer be restored. */
async function deleteHistory({ companion }: CompanionHost): Promise<void> {
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
