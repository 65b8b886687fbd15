import type { LostAgent } from '@tandem/companion';
import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from './companionHost.js';

const copyCommand = 'tandem.copyLostAgentsWord';

/**
 * Reports agents that did not reconnect after a restart: one notification for each kind of agent, until all of them
 * have reconnected, the companion ends, or the user closes it. The status also shows them.
 */
export function showLostAgents(host: CompanionHost): Disposable {
  const store = new DisposableStore();
  const shown = new Map<string, () => void>();
  const isMissing = (agent: string): boolean =>
    host.companion?.agents.lost.some((lost) => lost.agent === agent) ?? false;
  store.add(
    host.onDidLoseAgent((lost) => {
      const { agent } = lost;
      if (shown.has(agent)) return;
      void showUntil(lost, new Promise((resolve) => shown.set(agent, resolve))).then(() =>
        shown.delete(agent),
      );
    }),
  );
  store.add(
    host.onDidChange(() => {
      for (const [agent, close] of shown) if (!isMissing(agent)) close();
    }),
  );
  store.add({
    dispose: () => {
      for (const close of shown.values()) close();
    },
  });
  store.add(
    vscode.commands.registerCommand(copyCommand, async (agent: unknown) => {
      const lost = host.companion?.agents.lost.find((each) => each.agent === agent);
      if (lost === undefined) return;
      await vscode.env.clipboard.writeText(lost.connect);
      vscode.window.setStatusBarMessage(vscode.l10n.t('Copied {0}', lost.connect), 3_000);
    }),
  );
  return store;
}

/** Only a progress notification can be closed by an extension, and its only button is a link. */
async function showUntil({ agent, displayName, connect }: LostAgent, isOver: Promise<void>): Promise<void> {
  const { t } = vscode.l10n;
  const copy = `command:${copyCommand}?${encodeURIComponent(JSON.stringify([agent]))}`;
  const title = t(
    '{0} has not reconnected since the restart. If it is still running, type {1} in it. [Copy]({2})',
    displayName,
    connect,
    copy,
  );
  const location = vscode.ProgressLocation.Notification;
  await vscode.window.withProgress({ location, title, cancellable: true }, (_progress, token) =>
    Promise.race([isOver, new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()))]),
  );
}
